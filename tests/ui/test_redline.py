"""The redline of two versions as the browser gets it (A3, U8, X2)."""

from __future__ import annotations

from pathlib import Path

from policypal.compare.redline.report import markdown
from policypal.compare.redline.wording import redline, whole
from policypal.domain.changes import Change, ChangeKind, ChangeList
from policypal.domain.citations import Citation
from policypal.ui import style
from policypal.ui.shared import redline as widget

STYLE_SHEET = Path(style.__file__).with_name("style.css")
CITATIONS = [
    Citation(id=n, title="Rulebook", page=4, quote="within 24 hours", verified=True, document_id="d") for n in (1, 2)
]
LISTED = ChangeList(
    old_title="Rulebook (2023)",
    new_title="Rulebook (2025)",
    unchanged=7,
    changes=(
        Change(
            kind=ChangeKind.CHANGED, old_label="4.3", new_label="5.3", old_page=4, new_page=6, marks=("number",),
            parts=redline("A report is due within 24 hours.", "A report is due within 4 hours."), old_citation=1, new_citation=2,
        ),
        Change(kind=ChangeKind.ADDED, new_label="•", new_page=7, parts=whole("<img src=x onerror=alert(1)> *bold*", "added")),
        Change(kind=ChangeKind.MOVED, old_page=1, new_page=9, moved=True, clauses=4, parts=whole("A clause.", "same")),
    ),
)  # fmt: skip


def test_a3_removed_and_added_words_are_told_apart_without_colour() -> None:
    html = widget.markup("m", LISTED, CITATIONS)
    assert "<del" in html and "removed: </span>24</del>" in html
    assert "<ins" in html and "added: </span>4</ins>" in html
    css = STYLE_SHEET.read_text(encoding="utf-8")
    assert "del { color: var(--pp-red); text-decoration: line-through" in css
    assert "ins { color: var(--pp-green); text-decoration: underline" in css
    assert "4.3, page 4 → 5.3, page 6" in html
    assert "and 3 more after it" in html
    assert html.count('data-pp-open="m:') == 2


def test_x2_what_a_document_says_is_text_in_the_redline_and_in_markdown() -> None:
    assert "<img" not in widget.markup("m", LISTED, CITATIONS)
    told = markdown(LISTED, CITATIONS)
    assert "**\\<img src=x onerror=alert(1)\\> \\*bold\\***" in told


def test_u2_the_markdown_of_a_change_list_strikes_through_and_emboldens() -> None:
    told = markdown(LISTED, CITATIONS)
    assert "- **Changed** (4.3, page 4 → 5.3, page 6): A report is due within ~~24~~ **4** hours. 📄1 📄2" in told
    assert "1 changed, 1 added and 1 moved" in told
    assert widget.without_list(f"### Comparison\n\nText.\n\n{told}") == "### Comparison\n\nText."
    below = "**Left out: not supported by what it cites**\n\n- A statement\n\n*Read in full: A; B.*"
    assert widget.without_list(f"Text.\n\n{told}\n\n{below}") == f"Text.\n\n{below}", (
        "A0, C2b: it is told on the page, too"
    )
    same = markdown(ChangeList(old_title="A", new_title="B", changes=(), unchanged=9), [])
    assert widget.without_list(f"Text.\n\n{same}\n\n{below}").startswith("Text.\n\n")
