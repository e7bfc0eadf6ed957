"""Provisions: what a document says, sentence by sentence, with whom it binds (D11, D12)."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a sentence of a provision is."""

    OBLIGATION = "obligation"
    PROHIBITION = "prohibition"
    RECOMMENDATION = "recommendation"
    PERMISSION = "permission"
    DEFINITION = "definition"
    RECITAL = "recital"
    EXAMPLE = "example"
    REFERENCE = "reference"
    HEADING = "heading"
    TABLE = "table"
    STATEMENT = "statement"

    @property
    def binds(self) -> bool:
        """Whether somebody must do, or must not do, something."""
        return self in (Kind.OBLIGATION, Kind.PROHIBITION)


@dataclass(frozen=True, slots=True)
class Limit:
    """A deadline, frequency, amount or bounded figure a sentence sets, in its own ``text`` ("24 hours"). ``value`` is in days for
    durations and between occurrences, else in its ``unit``; ``bound`` is "at most", "at least", "above", "below" or "" where the text
    states none; ``measures`` are the words it belongs to ("report a serious incident")."""

    text: str
    kind: str
    value: float
    unit: str
    bound: str = ""
    measures: str = ""

    @property
    def words(self) -> str:
        """The limit with its bound: "at most 24 hours"."""
        return f"{self.bound} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class ProvisionSentence:
    """One sentence, list item or table row: ``text == page.text[start:end]``, offsets in code points. ``number`` counts from 1
    within its provision. ``introduction`` are the words that govern a list item; ``introduces`` says that it governs items itself.
    ``party`` is whom it binds, as the text names it, "" where nobody is named."""

    number: int
    page: int
    start: int
    end: int
    text: str
    kind: Kind
    introduction: str = ""
    introduces: bool = False
    party: str = ""

    @property
    def full(self) -> str:
        """The sentence with the introduction it belongs to."""
        return f"{self.introduction} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Provision:
    """A numbered paragraph, a control, or what stands under a heading. ``ordinal`` counts from 1 through the document; ``label`` is how
    one cites it ("Art. 33(1)", "AU-11"), "" where it has no number; ``headings`` lead to it, outermost first."""

    ordinal: int
    label: str
    headings: tuple[str, ...]
    page: int
    sentences: tuple[ProvisionSentence, ...]
