"""A comparison: one row per aspect, one cell per document, each quoted from its own (A3)."""

from pydantic import BaseModel, Field

from policypal.answer.evidence import CitedSentence, EachOnce

SILENT = "No corresponding passage found"
"""The text of a cell whose document says nothing on the aspect."""


class ComparisonRow(BaseModel):
    """One aspect; ``cells`` in ``titles`` order, each citing sentences of its own document, none where it is silent."""

    aspect: str
    cells: list[CitedSentence]
    differs: bool


class Comparison(BaseModel):
    """``unrelated``: the documents have no subject in common, and the overview says so."""

    overview: EachOnce[CitedSentence] = Field(default_factory=list)
    rows: EachOnce[ComparisonRow] = Field(default_factory=list)
    unique: EachOnce[CitedSentence] = Field(default_factory=list)
    implications: EachOnce[CitedSentence] = Field(default_factory=list)
    unrelated: bool = False
