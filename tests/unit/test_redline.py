"""The clause-aligned change list of two versions (A3, D8): measured on the sample editions and on edits written here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.compare.redline.changes import VERSIONS_SHARE, Alignment
from policypal.compare.redline.changes import align as align_clauses
from policypal.compare.redline.wording import redline
from policypal.domain.changes import Change, ChangeKind
from policypal.domain.documents import Page
from policypal.text.clauses import clauses_of
from policypal.text.provisions import read_provisions
from tests.support.samples import sample_pages

TRUTHS: dict[str, Any] = json.loads((files("policypal.samples") / "truths.json").read_text(encoding="utf-8"))
OLD, NEW = sample_pages("rulebook-2023.pdf"), sample_pages("rulebook-2025.pdf")
RULES = """Part 1 Governance

1.1 The board of a bank must approve the risk framework and must review it at least once every 12 months.
1.2 A bank must appoint a compliance officer who reports directly to the board. The officer may not lead a business line.
1.3 A bank must keep a register of conflicts of interest for at least 5 years.

Part 2 Incidents

2.1 A bank must report a serious incident to the supervisor within 24 hours after it was detected.
2.2 A bank may inform its customers of a serious incident by electronic mail.
2.3 Every incident must be graded by its severity, and the grade must be confirmed by a second person before the report is sent.
2.4 The register of incidents shall contain:
(a) the date of the incident;
(b) the number of customers concerned;
(c) the measures taken.

Part 3 Outsourcing

