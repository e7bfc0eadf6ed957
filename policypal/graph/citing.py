"""From sentences that cite to checked citations: every quotation is a stretch of its page, whoever cites it (C1, C2, C2b)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from policypal.answer.evidence import CitedSentence, Evidence
from policypal.db import documents as documents_db
from policypal.domain.citations import Citation, literal, unmarked
from policypal.domain.documents import Passage, RetrievedPassage
from policypal.domain.support import Degree, JudgedSentence, placed
from policypal.domain.web import WebPassage
from policypal.gate.absence import found_after_all, said_absent
from policypal.gate.evidence import Cited, cited_texts, surroundings
from policypal.gate.numbering import Span, parts_of, span_of, whole_sentences
from policypal.gate.quotable import clip_quote
from policypal.gate.supported import CITES_NOTHING, CITES_UNKNOWN, Supported, completed, quotation, searched, unfounded
from policypal.gate.verbatim import IN_MARKS, find_words, is_quoted, page_text
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import Place, as_pages, as_passages
from policypal.text.headings import label_of, labels_at

_Sentence = TypeVar("_Sentence", bound=CitedSentence)

NOTHING_VERIFIED = "None of these statements could be verified in the documents."


@dataclass
class Citer:
    """Collects the citations of one answer. ``passages`` are numbered from 1, as the tasks saw them; those that stand in
    ``web`` are of web pages; the text of the pages in ``ocr`` was recognised on a picture.

    Of all ``checked`` citations so many are ``verified``: the sentence of that number exists, the words stand on their page. ``judged``
    holds what the gate said of each sentence (C2b). ``by_rules``: an engine without a model wrote them, which quotes and fills
    templates. ``is_placed``: what is rendered keeps its place in ``judged``, for the gate at the end of the turn.
    """

    passages: Sequence[Passage]
    pages: dict[Place, str]
    web: Mapping[Place, WebPassage] = field(default_factory=dict)
    ocr: frozenset[Place] = frozenset()
    citations: list[Citation] = field(default_factory=list)
    checked: int = 0
    verified: int = 0
    judged: list[JudgedSentence] = field(default_factory=list)
    by_rules: bool = False
    is_placed: bool = False
    search: Callable[[str, Sequence[str]], Sequence[RetrievedPassage]] | None = None
    """Looks for words in the documents of these ids, in all that the turn reads where there are none."""

    def blank(self) -> Citer:
        """A citer of the same sources without citations, for a draft that is shown while it is written."""
        return replace(self, citations=[], checked=0, verified=0, judged=[], is_placed=False)

    @property
    def verified_share(self) -> float:
        """Verified citations over all citations and all flagged sentences, in [0, 1]; 0 where there was none."""
        return self.verified / (self.checked + self.flagged) if self.checked else 0.0

    @property
    def flagged(self) -> int:
        """Sentences that what they cite does not carry."""
        return sum(sentence.degree is Degree.NOT_SUPPORTED for sentence in self.judged)

    @property
    def lost_everything(self) -> bool:
        """Whether there were citations, and none of them was verified."""
        return self.checked > 0 and not self.citations

    @property
    def counts(self) -> dict[str, int]:
        """What the check of this answer's citations found, for its run log (C2)."""
        return {"verified": self.verified, "unverified": self.checked - self.verified}

    def render(self, sentence: CitedSentence, *, must_cite: bool = False, as_text: bool = False) -> str:
        """The sentence as Markdown with its markers. The gate's verdict on it is noted in ``judged``; a sentence that is not supported
        leaves the answer when the answer is complete (:mod:`policypal.graph.agent.support`), unless it neither cites nor
        ``must_cite``. Words in quotation marks that are in nothing it cites lose them; those that keep them are shown character by
        character. ``as_text`` is for whoever escapes all of it."""
        text, found = self._cited_by(sentence)
        words = [self.words_of(c) for c in found]
        plain = self._without_false_marks(text, " ".join(words))
        if (absence := self.absence(plain, found)) is not None:
            shown = " ".join([unmarked(absence.text), *(c.marker for c in found)])
            return self._note(absence, shown, found, as_text, is_read=False)
        if not found:
            if not sentence.rests_on and not must_cite:
                return unmarked(plain)
            lacking = unfounded(plain, CITES_UNKNOWN if sentence.cites else CITES_NOTHING)
            return self._note(lacking, unmarked(plain), found, as_text)
        markers = " ".join(c.marker for c in found)
        supported = quotation(plain) if self.by_rules else completed(plain, self._cited(found))
        plain = supported.text
        said = unmarked(plain) if as_text else _with_literal(plain, [*words, *(c.quote for c in found)])
        return self._note(supported, f"{said} {markers}", found, as_text)

    def absence(self, said: str, found: Sequence[Citation]) -> Supported | None:
        """A statement that the documents do not say something, after a search; None where it is no such statement (C2b)."""
        documents = list(dict.fromkeys(c.document_id for c in found if c.document_id))
        what = said_absent(said) if bool(documents) == bool(found) else ""
        if not what or self.search is None:
            return None
        hits = [hit.passage for hit in self.search(what, documents)]
        after_all = found_after_all(what, [p.text for p in hits], [t.text for t in self._cited(found).texts])
        if after_all is None:
            return searched(said)
        place = hits[after_all[0]]
        return searched(said, clip_quote(after_all[1]), f"{place.document_label}, page {place.page}")

    def _note(
        self, supported: Supported, shown: str, found: Sequence[Citation], as_text: bool, *, is_read: bool = True
    ) -> str:
        """Note a verdict; ``is_read``: a model may read the statement again beside what it cites."""
        cited = self._cited(found if is_read else [])
        self.judged.append(
            JudgedSentence(
                text=supported.text, degree=supported.degree, reason=supported.reason, shown=shown,
                citations=tuple(c.id for c in found), cited=tuple(t.text for t in cited.texts),
                passages=tuple(self.passages_around(found)) if supported.degree is not Degree.QUOTED else (),
            )
        )  # fmt: skip
        return placed(len(self.judged) - 1, shown) if self.is_placed and not as_text else shown

    def _cited(self, found: Sequence[Citation]) -> Cited:
        """What was found, read where it stands: whole sentences with what governs them. A sentence may name its sources."""
        named = " ".join(f"{c.title} {c.version}, page {c.page}, {c.url or ''} {self._labels(c)}" for c in found)
        texts = [text for page, spans in self._places(found).values() for text in cited_texts(page, spans)]
        return Cited(tuple(texts), named)

    def passages_around(self, found: Sequence[Citation]) -> Iterator[str]:
        """The stretches of pages around citations, each below a line with its place."""
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

    def label_of(self, citation: Citation) -> str:
        """The number of the provision that a citation stands in; "" where it has none."""
        return next((p.label for p in self.passages if p.label and _holds(p, citation)), "")

    def render_quotation(self, sentence: CitedSentence) -> str:
        """A sentence that is nothing but its quotation, with its markers; nothing where no word of it stands on the page."""
        text, found = self._cited_by(sentence)
        if not found:
            return ""
        markers = " ".join(c.marker for c in found)
        shown = f"{_with_literal(text, [c.quote for c in found])} {markers}"
        return self._note(quotation(text), shown, found, as_text=False)

    def _cited_by(self, sentence: CitedSentence) -> tuple[str, list[Citation]]:
        """The sentence with the page's words for those it quotes, and its citations, each once."""
        text, found = sentence.text, [self.cite_number(number) for number in dict.fromkeys(sentence.cites)]
        for quote in sentence.quotes:
            is_known = 1 <= quote.evidence <= len(self.passages)
            citation = self.cite_words(self.passages[quote.evidence - 1], quote.text) if is_known else None
            found.append(citation)
            text = _replaced(text, quote.text, self.words_of(citation) if citation else "")
        return text, list({c.id: c for c in found if c is not None}.values())

    def _without_false_marks(self, text: str, quotes: str) -> str:
        labels = {p.document_label.lower() for p in self.passages} | {p.document_title.lower() for p in self.passages}

        def marked(match: re.Match[str]) -> str:
            inner = match[1] or match[2]
            return match[0] if inner.lower() in labels or is_quoted(inner, quotes) else inner

        return IN_MARKS.sub(marked, text)

    def words_of(self, citation: Citation) -> str:
        """All that is cited; a citation itself holds what fits a card."""
        place, offset = self._place_of_text(citation)
        if place is None or citation.start is None or citation.end is None:
            return citation.quote
        return self.pages[place][citation.start - offset : citation.end - offset]

    def of_document(self, sentence: _Sentence, document_id: str) -> _Sentence:
        """The sentence with what it cites of one document only (A3)."""
        own = [n for n, p in enumerate(self.passages, 1) if p.document_id == document_id]
        cites = [c for c in sentence.cites if parts_of(c)[0] in own]
        return sentence.model_copy(update={"cites": cites, "quotes": [q for q in sentence.quotes if q.evidence in own]})

    def document_of(self, sentence: CitedSentence) -> str | None:
        """The id of the first document a sentence cites; None where it cites none."""
        numbers = (n for n in sentence.rests_on if 1 <= n <= len(self.passages))
        return next((self.passages[n - 1].document_id for n in numbers), None)

    def cite_number(self, number: str) -> Citation | None:
        """The citation of a numbered sentence, whole as it stands on its page; None where no sentence has the number (C2)."""
        self.checked += 1
        at, sentence = parts_of(number)
        passage = self.passages[at - 1] if 1 <= at <= len(self.passages) else None
        if passage is None or not passage.id:  # a clause, which no model was shown
            return None
        page, span = self.pages.get((passage.document_id, passage.page), ""), span_of(sentence, passage.text)
        if not page or span is None:  # its document was deleted meanwhile; there is no such sentence
            return None
        return self._verified(passage, whole_sentences(page, (passage.start + span[0], passage.start + span[1])))

    def cite_words(self, passage: Passage, words: str) -> Citation | None:
        """The citation of words that code took from a passage; None where its page does not have them. Of words that run over the end of
        the page, what stands on it."""
        self.checked += 1
        page, near = self.pages.get((passage.document_id, passage.page), ""), (passage.start, passage.end)
        span = find_words(words, page, near) or find_words(clip_quote(words), page, near)
        if span is None and page[slice(*near)].strip() and any(page_text(passage.text).same_words(words)):
            span = near
        return self._verified(passage, span) if span else None

    def cite_stretch(self, number: int, start: int, end: int) -> Citation:
        """The citation of a stretch of a passage's text, which nobody wrote down in between."""
        self.checked += 1
        passage = self.passages[number - 1]
        return self._verified(passage, (passage.start + start, passage.start + end), passage.text[start:end])

    def _verified(self, passage: Passage, span: Span, words: str = "") -> Citation:
        """A citation of a stretch of a passage's page, of which the first 300 characters are shown; the one of the same place, if it has
        one already."""
        self.verified += 1
        number, place = len(self.citations) + 1, (passage.document_id, passage.page)
        words = clip_quote(words or self.pages[place][slice(*span)])
        web = self.web.get(place)
        made = (
            _of_document(number, passage, span, words, is_ocr=place in self.ocr)
            if web is None
            else _of_web_page(number, web, span, words)
        )
        known = next((c for c in self.citations if _place_of(c) == _place_of(made)), None)
        if known is None:
            self.citations.append(made)
        return known or made


