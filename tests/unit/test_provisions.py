"""Provisions: a document's own outline made of objects (D11)."""

from __future__ import annotations

import time

import pytest

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, ProvisionSentence
from policypal.text.markers import read_markers
from policypal.text.provisions import read_provisions

ACT = """HARBOUR ACT
Whereas vessels should be moored with care;
(1) The harbour should be a safe place.
HAVE ADOPTED THIS ACT:
CHAPTER II
Mooring

Article 7

Duties of the master
1. The harbour master shall keep a register of permits. It shall contain:
(a) the name of the vessel;
(b) the date of arrival, which may be estimated;
2. No vessel may stay longer than 14 days.
3. Owners may ask for a copy only with the consent of the master.
4. The master shall have the right to inspect a vessel.

Article 8

Definitions

For the purposes of this Act, “vessel” means whatever floats and must be moored.
"""
MANUAL = """6. PROCEDURE

AC-2 – Account Management

For Moderate and High Systems:
1) Review accounts every 90 days.
2) For shared accounts:
a) Change passwords when somebody leaves; and
b) Record the change.
Access to the system is recorded.
Example: Remove the account of a guest.

7. REFERENCES
• Handbook of accounts, which must be read
"""


def _sentences(*pages: str, outline: tuple[str, ...] = ()) -> list[ProvisionSentence]:
    read = [Page(number, text) for number, text in enumerate(pages, 1)]
    return [s for p in read_provisions(read, outline) for s in p.sentences]


def _find(words: str, *pages: str) -> ProvisionSentence:
    return next(s for s in _sentences(*pages) if words in s.text)


PROCEDURE = """Opening a box

The branch clerk:
1. Ask the customer for a card.
2. Reassign or remove keys, if necessary.

Never open a box alone.

Check the vault book every Friday.

Check list of the vault.

The order is to be filed in the original.

The figures may not be comparable.

A box may be opened only between 9 and 5.

The bank undertakes to answer within a day.

WHEREAS the customer must be known;

Under no circumstances shall keys be lent.

An inspector may ask for the book; the clerk must produce it.

The compliance officer may not be responsible for a business line.
"""


@pytest.mark.parametrize(
    ("text", "words", "kind", "party"),
    [
        (ACT, "should be moored with care", Kind.RECITAL, ""),
        (ACT, "should be a safe place", Kind.RECITAL, ""),
        (ACT, "keep a register", Kind.OBLIGATION, "harbour master"),
        (ACT, "the name of the vessel", Kind.OBLIGATION, "harbour master"),
        (ACT, "which may be estimated", Kind.OBLIGATION, "harbour master"),
        (ACT, "No vessel may stay", Kind.PROHIBITION, "vessel"),
        (ACT, "only with the consent", Kind.OBLIGATION, "Owners"),
        (ACT, "right to inspect", Kind.PERMISSION, ""),
        (ACT, "must be moored", Kind.DEFINITION, ""),
        (MANUAL, "Review accounts", Kind.OBLIGATION, "Moderate and High Systems"),
        (MANUAL, "For shared accounts", Kind.OBLIGATION, "Moderate and High Systems"),
        (MANUAL, "Change passwords", Kind.OBLIGATION, "Moderate and High Systems"),
        (MANUAL, "Access to the system", Kind.STATEMENT, ""),
        (MANUAL, "Remove the account", Kind.EXAMPLE, ""),
        (MANUAL, "must be read", Kind.REFERENCE, ""),
        (PROCEDURE, "Ask the customer", Kind.OBLIGATION, "branch clerk"),
        (PROCEDURE, "Reassign or remove", Kind.OBLIGATION, "branch clerk"),
        (PROCEDURE, "Never open", Kind.OBLIGATION, ""),
        (PROCEDURE, "Check the vault book", Kind.OBLIGATION, ""),
        (PROCEDURE, "Check list", Kind.STATEMENT, ""),
        (PROCEDURE, "is to be filed", Kind.OBLIGATION, "branch clerk"),
        (PROCEDURE, "may not be comparable", Kind.STATEMENT, ""),
        (PROCEDURE, "may not be responsible", Kind.PROHIBITION, "compliance officer"),
        (PROCEDURE, "only between", Kind.OBLIGATION, "branch clerk"),
        (PROCEDURE, "undertakes to answer", Kind.OBLIGATION, "bank"),
        (PROCEDURE, "WHEREAS", Kind.RECITAL, ""),
        (PROCEDURE, "Under no circumstances", Kind.PROHIBITION, "bank"),
        (PROCEDURE, "must produce it", Kind.OBLIGATION, "clerk"),
    ],
)
def test_d11_structure_says_what_a_sentence_does_and_whom_it_binds(
    text: str, words: str, kind: Kind, party: str
) -> None:
    found = _find(words, text)
    assert (found.kind, found.party) == (kind, party)


