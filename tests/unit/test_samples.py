"""R9: the sample documents are what they claim to be, and what was planted in them is really there."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pypdf
import pypdfium2
import pytest

import policypal.samples
from policypal.domain.audits import Severity
from policypal.domain.documents import SET_COLOURS, DocumentType
from policypal.samples import FICTIONAL_MARKER, SAMPLE_QUESTIONS, SAMPLES, Sample, sample_bytes

FOLDER = Path(policypal.samples.__file__).parent
SOURCES = {"policy": "policy-2025.pdf", "email": "email-2025.pdf"}
PAGE_RANGE = {
    "rulebook-2023.pdf": (8, 10),
    "rulebook-2025.pdf": (8, 10),
    "guideline-2024.pdf": (5, 7),
    "policy-2025.pdf": (6, 10),
    "email-2025.pdf": (1, 1),
}
TRUTHS: dict[str, Any] = json.loads((FOLDER / "truths.json").read_text(encoding="utf-8"))

every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.filename)


@cache
def pages(filename: str) -> tuple[str, ...]:
    """White-space-normalised text of each page, read back from the committed PDF."""
    sample = next(s for s in SAMPLES if s.filename == filename)
    return tuple(texts(sample_bytes(sample)))


def texts(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]
    finally:
        document.close()


def assert_only_on(filename: str, page: int | None, phrase: str | None) -> None:
    """``phrase`` stands once in the document and on that page; no phrase has no page."""
    if phrase is None:
        assert page is None
        return
    counts = [text.count(phrase) for text in pages(filename)]
    assert sum(counts) == 1, f"{phrase!r}: {counts}"
    assert counts.index(1) + 1 == page, f"{phrase!r} is on page {counts.index(1) + 1}, not {page}"


def clauses(filename: str) -> dict[str, str]:
    """The numbered paragraphs of a document's source, by number."""
    text = (FOLDER / "sources" / filename).with_suffix(".md").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\d+\.\d+) (.+)$", text, re.MULTILINE))


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = FOLDER.parent.parent / "scripts" / "make_samples.py"
    spec = importlib.util.spec_from_file_location("make_samples", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def test_r9_two_editions_a_guideline_a_policy_and_an_email() -> None:
    assert {sample.filename for sample in SAMPLES} == set(PAGE_RANGE)
    assert {s.filename for s in SAMPLES if s.type is DocumentType.COMPANY} == set(SOURCES.values())
    titles = [sample.title for sample in SAMPLES]
    assert titles.count("Operational Conduct and Data Rulebook") == 2
    assert len({(sample.title, sample.version) for sample in SAMPLES}) == 5
    assert all(sample.set_colour in SET_COLOURS for sample in SAMPLES)
    aliases = [alias for sample in SAMPLES for alias in sample.aliases]
    assert len(aliases) == len(set(aliases))


@every_sample
def test_r9_page_count_and_fictional_marker_on_every_page(sample: Sample) -> None:
    least, most = PAGE_RANGE[sample.filename]
    assert least <= len(pages(sample.filename)) <= most
    for number, text in enumerate(pages(sample.filename), 1):
        assert f"{FICTIONAL_MARKER} Page {number}" in text


@every_sample
def test_r9_metadata_and_outline(sample: Sample) -> None:
    reader = pypdf.PdfReader(io.BytesIO(sample_bytes(sample)))
    assert reader.metadata is not None
    assert reader.metadata.title == f"{sample.title} ({sample.version})"
    source = (FOLDER / "sources" / sample.filename).with_suffix(".md").read_text(encoding="utf-8")
    headings = re.findall(r"^# (.+)$", source, re.MULTILINE)
    assert [entry.title for entry in reader.outline if not isinstance(entry, list)] == headings


@every_sample
def test_r9_text_extracts_cleanly(sample: Sample) -> None:
    text = " ".join(pages(sample.filename))
    assert not re.findall(r"[^\x20-\x7e•]", text)
    source = (FOLDER / "sources" / sample.filename).with_suffix(".md").read_text(encoding="utf-8")
    body = [line.removeprefix("# ").removeprefix("- ") for line in source.partition("\n\n")[2].splitlines() if line]
    assert [line for line in body if line not in text] == []


@every_sample
def test_r9_committed_pdf_is_what_the_script_makes(script: ModuleType, sample: Sample) -> None:
    made = script.make(sample)
    assert made == script.make(sample)
    assert texts(made) == list(pages(sample.filename))


def test_r9_committed_truths_have_the_pages_the_script_finds(script: ModuleType) -> None:
    found = script.paged_truths(json.loads(json.dumps(TRUTHS)), {s.filename: list(pages(s.filename)) for s in SAMPLES})
    assert found == TRUTHS


def test_r9_enough_was_planted() -> None:
    policy = [t for t in TRUTHS["truths"] if t["source"] == "policy"]
    email = [t for t in TRUTHS["truths"] if t["source"] == "email"]
    assert sum(t["kind"] == "conflict" for t in policy) >= 8
    assert sum(t["kind"] == "gap" for t in policy) >= 3
    assert {t["target"] for t in policy} == {"rulebook-2025.pdf", "guideline-2024.pdf"}
    assert len(email) == 4 and {t["kind"] for t in email} == {"conflict"}
    assert len({t["id"] for t in TRUTHS["truths"]}) == len(policy) + len(email)


@pytest.mark.parametrize("truth", TRUTHS["truths"], ids=lambda truth: truth["id"])
def test_r9_planted_truth_stands_in_both_documents(truth: dict[str, Any]) -> None:
    assert (truth["source_phrase"] is None) == (truth["kind"] == "gap")
    assert_only_on(SOURCES[truth["source"]], truth["source_page"], truth["source_phrase"])
    assert_only_on(truth["target"], truth["target_page"], truth["target_phrase"])
    assert truth["target_page"] is not None
    Severity(truth["severity_at_least"])


@pytest.mark.parametrize("pair", TRUTHS["compliant"], ids=lambda pair: pair["source_phrase"][:40])
def test_r9_compliant_passage_stands_in_both_documents(pair: dict[str, Any]) -> None:
    assert_only_on(SOURCES[pair["source"]], pair["source_page"], pair["source_phrase"])
    assert_only_on(pair["target"], pair["target_page"], pair["target_phrase"])
    assert all(pair["source_phrase"] != t["source_phrase"] for t in TRUTHS["truths"])


@pytest.mark.parametrize("target", sorted(TRUTHS["coverage"]))
def test_r9_every_duty_is_either_covered_or_planted(target: str) -> None:
    """An honest auditor who reads every duty finds the planted issues and no others."""
    binding = re.compile(r"\bmust\b|\bmay not\b|\bmay\b[^.]*\bonly\b")
    duties = {number for number, text in clauses(target).items() if binding.search(text)}
    phrases = [t["target_phrase"] for t in TRUTHS["truths"] if t["source"] == "policy" and t["target"] == target]
    planted = {n for n, text in clauses(target).items() if any(phrase in text for phrase in phrases)}
    assert planted | set(TRUTHS["coverage"][target]) == duties
    assert not planted & set(TRUTHS["coverage"][target])


@pytest.mark.parametrize("target", sorted(TRUTHS["coverage"]))
def test_r9_covering_clauses_exist_and_repeat_the_percentages_and_amounts(target: str) -> None:
    policy = clauses("policy-2025.pdf")
    for number, covering in TRUTHS["coverage"][target].items():
        answer = " ".join(policy[c] for c in covering)
        stricter = any(p["target_phrase"] in clauses(target)[number] for p in TRUTHS["compliant"])
        for value in re.findall(r"\d+(?:\.\d+)?(?:%| crowns| kilometres)", clauses(target)[number]):
            assert stricter or value in answer, f"{number}: {value} is not in {answer!r}"


def test_r9_questions_have_their_answers_on_their_pages() -> None:
    assert len(TRUTHS["questions"]) >= 12
    for question in TRUTHS["questions"]:
        assert question["page"] is not None
        assert_only_on(question["document"], question["page"], question["answer_phrase"])


def test_r9_editions_differ_as_stated() -> None:
    changes = TRUTHS["edition_changes"]
    assert [c["kind"] for c in changes].count("removed") == 1
    assert {c["kind"] for c in changes} == {"changed", "added", "removed"}
    for change in [*changes, *TRUTHS["edition_rewordings"]]:
        assert_only_on("rulebook-2023.pdf", change["old_page"], change["old_phrase"])
        assert_only_on("rulebook-2025.pdf", change["new_page"], change["new_phrase"])
        assert change["old_phrase"] != change["new_phrase"]


def test_r9_editions_differ_in_nothing_else() -> None:
    """Every paragraph that stands in one edition only holds a stated change."""
    changes = [*TRUTHS["edition_changes"], *TRUTHS["edition_rewordings"]]
    old, new = (_paragraphs(name) for name in ("rulebook-2023.md", "rulebook-2025.md"))
    for only, phrases in (
        (old - new, [c["old_phrase"] for c in changes if c["old_phrase"]]),
        (new - old, [c["new_phrase"] for c in changes if c["new_phrase"]]),
    ):
        assert [p for p in only if not any(phrase in p for phrase in phrases)] == []


def _paragraphs(name: str) -> set[str]:
    """Paragraphs without their numbers; headings, and the commentary that belongs to the added Part, are left out."""
    body = (FOLDER / "sources" / name).read_text(encoding="utf-8").partition("\n\n")[2]
    lines = (re.sub(r"^\d+\.\d+ ", "", line) for line in body.splitlines())
    return {line for line in lines if line and not line.startswith(("# ", "Guidance: "))}


def test_r9_suggested_questions_name_a_sample() -> None:
    assert 4 <= len(SAMPLE_QUESTIONS) <= 6
    names = {name for sample in SAMPLES for name in (sample.title, *sample.aliases)}
    for question in SAMPLE_QUESTIONS:
        assert any(name in question for name in names), question


def test_r9_unknown_sample_is_refused() -> None:
    unknown = Sample("absent.pdf", "Absent", "", DocumentType.COMPANY, "", SET_COLOURS[0])
    with pytest.raises(FileNotFoundError):
        sample_bytes(unknown)
