"""A document opened: its pages as pictures and as text, its page list, words found in it (D9)."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from policypal.application import library
from policypal.application.container import Container
from policypal.db import documents as documents_db
from policypal.db import pages as pages_db
from policypal.db import provisions as provisions_db
from policypal.domain.documents import Document
from policypal.domain.identifiers import uuids
from policypal.domain.provisions import Provision
from policypal.domain.reading import Hits, OpenPage, OutlineEntry, PageEntry, PageImage
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from policypal.gate import verbatim
from policypal.ingest.pages import around_passage
from policypal.ingest.sniff import PDF
from policypal.search.provisions import provisions_named
from policypal.text.numbering import chosen_labels

MAX_SEARCHED_CHARACTERS = 200
PAGE_WIDTH = 900
"""Pixels: an A4 page whose small print can be read."""


def page_image(
    app: Container, user: User, document_id: str, page: int, quote: str | None = None, *, depth: float = 0.0,
    width: int = PAGE_WIDTH, around: bool = False,
) -> PageImage:  # fmt: skip
    """The page as a picture, ``width`` pixels wide, with ``quote`` highlighted where it stands (D9); of several
    places the one nearest to ``depth``, a share of the page's text; ``around``: only the part of the page around it. Raises NotFound: no such document or page, or
    its format has no pages to draw."""
    document = library.get_document(app, user, document_id)
    image = app.ingestion.page_image(user.id, document, page, quote, depth=depth, width=width)
    return around_passage(image) if around else image


def has_pictures(document: Document) -> bool:
    """Whether the format of the document has pages to draw."""
    return document.media_type == PDF


def open_page(
    app: Container, user: User, document_id: str, page: int, *, quote: str = "", start: int | None = None,
    end: int | None = None,
) -> OpenPage:  # fmt: skip
    """The stored text of a page, and where on it ``quote`` stands, or what is between ``start`` and ``end``. Raises
    NotFound: no such document or page."""
    library.get_document(app, user, document_id)
    texts = documents_db.load_page_texts(app.db, user.id, [(document_id, page)])
    if (document_id, page) not in texts:
        raise NotFound("This page is not in the document.")
    stored = texts[document_id, page]
    return OpenPage(page, stored, passage_span(stored, quote, start, end))


def page_list(app: Container, user: User, document_id: str) -> list[PageEntry]:
    """Every page with what it begins with. Raises NotFound: no such document."""
    library.get_document(app, user, document_id)
    return pages_db.page_entries(app.db, user.id, document_id)


def outline(app: Container, user: User, document_id: str) -> list[OutlineEntry]:
    """The headings above the document's provisions, in reading order (D11). Raises NotFound: no such document."""
    library.get_document(app, user, document_id)
    found: list[OutlineEntry] = []
    above: list[str] = []
    for headings, page, duties in provisions_db.headings_of(app.db, user.id, document_id):
        known = next(
            (n for n, (a, b) in enumerate(zip(above, headings, strict=False)) if a != b), min(len(above), len(headings))
        )
        found += [
            OutlineEntry(title, depth, page, duties if depth + 1 == len(headings) else 0)
            for depth, title in enumerate(headings) if depth >= known
        ]  # fmt: skip
        above = headings
    return found


def search(app: Container, user: User, document_id: str, words: str, *, first: int = 0, size: int = 20) -> Hits:
    """Where ``words`` stand in the document, in reading order, from the place number ``first`` on; case and white space
    do not matter. Raises NotFound: no such document; InvalidInput: more than 200 characters."""
    library.get_document(app, user, document_id)
    wanted = storable(words).strip()
    if len(wanted) > MAX_SEARCHED_CHARACTERS:
        raise InvalidInput(f"Please search for at most {MAX_SEARCHED_CHARACTERS} characters.")
    counts = pages_db.hits_per_page(app.db, user.id, document_id, wanted) if wanted else []
    places = list(islice(_places(counts), first, first + size))
    shown = pages_db.load_hits(app.db, user.id, document_id, wanted, places) if places else []
    return Hits(sum(n for _, n in counts), len(counts), tuple(shown))


def missing(app: Container, user: User, document_ids: Collection[str]) -> set[str]:
    """Which of the documents are not in the library (any more): what was quoted from them stays, its source is gone (D10)."""
    wanted = uuids(document_ids)
    found = {d.id for d in library.list_documents(app, user, ids=wanted)} if wanted else set()
    return set(document_ids) - found


def reference(app: Container, user: User, document_id: str, provision: Provision) -> str:
    """The number by which a question names this provision in its document: "4.3", "paragraph 36"; "" where no number leads to it.
    Raises NotFound: no such document."""
    document = library.get_document(app, user, document_id)
    for said in (provision.label, f"paragraph {provision.label}") if provision.label else ():
        for asked in chosen_labels(f"{said}:"):
            parts = provisions_named(app.db, user.id, asked, {document.id: document}, [document.id])
            if any(part.ordinal == provision.ordinal for part in parts):
                return said
    return ""


def passage_span(
    text: str, quote: str = "", start: int | None = None, end: int | None = None
) -> tuple[int, int] | None:
    """Where on a page a passage stands: the place of ``quote`` that is nearest to ``start``; without a quote, what the
    offsets say. None if it does not stand there."""
    wanted = quote.strip(" “”\"'…")
    if wanted:
        page = verbatim.page_text(text)
        found = [*page.same_letters(wanted)] or [*page.same_words(wanted)]
        return min(found, key=lambda span: abs(span[0] - (start or 0)), default=None)
    if start is not None and end is not None and 0 <= start < end <= len(text):
        return start, end
    return None


def _places(counts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for page, number in counts:
        yield from ((page, nth) for nth in range(1, number + 1))