def test_d11_provisions_have_labels_headings_and_exact_offsets() -> None:
    pages = [Page(1, ACT), Page(2, MANUAL)]
    provisions = read_provisions(pages)
    labels = {p.label: p for p in provisions}
    assert {"Art. 7", "Art. 7(1)", "Art. 7(2)", "Art. 8", "AC-2"} <= set(labels)
    assert labels["Art. 7(2)"].headings == ("CHAPTER II – Mooring", "Article 7 – Duties of the master")
    for provision in provisions:
        for s in provision.sentences:
            assert pages[s.page - 1].text[s.start : s.end] == s.text


def test_d11_items_know_their_introduction_over_a_page_border() -> None:
    found = _find("the colour", "1. The master shall note:\n(a) the name;", "(b) the colour;\n2. Nothing else matters.")
    assert (found.kind, found.introduction) == (Kind.OBLIGATION, "The master shall note:")


def test_d11_an_example_belongs_to_its_provision_and_its_marks_open_nothing() -> None:
    text = (
        "CHAPTER II\nUses\n\n7. A carrier may use the list of passengers:—\n(a) for the voyage;\n\nIllustration.\n\nX. a passenger, boards a"
        " ferry of Y. Y may ask for her ticket.\n\n(b) for the insurance of the voyage.\n\n8. (1) A carrier shall destroy the list after 30 days."
    )
    use, duty = read_provisions([Page(1, text)])[-2:]
    assert (use.label, duty.label) == ("7", "8(1)")
    kinds = [(s.text, s.kind) for s in use.sentences]
    assert all(kind is Kind.EXAMPLE for text, kind in kinds if "ferry" in text or "ticket" in text)
    assert ("(b) for the insurance of the voyage.", Kind.PERMISSION) in kinds
    assert duty.sentences[0].kind is Kind.OBLIGATION


def test_d11_rows_of_a_table_know_the_heads_of_their_columns_over_a_page_border() -> None:
    first = "Records are kept as follows.\n| Record | Who | Rule |\n|---|---|---|\n| Permits | master | Must be kept for ten years |"
    second = "| Record | Who | Rule |\n| Logs |  | Kept where space allows |\n\nThe master shall report."
    found = {s.text: s for s in _sentences(first, second)}
    permits = found["| Permits | master | Must be kept for ten years |"]
    logs = found["| Logs |  | Kept where space allows |"]
    assert (permits.kind, permits.introduction) == (Kind.OBLIGATION, "Record | Who | Rule:")
    assert (logs.kind, logs.introduction) == (Kind.TABLE, "Record | Who | Rule:")
    assert found["The master shall report."].kind is Kind.OBLIGATION


@pytest.mark.parametrize("numerals", [("i.", "ii."), ("(iii)", "(iv)"), ("VIII.", "IX.")])
def test_d11_roman_numerals_mark_items(numerals: tuple[str, str]) -> None:
    found = _find("the berth", "The master shall note:\n{} the name;\n{} the berth;".format(*numerals))
    assert found.kind is Kind.OBLIGATION


def test_d11_numbers_that_restart_are_provisions_of_their_own_section() -> None:
    page = Page(1, "PART ONE\n1. The master shall pay.\n2. The master shall wait.\nPART TWO\n1. The owner shall pay.")
    found = [(p.headings[-1], p.label, s.text) for p in read_provisions([page]) for s in p.sentences if s.kind.binds]
    assert found == [
        ("PART ONE", "1", "1. The master shall pay."),
        ("PART ONE", "2", "2. The master shall wait."),
        ("PART TWO", "1", "1. The owner shall pay."),
    ]


def test_d11_a_sentence_broken_off_by_a_page_is_one() -> None:
    found = _find("permits for ten years", "1. The master shall keep all", "permits for ten years.")
    assert found.kind is Kind.OBLIGATION


def test_d11_entries_of_the_outline_are_headings_and_contents_pages_are_not() -> None:
    contents = "Moored vessels 3\nPermits and fees 4\nFees must be paid 5"
    sentences = _sentences(contents, "Some words.\nPermits and fees\nMore words.", outline=("Permits and fees",))
    headings = [(s.page, s.text) for s in sentences if s.kind is Kind.HEADING]
    assert headings == [(2, "Permits and fees")]


