"""A whole report out of evidence, as the writer's and the fact-check's nodes make it, without a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from policypal.answer.evidence import Evidence
from policypal.domain.documents import Document, DocumentStatus, DocumentType, Page, Passage
from policypal.domain.research import Report, ReportSection, Source
from policypal.graph.citing import Citer
from policypal.llm.task import Engine, TaskContext
from policypal.research.check_claims import CHECK_CLAIMS, CitedClaim, ClaimsInput, sound_conflicts
from policypal.research.draft import gaps_section, section_of, without_repetition
from policypal.research.outline import OUTLINE, OutlineInput, sound_outline
from policypal.research.red_team import Standards, review
from policypal.research.support import Known, Support, check_support
from policypal.research.write_section import WRITE_SECTION, WriteSectionInput, sound_section
from policypal.samples import SAMPLES
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.search.provisions import parts_of
from policypal.text.provisions import read_provisions
from tests.support.samples import sample_pages

EMBEDDER = WordLlamaEmbedder()
TODAY = date(2026, 3, 4)


@dataclass(frozen=True)
class Material:
    """Passages, the pages they stand on, and both as the tasks see them."""

    passages: list[Passage]
    pages: dict[tuple[str, int], str]

    @property
    def evidence(self) -> list[Evidence]:
        return [
            Evidence(
                number=n, document=p.document_label, page=p.page, heading=p.heading, text=p.text, start=p.start, label=p.label,
                provision=p.ordinal if p.kinds else 0, introduction=p.introduction, kinds=sorted(p.kinds),
            )
            for n, p in enumerate(self.passages, 1)
        ]  # fmt: skip

    @property
    def sources(self) -> list[Source]:
        titles = {p.document_id: p.document_title for p in self.passages}
        return [Source(key=i, source_type="document", title=t, document_id=i) for i, t in titles.items()]


def of_samples(*filenames: str) -> Material:
    """The sample documents of these files, or all of them."""
    passages: list[Passage] = []
    pages: dict[tuple[str, int], str] = {}
    for sample in SAMPLES:
        if filenames and sample.filename not in filenames:
            continue
        texts = sample_pages(sample.filename)
        pages |= {(sample.filename, page.number): page.text for page in texts}
        document = _document(sample.filename, sample.title, sample.version)
        places = {(sample.filename, page.number): page.text for page in texts}
        passages += [part for p in read_provisions(texts) for part in parts_of(document, p, places)]
    return Material(passages, pages)


def of_texts(**texts: str) -> Material:
    """Documents of one page, by title."""
    pages = {(title, 1): text for title, text in texts.items()}
    read = {title: read_provisions([Page(1, text)]) for title, text in texts.items()}
    passages = [
        part for title, ours in read.items() for p in ours for part in parts_of(_document(title, title, ""), p, pages)
    ]
    return Material(passages, pages)


def _document(id: str, title: str, version: str) -> Document:
    return Document(
        id=id, title=title, version=version, type=DocumentType.REGULATORY, filename=id, media_type="", sha256="", size_bytes=0,
        storage_key="", status=DocumentStatus.READY, created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A report and how its statements fared."""

    report: Report
    support: Support

    @property
    def sections(self) -> list[ReportSection]:
        return self.report.sections


def write_report(engine: Engine, material: Material, goal: str, questions: Sequence[str] = ()) -> Made:
    """Outline, sections, assembly, support, contradictions and review."""
    context, evidence = TaskContext(EMBEDDER), {e.number: e for e in material.evidence}
    asked = OutlineInput(goal=goal, questions=list(questions), evidence=list(evidence.values()))
    outline = sound_outline(engine.run(OUTLINE, asked, context).output, asked)
    written = []
    for section in outline.sections:
        given = WriteSectionInput(
            goal=goal, heading=section.heading, focus=section.focus, kind=section.kind,
            evidence=[evidence[n] for n in section.evidence],
        )  # fmt: skip
        made = engine.run(WRITE_SECTION, given, context).output
        written.append(made if engine.name == "extractive" else sound_section(made, given))
    citer = Citer(material.passages, material.pages, by_rules=engine.name == "extractive")
    drafted = [
        section_of(planned.heading, section, citer.render)
        for planned, section in zip(outline.sections, without_repetition(written), strict=True)
    ]
    drafted += gaps_section(outline.unanswered) if drafted else []
    known = {c.id: Known(c, citer.words_of(c), citer.label_of(c)) for c in citer.citations}
    support = check_support(drafted, known)
    labels = {p.document_id: p.document_label for p in material.passages}
    claims = ClaimsInput(
        claims=[CitedClaim(number=c.id, source=labels[c.document_id or ""], quote=c.quote) for c in citer.citations]
    )
    found = sound_conflicts(engine.run(CHECK_CLAIMS, claims, context).output, claims)
    issues = review(support.sections, citer.citations, material.sources, Standards(TODAY, by_rules=citer.by_rules))
    report = Report(
        id="r", thread_id="t", version=1, title=outline.title, markdown="", sections=support.sections,
        citations=citer.citations, sources=material.sources, issues=issues, engine=engine.name,
        contradictions=found,
    )  # fmt: skip
    return Made(report, support)