def _of_document(number: int, passage: Passage, span: Span, words: str, *, is_ocr: bool) -> Citation:
    return Citation(
        id=number, title=passage.document_title, version=passage.document_version, page=passage.page, quote=words,
        verified=True, document_id=passage.document_id, start=span[0], end=span[1], is_ocr=is_ocr,
    )  # fmt: skip


def _of_web_page(number: int, page: WebPassage, span: Span, words: str) -> Citation:
    """A web page's version is the day it was published; offsets are into its harvested text."""
    return Citation(
        id=number, source_type="web", title=page.title, version=page.published, url=page.url, quote=words,
        verified=True, start=page.start + span[0], end=page.start + span[1],
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


def load_pages(context: NodeContext, passages: Sequence[Passage]) -> dict[Place, str]:
    """The stored texts of the passages' pages."""
    places = sorted({(p.document_id, p.page) for p in passages})
    return documents_db.load_page_texts(context.services.db, context.run.user_id, places)


def citer_for(
    context: NodeContext,
    passages: Sequence[Passage],
    web: Sequence[WebPassage] = (),
    scope: Sequence[str] | None = None,
) -> Citer:
    """A citer for the passages of documents and, numbered on from there, those of ``web`` pages. What is said to be absent is looked for in the
    documents of ``scope``, by default those of the passages."""
    pages = as_pages(web)
    texts = {place: page.text for place, page in pages.items()}
    held = {**load_pages(context, passages), **texts}
    known = [*passages, *as_passages(pages)]
    own = list(dict.fromkeys(p.document_id for p in passages)) if scope is None else scope

    def search(words: str, documents: Sequence[str]) -> list[RetrievedPassage]:
        found = context.services.search.find(context.run.user_id, words, document_ids=documents or own or None)
        context.run.check_stop()
        return found

    by_rules = context.services.by_rules
    return Citer(
        known, held, pages, context.run.ocr_pages, by_rules=by_rules, is_placed=True,
        search=search if context.run.library and not by_rules else None,
    )  # fmt: skip


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
            scope=h.passage.scope,
            kinds=sorted(h.passage.kinds),
        )
        for n, h in enumerate(hits, 1)
    ]