@pytest.mark.parametrize(
    ("text", "binds"),
    [
        ("Requirements that should be met are listed below.", False),
        ("This Act shall enter into force on 1 May.", False),
        ("The permit shall be deemed to be given.", False),
        ("The owner shall not be required to pay.", False),
        ("The Act requires owners to pay the fee.", True),
        ("The initial password must not be permitted to become the long-term one.", True),
        ("Such mooring shall be lawful only if the master consents.", True),
        ("The Harbour Office will review the plan each year.", True),
        ("The plan will help the town.", False),
        ("Owners are responsible for the lights.", True),
    ],
)
def test_d12_what_is_stated_is_told_from_what_is_demanded(text: str, binds: bool) -> None:
    assert _sentences(text)[0].kind.binds is binds


@pytest.mark.parametrize(
    ("line", "styles"),
    [
        ("6. (1) The consent", ["1.", "(1)"]),
        ("(iv) the name", ["(i)"]),
        ("(h) the name", ["(a)"]),
        ("2.1.1 Verify that", ["1.1.1"]),
        ("• a point", ["•"]),
        ("A vessel", []),
        ("1990 was a year", []),
    ],
)
def test_d11_marks_of_lists(line: str, styles: list[str]) -> None:
    assert [m.style for m in read_markers(line)] == styles


def test_d11_i_after_h_is_a_letter_and_i_after_nothing_a_numeral() -> None:
    (h,) = read_markers("(h) eight")
    assert read_markers("(i) nine", [h])[0].value == 9
    assert read_markers("(i) one")[0].value == 1


@pytest.mark.parametrize(
    "text",
    [
        "no structure at all " * 2000,
        "\n".join(f"Article {n}\n\nTitle {n}\nThe owner shall pay {n}." for n in range(2000)),
        "\n".join(f"{'(' * (n % 12)}a) item {n}:" for n in range(3000)),
        "1. The owner shall pay.\n2. Again.\n1. The owner shall pay.\n" * 500,
        "יש לשלם את האגרה. " * 500,
        "(" * 20_000,
        "1. " * 10_000,
        "must " * 20_000,
        ", where " * 10_000,
    ],
)
def test_d11_odd_documents_are_read_in_moments(text: str) -> None:
    started = time.perf_counter()
    sentences = _sentences(text)
    assert sentences and all(s.text for s in sentences)
    assert time.perf_counter() - started < 20


def test_d12_what_is_bound_by_nobody_has_no_party() -> None:
    assert _find("kept in the cellar", "Bicycles must be kept in the cellar.").party == ""


MARKDOWN_STANDARD = """# Kiosk Standard 2

## K1 Housing

| # | Requirement | Level |
|---|---|---|
| K1.1 | Verify that every door is locked with two locks. | 1 |
| K1.2 | Review log | 2 |

**K1.3** Verify that the kiosk starts from a signed image.

### Examples

A kiosk must be emptied at night.

## K2 Text Interpretation

**K2.1** Verify that the text is read.
"""


def test_d11_markdown_has_headings_bold_numbers_and_tables() -> None:
    read = read_provisions([Page(1, MARKDOWN_STANDARD)])
    labels = {p.label: p for p in read}
    assert labels["K1.3"].headings == ("Kiosk Standard 2", "K1 Housing")
    assert [s.kind for s in labels["K1.1"].sentences] == [Kind.OBLIGATION, Kind.TABLE]
    assert labels["K1.3"].sentences[0].kind is Kind.OBLIGATION
    assert labels["K2.1"].sentences[0].kind is Kind.OBLIGATION, "a section about interpretation defines nothing"
    assert _find("emptied at night", MARKDOWN_STANDARD).kind is Kind.EXAMPLE


def test_d11_a_cell_less_is_still_a_row_of_its_table() -> None:
    table = "Class | Rule | Limit\nHeavy | The operator must pay | 900\nLight | No fee\nHelicopter | The pilot must climb | 300"
    assert [(s.kind, s.party) for s in _sentences(table)] == [
        (Kind.TABLE, ""), (Kind.OBLIGATION, "operator"), (Kind.TABLE, ""), (Kind.OBLIGATION, "pilot"),
    ]  # fmt: skip


def test_d11_a_heading_and_its_line_of_scope_may_stand_in_one_line() -> None:
    text = "AC-20(2) – Portable Devices | Restricted Use For High Systems:\n1) Restrict the use of devices.\n"
    found = _find("Restrict the use", text)
    assert (found.kind, found.party) == (Kind.OBLIGATION, "High Systems")


def test_d11_scripts_without_capitals_are_not_all_headings() -> None:
    text = "The bank's duties\n\n1. The bank shall pay.\n2. لا يجوز للموظفين إفشاء بيانات العملاء.\n银行应当保存记录七年。\n"
    assert [s.kind for s in _sentences(text)][1:] == [Kind.OBLIGATION, Kind.STATEMENT, Kind.STATEMENT]
