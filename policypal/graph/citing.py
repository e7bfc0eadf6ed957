"""From quotes to checked citations: nothing is shown as a quotation before it was found on its page (C1, C2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.db import documents as documents_db
from policypal.domain.citations import Citation, literal, unmarked
from policypal.domain.documents import Passage, RetrievedPassage
from policypal.domain.support import Degree, JudgedSentence
from policypal.domain.web import WebPassage
from policypal.gate.evidence import Cited, cited_texts, surroundings
from policypal.gate.supported import Supported, judge, quotation, unfounded
from policypal.gate.verbatim import IN_MARKS, is_quoted
from policypal.gate.verify import QuoteCheck, QuoteStatus, clip_quote, is_heading_at, verify_over_break, verify_quote
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import Place, as_pages, as_passages
from policypal.text.headings import label_of, labels_at

NOTHING_VERIFIED = "None of these statements could be verified in the documents."


@dataclass
class Citer:
    """Collects the citations of one answer. ``passages`` are numbered from 1, as the tasks saw them; those that stand in
    ``web`` are of web pages; the text of the pages in ``ocr`` was recognised on a picture.

    ``checked`` quotes are ``verified`` in their own words, ``corrected`` to the source's, or unverified. ``judged`` holds what the gate
    said of each sentence (C2b). ``by_rules``: an engine without a model wrote them, which quotes and fills templates.
    """

    passages: Sequence[Passage]
    pages: dict[Place, str]
    web: Mapping[Place, WebPassage] = field(default_factory=dict)
    ocr: frozenset[Place] = frozenset()
    citations: list[Citation] = field(default_factory=list)
    checked: int = 0
    verified: int = 0
    corrected: int = 0
    judged: list[JudgedSentence] = field(default_factory=list)
    by_rules: bool = False

    @property
    def verified_share(self) -> float:
        """Verified and corrected quotes over all quotes and all flagged sentences, in [0, 1]; 0 where there was none."""
        return self.found / (self.checked + self.flagged) if self.checked else 0.0

    @property
    def flagged(self) -> int:
        """Sentences that what they cite does not carry."""
        return sum(sentence.degree is Degree.NOT_SUPPORTED for sentence in self.judged)

    @property
    def found(self) -> int:
        """Quotes that were found, in their own words or the source's."""
        return self.verified + self.corrected

    @property
    def lost_everything(self) -> bool:
        """Whether there were quotes, and none of them was found."""
        return self.checked > 0 and not self.citations

    @property
    def counts(self) -> dict[str, int]:
        """What the check of this answer's quotes found, for its run log (C2)."""
        return {"verified": self.verified, "corrected": self.corrected, "unverified": self.checked - self.found}

    def render(self, sentence: CitedSentence, *, must_cite: bool = False, as_text: bool = False) -> str:
        """The sentence as Markdown with its markers. The gate's verdict on it is noted in ``judged``; a sentence that is not supported
        leaves the answer when the answer is complete (:mod:`policypal.graph.agent.support`), unless it neither cites nor
        ``must_cite``. Words in quotation marks that are in none of its quotes lose them; those that keep them are shown character by
        character. ``as_text`` is for whoever escapes all of it."""
        text, found, _ = self._quoted(sentence)
        plain = self._without_false_marks(text, " ".join(c.quote for c in found))
        if not found:
            shown = unmarked(plain)
            if sentence.quotes or must_cite:
                self._note(unfounded(plain), shown, found)
            return shown
        markers = " ".join(dict.fromkeys(c.marker for c in found))
        said = unmarked(plain) if as_text else _with_literal(plain, [c.quote for c in found])
        shown = f"{said} {markers}"
        self._note(quotation(plain) if self.by_rules else judge(plain, self._cited(found)), shown, found)
        return shown

    def _note(self, supported: Supported, shown: str, found: Sequence[Citation]) -> None:
        cited = self._cited(found)
        self.judged.append(
            JudgedSentence(
                text=supported.text, degree=supported.degree, reason=supported.reason, shown=shown,
                citations=tuple(dict.fromkeys(c.id for c in found)), cited=tuple(t.text for t in cited.texts),
                passages=tuple(self._passages_around(found)) if supported.degree is not Degree.QUOTED else (),
            )
        )  # fmt: skip

    def _cited(self, found: Sequence[Citation]) -> Cited:
        """What was found, read where it stands: whole sentences with what governs them. A sentence may name its sources."""
        named = " ".join(f"{c.title} {c.version}, page {c.page}, {c.url or ''} {self._labels(c)}" for c in found)
        texts = [text for page, spans in self._places(found).values() for text in cited_texts(page, spans)]
        return Cited(tuple(texts), named)

    def _passages_around(self, found: Sequence[Citation]) -> Iterator[str]:
        for (name, _), (page, spans) in self._places(found).items():
            yield f"{name}\n{surroundings(page, spans)}"

    def _places(self, found: Sequence[Citation]) -> dict[tuple[str, Place], tuple[str, list[tuple[int, int]]]]:
        """The pages of citations, each with the spans cited on it."""
        places: dict[tuple[str, Place], tuple[str, list[tuple[int, int]]]] = {}
        for citation in found:
            place, offset = self._place_of_text(citation)
            if place is not None and citation.start is not None and citation.end is not None:
                name = f"{citation.display_title}{f', page {citation.page}' if citation.page else ''}"
                _, spans = places.setdefault((name, place), (self.pages[place], []))
                spans.append((citation.start - offset, citation.end - offset))
        return places

    def _place_of_text(self, citation: Citation) -> tuple[Place | None, int]:
        """Where the text of a citation's page is held, and how many characters of the page stand before it."""
        if citation.url is None:
            place = (citation.document_id or "", citation.page or 0)
            return (place, 0) if place in self.pages else (None, 0)
        for place, page in self.web.items():
            if page.url == citation.url and page.start <= (citation.start or 0) < page.start + len(page.text):
                return place, page.start
        return None, 0

    def _labels(self, citation: Citation) -> str:
        """The numbers of the section a citation stands in, and of its own paragraph: "Article 33 4."."""
        page = self.pages.get((citation.document_id or "", citation.page or 0), "")
        headings = (p.heading or "" for p in self.passages if _holds(p, citation))
        return " ".join(label for label in (*map(label_of, headings), *labels_at(page, citation.start or 0)) if label)

    def render_quotation(self, sentence: CitedSentence) -> str:
        """A sentence that is nothing but its quotation, with its markers: what of it was found, which is nothing where no
        word of it stands on the page."""
        text, found, lost = self._quoted(sentence)
        if not found:
            return ""
        if lost:
            text = f"“{' […] '.join(' '.join(c.quote.split()) for c in found)}”"
        shown = f"{_with_literal(text, [c.quote for c in found])} {' '.join(dict.fromkeys(c.marker for c in found))}"
        self._note(quotation(text), shown, found)
        return shown

    def _quoted(self, sentence: CitedSentence) -> tuple[str, list[Citation], int]:
        """The sentence with the source's words for its quotes, their citations, and how many quotes are absent."""
        text, found, lost = sentence.text, list[Citation](), 0
        for quote in sentence.quotes:
            citations = self.cite_parts(quote)
            lost += not citations
            found += citations
            text = _replaced(text, quote.text, " ".join(c.quote for c in citations))
        return text, found, lost

    def _without_false_marks(self, text: str, quotes: str) -> str:
        labels = {p.document_label.lower() for p in self.passages} | {p.document_title.lower() for p in self.passages}

        def marked(match: re.Match[str]) -> str:
            inner = match[1] or match[2]
            return match[0] if inner.lower() in labels or is_quoted(inner, quotes) else inner

        return IN_MARKS.sub(marked, text)

    def document_of(self, quote: Quote) -> str | None:
        """The id of the document a quote claims to be of; None where there is no passage of that number."""
        return self.passages[quote.evidence - 1].document_id if 1 <= quote.evidence <= len(self.passages) else None

    def cite(self, quote: Quote) -> Citation | None:
        """The checked citation of a quote, its first part where it runs over a page break; None if its words are not on
        the page, or are only a heading."""
        return next(iter(self.cite_parts(quote)), None)

    def cite_parts(self, quote: Quote) -> list[Citation]:
        """The checked citations of a quote: one, or one per page where it runs over a page break; none if absent."""
        if not 1 <= quote.evidence <= len(self.passages):
            self.checked += 1
            return []
        return self._cite(self.passages[quote.evidence - 1], quote.text)

    def cite_passage(self, passage: Passage, text: str) -> Citation | None:
        """The same for words of a passage no task saw; its page is among ``pages``."""
        return next(iter(self._cite(passage, text)), None)

    def cite_stretch(self, number: int, start: int, end: int) -> Citation:
        """The citation of a stretch of a passage's text, of which the first 300 characters are the quote: the page's own words, which
        nobody wrote down in between."""
        passage = self.passages[number - 1]
        words = clip_quote(passage.text[start:end])
        self.checked += 1
        self.verified += 1
        at = passage.start + start
        return self._citation(passage, passage.page, QuoteCheck(QuoteStatus.EXACT, words, at, at + len(words)))

    def _cite(self, passage: Passage, text: str) -> list[Citation]:
        self.checked += 1
        passage, checks = _checks(text, passage, self.passages, self.pages)
        drifted = any(check.status is QuoteStatus.DRIFTED for _, check in checks)
        self.corrected += bool(checks) and drifted
        self.verified += bool(checks) and not drifted
        return [self._citation(passage, page, check) for page, check in checks]

    def _citation(self, passage: Passage, page: int, check: QuoteCheck) -> Citation:
        number = len(self.citations) + 1
        web = self.web.get((passage.document_id, page))
        is_ocr = (passage.document_id, page) in self.ocr
        made = _of_document(number, passage, page, check, is_ocr) if web is None else _of_web_page(number, web, check)
        for known in self.citations:
            if _place_of(known) == _place_of(made):
                return known
        self.citations.append(made)
        return made