3.1 A bank must carry out due diligence before it signs an outsourcing agreement.
3.2 A provider may not subcontract a critical task without the written consent of the bank.
3.3 A bank should test its exit plan every two years."""


def align(old: list[Page], new: list[Page]) -> Alignment:
    return align_clauses(*(clauses_of(read_provisions(version)) for version in (old, new)))


def pages(*texts: str) -> list[Page]:
    return [Page(n, text) for n, text in enumerate(texts, 1)]


def text_of(change: Change, *ops: str) -> str:
    return "".join(p.text for p in change.parts if p.op in ops)


def old_text(change: Change) -> str:
    return text_of(change, "same", "removed")


def new_text(change: Change) -> str:
    return text_of(change, "same", "added")


@pytest.fixture(scope="module")
def editions() -> Alignment:
    return align(OLD, NEW)


def _expected(change: Change, truth: dict[str, Any]) -> bool:
    old, new = truth.get("old_phrase"), truth.get("new_phrase")
    return (
        change.kind == truth["kind"]
        and (old is None or (old in old_text(change) and change.old_page == truth["old_page"]))
        and (new is None or (new in new_text(change) and change.new_page == truth["new_page"]))
    )


def test_a3_every_planted_change_between_the_editions_is_listed_on_its_pages(editions: Alignment) -> None:
    listed = [found.change for found in editions.changes]
    missing = [t for t in TRUTHS["edition_changes"] if not any(_expected(c, t) for c in listed)]
    assert missing == []
    planted = [c for c in listed if any(_expected(c, t) for t in TRUTHS["edition_changes"])]
    others = [c for c in listed if c not in planted]
    # the title page, two sentences of guidance beside the new part, and one clause in other words
    assert len(others) <= 9, [new_text(c) or old_text(c) for c in others]
    assert not any(c.moved for c in listed)


def test_a3_numbers_and_modal_verbs_of_the_editions_changes_are_marked(editions: Alignment) -> None:
    changed = {new_text(f.change): f.change for f in editions.changes if f.change.kind is ChangeKind.CHANGED}
    calls = next(c for text, c in changed.items() if "unsolicited telephone calls" in text)
    assert [p.text.strip() for p in calls.parts if p.op != "same"] == ["should avoid", "must not make"]
    assert set(calls.marks) == {"modal", "negation"}
    numbers = [c for c in changed.values() if "number" in c.marks]
    assert len(numbers) >= 28


def test_a3_every_place_is_where_the_words_stand(editions: Alignment) -> None:
    for found in editions.changes:
        for places, source, text in (
            (found.old, OLD, old_text(found.change)),
            (found.new, NEW, new_text(found.change)),
        ):
            shown = " ".join(source[p.page - 1].text[p.start : p.end] for p in places)
            assert not places or found.change.clauses > 1 or re.sub(r"\W+", " ", shown) == re.sub(r"\W+", " ", text)


def replaced(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


def renumbered(text: str) -> str:
    return re.sub(r"\b([123])\.(\d)", lambda m: f"{int(m[1]) + 4}.{int(m[2]) + 1}", text).replace("Part 1", "Part 5")


def sections_swapped(text: str) -> str:
    one, two, three = re.split(r"(?=Part \d)", text)[1:]
    return one + three.rstrip() + "\n\n" + two


def clause_moved(text: str) -> str:
    clause = next(line for line in text.split("\n") if line.startswith("1.3"))
    return text.replace(clause + "\n", "") + "\n" + clause.replace("1.3", "3.4")


def without(line: str) -> Callable[[str], str]:
    return lambda text: "\n".join(one for one in text.split("\n") if not one.startswith(line))


def after(line: str, added: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        lines = text.split("\n")
        at = next(i for i, one in enumerate(lines) if one.startswith(line))
        return "\n".join([*lines[: at + 1], added, *lines[at + 1 :]])

    return edit


def both(*edits: Callable[[str], str]) -> Callable[[str], str]:
    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
        return text

    return edit


SPLIT = replaced(
    "and the grade must be confirmed by a second person before the report is sent.",
    "and no exception is allowed.\n2.4 The grade must be confirmed by a second person before the report is sent.",
)
EDITS: dict[str, tuple[Callable[[str], str], list[str], list[str]]] = {
    # name: edit, kinds listed, marks of the first change
    "nothing": (lambda text: text, [], []),
    "renumbering": (renumbered, [], []),
    "case and punctuation": (replaced("A bank must carry out due diligence", "A Bank must carry out, due diligence"), [], []),
    "line breaks": (lambda text: text.replace(" must", "  must"), [], []),
    "a number": (replaced("24 hours", "4 hours"), ["changed"], ["number"]),
    "a number in words": (replaced("two years", "three years"), ["changed"], ["number"]),
    "a unit": (replaced("24 hours", "24 days"), ["changed"], ["number"]),
    "a modal verb": (replaced("may inform", "must inform"), ["changed"], ["modal"]),
    "a weaker modal verb": (replaced("must carry out", "should carry out"), ["changed"], ["modal"]),
    "a negation": (replaced("may not subcontract", "may subcontract"), ["changed"], ["negation"]),
    "an exception": (replaced("of the bank.", "of the bank, unless it is urgent."), ["changed"], ["negation"]),
    "a clause removed": (without("3.1"), ["removed"], ["modal"]),
    "a clause added": (after("3.1", "3.2 A bank must publish the list of its providers by 31 March of each year."), ["added"], ["modal", "number"]),
    "a list item added": (after("(b)", "(c) the systems concerned;"), ["added"], []),
    "a list item removed": (without("(b)"), ["removed"], []),
    "a clause moved": (clause_moved, ["moved"], []),
    "a section moved": (sections_swapped, ["moved"], []),
    "a clause cut in two": (SPLIT, ["changed"], ["modal", "negation"]),
    "a clause moved and changed": (both(clause_moved, replaced("5 years", "7 years")), ["changed"], ["number"]),
    "renumbered and changed": (both(renumbered, replaced("24 hours", "4 hours")), ["changed"], ["number"]),
    "two changes": (both(replaced("24 hours", "4 hours"), replaced("12 months", "6 months")), ["changed", "changed"], ["number"]),
    "renumbered, one added": (both(renumbered, after("6.2", "6.3 No incident may be closed without a report.")), ["added"], ["modal", "negation"]),
    "other words": (replaced("A bank should test its exit plan every two years", "The exit plan of a bank should be tested every two years"), ["changed"], []),
    "a new part in front": (lambda text: "Part 1 Scope\n\n1.1 These rules bind every licensed bank.\n\n" + renumbered(text), ["added"], []),
    "two sentences joined": (replaced("to the board. The officer may not lead", "to the board, and who may not lead"), ["changed"], []),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "kinds", "marks"), EDITS.values(), ids=EDITS)
def test_a3_an_edit_is_listed_as_what_it_is(edit: Callable[[str], str], kinds: list[str], marks: list[str]) -> None:
    found = align(pages(RULES), pages(edit(RULES)))
    changes = [f.change for f in found.changes]
    assert [c.kind.value for c in changes] == kinds, [(c.kind, old_text(c), new_text(c)) for c in changes]
    assert not changes or set(changes[0].marks) == set(marks)
    assert found.shared > VERSIONS_SHARE


def test_a3_a_moved_section_is_one_change_and_says_how_much_moved() -> None:
    (moved,) = [f.change for f in align(pages(RULES), pages(sections_swapped(RULES))).changes]
    assert moved.moved and moved.clauses >= 3


def test_a3_where_pages_break_is_no_change() -> None:
    lines = RULES.replace("A bank must report a serious incident", "A bank must report\fa serious incident").split("\f")
    assert [f.change for f in align(pages(RULES), pages(*lines)).changes] == []
    changed = align(pages(RULES), pages(lines[0], lines[1].replace("24 hours", "2 hours")))
    (found,) = changed.changes
    assert (found.change.new_page, [p.page for p in found.new]) == (1, [1, 2])


def test_a3_unrelated_documents_share_next_to_nothing() -> None:
    email = sample_pages("email-2025.pdf")
    assert align(NEW, email).shared < 0.1
    assert align(OLD, NEW).shared > 0.9


@given(st.text("abc 15.,%", max_size=60), st.text("abc 15.,%", max_size=60))
@settings(deadline=None)
def test_a3_a_redline_holds_both_texts_word_for_word(old: str, new: str) -> None:
    parts = redline(old, new)
    assert "".join(p.text for p in parts if p.op != "added") == old
    assert "".join(p.text for p in parts if p.op != "removed") == new
