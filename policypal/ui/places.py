"""Addresses that open a document at a passage: ``?document=…&page=…&quote=…``, or ``start`` and ``end`` of it (D9, C3).

Anybody can type anything into an address. What it names is looked up with the user's rights, and what it quotes is shown
only where it stands on the page.
"""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import streamlit as st

from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.ui import state


@dataclass(frozen=True)
class Place:
    """A page of a document and perhaps a passage on it. ``page`` is 0 where the address has no usable one."""

    document_id: str
    page: int = 1
    quote: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def names_passage(self) -> bool:
        return bool(self.quote.strip()) or (self.start is not None and self.end is not None)

    def query(self) -> dict[str, str]:
        """The parameters of the documents page that open this place."""
        values = {
            state.PARAM_DOCUMENT: self.document_id, state.PARAM_PAGE: self.page, state.PARAM_QUOTE: self.quote,
            state.PARAM_START: self.start, state.PARAM_END: self.end,
        }  # fmt: skip
        return {name: str(value) for name, value in values.items() if value not in (None, "")}


def asked() -> Place:
    """The place in the address of the documents page."""
    given = st.query_params
    return Place(
        given.get(state.PARAM_DOCUMENT, ""),
        _number(given.get(state.PARAM_PAGE, "1")) or 0,
        given.get(state.PARAM_QUOTE, "")[:MAX_QUOTE_CHARACTERS],
        _number(given.get(state.PARAM_START)),
        _number(given.get(state.PARAM_END)),
    )


def go(place: Place) -> None:
    """Put a place into the address; the page that runs next shows it."""
    st.query_params.from_dict(place.query())


def turn_to(place: Place, number: int) -> None:
    """Go to another page of the same document; the passage stays behind with its page."""
    go(place if number == place.page else Place(place.document_id, number))


def address(place: Place) -> str:
    """The whole address that opens the place, as it can be sent to a colleague."""
    here = urlsplit(st.context.url or "")
    return here._replace(query=urlencode(place.query()), fragment="").geturl()


def _number(given: str | None) -> int | None:
    return int(given) if given and given.isascii() and given.isdecimal() and len(given) <= 9 else None