def _of_document(number: int, passage: Passage, page: int, check: QuoteCheck, is_ocr: bool) -> Citation:
    return Citation(
        id=number, title=passage.document_title, version=passage.document_version, page=page, quote=check.text,
        verified=True, document_id=passage.document_id, start=check.start, end=check.end, is_ocr=is_ocr,
    )  # fmt: skip


def _of_web_page(number: int, page: WebPassage, check: QuoteCheck) -> Citation:
    """A web page's version is the day it was published; offsets are into its harvested text."""
    start, end = (None if at is None else page.start + at for at in (check.start, check.end))
    return Citation(
        id=number, source_type="web", title=page.title, version=page.published, url=page.url, quote=check.text,
        verified=True, start=start, end=end,
    )  # fmt: skip


def _holds(passage: Passage, citation: Citation) -> bool:
    is_there = (passage.document_id, passage.page) == (citation.document_id, citation.page)
    return is_there and passage.start <= (citation.start or 0) < passage.end


def _place_of(citation: Citation) -> tuple[str | None, int | None, int | None, int | None]:
    return citation.document_id or citation.url, citation.page, citation.start, citation.end


def _replaced(text: str, claimed: str, shown: str) -> str:
    """``text`` with the ``shown`` words in place of the ``claimed`` ones; without quotation marks where nothing is shown."""
    shown = " ".join(shown.split())
    for words in dict.fromkeys((claimed, " ".join(claimed.split()))):
        if not shown:
            text = text.replace(f"“{words}”", words).replace(f'"{words}"', words)
        elif " ".join(words.split()) != shown:
            text = text.replace(words, shown)
    return text


