"""From quotes to checked citations: nothing is shown as a quotation before it was found on its page (C1, C2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from policypal.db import documents as documents_db
from policypal.domain.citations import Citation
from policypal.domain.documents import Passage, RetrievedPassage
from policypal.graph.agent.context import NodeContext
from policypal.services.llm.tasks.evidence import CitedSentence, Evidence, Quote
from policypal.services.verify import QuoteCheck, check_sentence, clip_quote, is_heading_only, verify_quote

FLAG = " ⚠️ *not fully supported by its quotation*"
UNSUPPORTED = " ⚠️ *unverified: no matching passage was found*"


@dataclass
class Citer:
    """Collects the citations of one answer. ``passages`` are numbered from 1, as the tasks saw them."""

    passages: Sequence[Passage]
    pages: dict[tuple[str, int], str]
    citations: list[Citation] = field(default_factory=list)
    checked: int = 0
    verified: int = 0

    @property
    def verified_share(self) -> float:
        """Verified quotes over all quotes, in [0, 1]; 0 where there was none."""
        return self.verified / self.checked if self.checked else 0.0

    def render(self, sentence: CitedSentence) -> str:
        """The sentence as Markdown with its markers; flagged where its quotes do not carry it."""
        found: list[Citation] = []
        text = sentence.text
        for quote in sentence.quotes:
            citation = self.cite(quote)
            if citation is None:
                text = text.replace(f"“{quote.text}”", quote.text).replace(f'"{quote.text}"', quote.text)
            else:
                found.append(citation)
                text = text.replace(quote.text, citation.quote) if quote.text != citation.quote else text
        if not sentence.quotes:
            return text
        if not found:
            return text + UNSUPPORTED
        markers = " ".join(dict.fromkeys(c.marker for c in found))
        # a sentence may name its source: the numbers of "Rulebook (2023), page 4" need no quotation
        sources = [f"{c.title} {c.version}, page {c.page}" for c in found]
        missing = check_sentence(text, [*(c.quote for c in found), *sources])
        return f"{text} {markers}{FLAG if missing else ''}"

    def cite(self, quote: Quote) -> Citation | None:
        """The checked citation of a quote; None if its words are not on the page, or are only a heading."""
        self.checked += 1
        if not 1 <= quote.evidence <= len(self.passages):
            return None
        passage = self.passages[quote.evidence - 1]
        check = check_quote(quote.text, passage, self.pages)
        if check is None:
            return None
        self.verified += 1
        for known in self.citations:
            if (known.document_id, known.page, known.start, known.end) == (
                passage.document_id, passage.page, check.start, check.end,
            ):  # fmt: skip
                return known
        citation = Citation(
            id=len(self.citations) + 1,
            title=passage.document_title,
            version=passage.document_version,
            page=passage.page,
            quote=check.text,
            verified=True,
            document_id=passage.document_id,
            start=check.start,
            end=check.end,
        )
        self.citations.append(citation)
        return citation


def check_quote(text: str, passage: Passage, pages: dict[tuple[str, int], str]) -> QuoteCheck | None:
    """Where a quote stands on its passage's page; None if it does not, or if it is a heading, which supports nothing."""
    page = pages.get((passage.document_id, passage.page), "")
    # the passage's own place first: the same words may stand twice on a page
    inside = verify_quote(clip_quote(text), page[passage.start : passage.end])
    if inside.status.verified and inside.start is not None and inside.end is not None:
        check = QuoteCheck(inside.status, inside.text, inside.start + passage.start, inside.end + passage.start)
    else:
        check = verify_quote(clip_quote(text), page)
    return None if not check.status.verified or is_heading_only(check.text) else check


def load_pages(context: NodeContext, passages: Sequence[Passage]) -> dict[tuple[str, int], str]:
    """The stored texts of the passages' pages."""
    wanted = sorted({(p.document_id, p.page) for p in passages})
    return documents_db.load_page_texts(context.services.db, context.run.user_id, wanted)


def citer_for(context: NodeContext, passages: Sequence[Passage]) -> Citer:
    return Citer(passages, load_pages(context, passages))


def numbered_evidence(hits: Sequence[RetrievedPassage]) -> list[Evidence]:
    """Passages as the tasks see them, numbered from 1."""
    return [
        Evidence(
            number=n,
            document=h.passage.document_label,
            page=h.passage.page,
            heading=h.passage.heading,
            text=h.passage.text,
            similarity=h.similarity,
            score=h.score,
        )
        for n, h in enumerate(hits, 1)
    ]
