"""Accepted wordings as tracked changes in a Word document (A10)."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from docx import Document

from policypal.compare.redline.wording import redline
from policypal.export.tracked import Edit, redline_document, tracked_copy
from policypal.ingest.word import read_docx

AT = datetime(2026, 11, 23, tzinfo=UTC)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def _policy() -> bytes:
    document = Document()
    document.add_heading("Our policy", level=1)
    paragraph = document.add_paragraph("Records are kept for ", style="List Number")
    paragraph.add_run("five").bold = True
    paragraph.add_run(" years.\tThen they are destroyed.")
    document.add_paragraph("Complaints are answered within 25 days.")
    cell = document.add_table(rows=1, cols=1).cell(0, 0)
    cell.text = "Staff must not share passwords."
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _texts(data: bytes, *, accept: bool) -> list[str]:
    """The paragraphs as Word shows them once all changes are accepted, or rejected."""
    body = Document(io.BytesIO(data)).element.body
    gone, found = f"{_W}{'del' if accept else 'ins'}", []
    for paragraph in body.iter(f"{_W}p"):
        if not accept and paragraph.find(f"{_W}pPr/{_W}rPr/{_W}ins") is not None:
            continue
        pieces: list[str] = []
        for element in paragraph.iter(f"{_W}t", f"{_W}delText", f"{_W}tab"):
            if next(element.iterancestors(gone), None) is None and element.getparent().tag == f"{_W}r":
                pieces.append("\t" if element.tag == f"{_W}tab" else element.text or "")
        found.append("".join(pieces))
    return found


def _tracked(*edits: Edit) -> tuple[bytes, list[Edit]]:
    return tracked_copy(_policy(), edits, redline, author="Ada", at=AT)


def test_a10_only_the_words_that_differ_are_changed_and_both_ways_lead_to_a_whole_text() -> None:
    made, left_out = _tracked(
        Edit("1 Records are kept for five years.", "1 Records are kept for at least seven years."),
        Edit("Complaints are answered within 25 days.", "Complaints of customers are answered within 15 days."),
        Edit("Staff must not share passwords.", "Staff must not share or write down passwords."),
    )  # fmt: skip
    assert left_out == []
    before = _texts(_policy(), accept=True)
    assert _texts(made, accept=False) == before, "rejected, nothing has happened"
    assert _texts(made, accept=True) == [
        before[0], "Records are kept for at least seven years.\tThen they are destroyed.",
        "Complaints of customers are answered within 15 days.", "Staff must not share or write down passwords.",
    ]  # fmt: skip
    body: Any = Document(io.BytesIO(made)).element.body
    removed = [r.xpath("string()") for r in body.iter(f"{_W}del")]
    assert removed == ["five", "25"], "no more than the words that differ"
    (five,) = [r for r in body.iter(f"{_W}r") if r.xpath("string()") == "five"]
    assert five.find(f"{_W}rPr/{_W}b") is not None, "what is changed keeps its formatting"
    numbers = [m.get(f"{_W}id") for m in body.iter(f"{_W}ins", f"{_W}del")]
    assert len(set(numbers)) == len(numbers) and {m.get(f"{_W}author") for m in body.iter(f"{_W}ins")} == {"Ada"}


def test_a10_the_same_wording_asked_for_by_two_rules_is_one_change() -> None:
    wanted = Edit("Complaints are answered within 25 days.", "Complaints are answered within 15 days.")
    made, left_out = _tracked(wanted, wanted)
    assert (left_out, list(Document(io.BytesIO(made)).comments)) == ([], [])


def test_a10_what_is_missing_comes_as_a_paragraph_of_its_own() -> None:
    made, left_out = _tracked(
        Edit("Complaints are answered within 25 days.", "The register is tested every year.", is_addition=True),
        Edit("", "A last clause.", is_addition=True),
    )  # fmt: skip
    assert left_out == []
    assert _texts(made, accept=False) == _texts(_policy(), accept=True)
    words = _texts(made, accept=True)
    assert words[words.index("Complaints are answered within 25 days.") + 1] == "The register is tested every year."
    assert words[-1] == "A last clause."
    assert "The register is tested every year." in read_docx(made)[1]


def test_a10_a_sentence_that_is_not_there_is_left_out_and_said() -> None:
    wanted = Edit("Nobody wrote this.", "Somebody writes this.")
    made, left_out = _tracked(wanted, Edit("", "", is_addition=False))
    assert left_out == [wanted, Edit("", "")] and _texts(made, accept=True) == _texts(_policy(), accept=True)
    first, _ = Document(io.BytesIO(made)).comments
    assert wanted.quote in first.text and wanted.wording in first.text, (
        "what was accepted is told where it cannot be placed"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("five years", "years"), ("Records are", "All records are"), ("for five years.", "for ever."),
        ("Records are kept for five years. Then they are destroyed.", "Nothing is kept."), ("kept for", "kept for kept for"),
    ],
)  # fmt: skip
def test_a10_any_change_can_be_accepted_or_rejected(old: str, new: str) -> None:
    made, left_out = _tracked(Edit(old, new))
    assert left_out == [] and _texts(made, accept=False) == _texts(_policy(), accept=True)
    joined = re.sub(r"\s+", " ", "\n".join(_texts(made, accept=True)))
    assert new in joined


def test_a10_a_policy_that_is_no_word_document_becomes_one() -> None:
    lines = [("1 Records", True), ("1.1 Records are kept for five years.", False)]
    edits = [Edit("1.1 Records are kept for five years.", "1.1 Records are kept for seven years.")]
    made, left_out = redline_document("Our <policy>\x07", lines, edits, redline, author="Ada", at=AT)
    assert left_out == []
    assert _texts(made, accept=True) == ["Our <policy>", "1 Records", "1.1 Records are kept for seven years."]


@pytest.mark.parametrize("mark", ["(b)", "iv.", "•", "4.3", "7"])
def test_a10_the_mark_that_word_draws_before_a_sentence_is_not_looked_for_in_the_paragraph(mark: str) -> None:
    edit = Edit(f"{mark} Complaints are answered within 25 days.", f"{mark} Complaints are answered within 15 days.")
    made, left_out = _tracked(edit)
    assert left_out == []
    assert "Complaints are answered within 15 days." in _texts(made, accept=True)