def _with_literal(text: str, quotes: Sequence[str]) -> str:
    """``text`` for an answer's Markdown: what it quotes, in quotation marks or not, is shown as it stands on its page."""
    longest_first = sorted({quote for quote in quotes if quote.split()}, key=len, reverse=True)
    spelled = (r"\s+".join(map(re.escape, quote.split())) for quote in longest_first)
    either = [*(f'[“"]?{words}[”"]?' for words in spelled), IN_MARKS.pattern]
    return unmarked(re.sub("|".join(either), lambda found: literal(found[0]), text))


def check_quote(text: str, passage: Passage, pages: dict[Place, str], *, drift: bool = True) -> QuoteCheck | None:
    """Where a quote stands on its passage's page; None if it does not, or if it is a heading, which supports nothing. Without
    ``drift`` only its own words are found."""
    page = pages.get((passage.document_id, passage.page), "")
    # the passage's own place first: the same words may stand twice on a page
    check = verify_quote(clip_quote(text), page, near=(passage.start, passage.end), drift=drift)
    if check.start is None or check.end is None or is_heading_at(page, check.start, check.end):
        return None
    return check


def find_quote(
    text: str, passage: Passage, passages: Sequence[Passage], pages: dict[Place, str]
) -> tuple[Passage, QuoteCheck] | None:
    """The passage a quote stands in: the one named, or the one of the same document that has its very words; words like
    them in the one named come last (C2)."""
    check = check_quote(text, passage, pages)
    if check is None or check.status is QuoteStatus.DRIFTED:
        elsewhere = {p.page: p for p in reversed(passages) if p.document_id == passage.document_id}
        for page in sorted(elsewhere.keys() - {passage.page}):
            if exact := check_quote(text, elsewhere[page], pages, drift=False):
                return elsewhere[page], exact
    return (passage, check) if check else None


def _checks(
    text: str, passage: Passage, passages: Sequence[Passage], pages: dict[Place, str]
) -> tuple[Passage, list[tuple[int, QuoteCheck]]]:
    """The passage a quote stands in and its parts with the pages they stand on."""
    check = check_quote(text, passage, pages)
    if check is None or check.status is QuoteStatus.DRIFTED:
        for first in (passage.page, passage.page - 1):
            if halves := _over_break(clip_quote(text), passage.document_id, first, pages):
                return passage, [(first, halves[0]), (first + 1, halves[1])]
        found = find_quote(text, passage, passages, pages)
        return (found[0], [(found[0].page, found[1])]) if found else (passage, [])
    return passage, [(passage.page, check)]


def _over_break(
    text: str, document_id: str, first: int, pages: dict[Place, str]
) -> tuple[QuoteCheck, QuoteCheck] | None:
    page, following = pages.get((document_id, first)), pages.get((document_id, first + 1))
    return verify_over_break(text, page, following) if page and following else None


def load_pages(context: NodeContext, passages: Sequence[Passage]) -> dict[Place, str]:
    """The stored texts of the passages' pages and of the pages before and after them, for quotes over a page break."""
    return documents_db.load_page_texts(context.services.db, context.run.user_id, sorted(set(_places(passages))))


def _places(passages: Sequence[Passage]) -> Iterator[Place]:
    for passage in passages:
        for page in (passage.page - 1, passage.page, passage.page + 1):
            if page > 0:
                yield passage.document_id, page


def citer_for(context: NodeContext, passages: Sequence[Passage], web: Sequence[WebPassage] = ()) -> Citer:
    """A citer for the passages of documents and, numbered on from there, those of ``web`` pages."""
    pages = as_pages(web)
    texts = {place: page.text for place, page in pages.items()}
    held = {**load_pages(context, passages), **texts}
    known = [*passages, *as_passages(pages)]
    return Citer(known, held, pages, context.run.ocr_pages, by_rules=context.services.by_rules)


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
            coverage=h.coverage,
            provision=h.passage.ordinal if h.passage.kinds else 0,
            start=h.passage.start,
            label=h.passage.label,
            introduction=h.passage.introduction,
            kinds=sorted(h.passage.kinds),
        )
        for n, h in enumerate(hits, 1)
    ]
