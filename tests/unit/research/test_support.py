"""What its quotations do not carry is said in the source's words or goes, and is counted (W3, C2)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import CitedSentence, Quote
from policypal.domain.citations import Citation
from policypal.domain.research import ReportSection, ReportTable, Statement
from policypal.research.draft import GAPS_INTRO, section_of, without_repetition
from policypal.research.support import Known, Support, check_support
from policypal.research.write_section import WrittenSection

QUOTE = "A bank must notify the Authority of a major incident within 24 hours."
OWN_WORDS = f"Rules (2024), page 3: “{QUOTE}” 📄1"
CITATIONS = [
    Citation(id=1, title="Rules", version="2024", page=3, quote=QUOTE, verified=True, document_id="d"),
    Citation(id=2, source_type="web", title="News", quote="Fines rose.", verified=True, url="https://n.example/"),
    Citation(id=3, title="Lost", quote="Nobody found this.", verified=False),
]


def checked(*texts: str, table: ReportTable | None = None) -> Support:
    statements = [Statement(text=text) for text in texts]
    return check_support(
        [ReportSection(heading="H", statements=statements, table=table)],
        {c.id: Known(c, c.quote) for c in CITATIONS if c.verified},
    )


def left(support: Support) -> list[str]:
    return [s.text for s in support.sections[0].statements]


@pytest.mark.parametrize(
    "text",
    [
        "Banks must notify the Authority of a major incident within 24 hours 📄1.",
        "A major incident is to be reported to the Authority within one day 📄1.",
        OWN_WORDS,
        "The term “major incident” triggers notice to the Authority within 24 hours, says Rules (2024), page 3 📄1.",
    ],
)
def test_c2_what_the_quotation_carries_stays_as_it_is(text: str) -> None:
    support = checked(text)
    assert left(support) == [text] and support.sections[0].statements[0].verified
    assert (support.verified, support.repaired, support.removed, support.notices) == (1, 0, 0, [])
    assert support.sections[0].statements[0].citations == [1]


@pytest.mark.parametrize(
    "text",
    [
        "Banks must notify the Authority of a major incident within 48 hours 📄1.",
        "Banks may notify the Authority of a major incident within 24 hours 📄1.",
        "Banks must not notify the Authority of a major incident within 24 hours 📄1.",
        "The canteen is open to guests on all floors of the building 📄1.",
        "The Authority says “banks should take their time with it” on a major incident 📄1.",
        "Banks must notify the Authority of a major incident within 24 hours 📄1 📄3.",
    ],
)
def test_c2_what_says_more_is_replaced_by_the_sources_words(text: str) -> None:
    support = checked(text)
    assert left(support) == [OWN_WORDS] and support.sections[0].statements[0].verified
    assert (support.verified, support.repaired, support.removed) == (0, 1, 0)
    assert support.notices[0].startswith("1 statement said more")


@pytest.mark.parametrize("text", ["Banks are careful.", "Fines doubled 📄9.", "Nobody found this 📄3.", "So it is 📄."])
def test_c2_what_has_no_quotation_goes_and_is_told(text: str) -> None:
    support = checked(text)
    assert left(support) == [] and support.removed == 1
    assert support.notices == ["1 statement had no supporting passage and was removed."]


def test_c2_what_becomes_the_same_words_stands_once() -> None:
    support = checked("Banks must notify within 48 hours 📄1.", "Banks must notify within 96 hours 📄1.")
    assert left(support) == [OWN_WORDS]
    assert (support.repaired, support.removed) == (1, 1)


def test_c2_a_pages_name_with_its_host_and_day_claims_nothing() -> None:
    named = Citation(
        id=1, source_type="web", title="Top 10 rules", version="2025-03-04", quote="Fines rose.", verified=True,
        url="https://www.web3.example/a",
    )  # fmt: skip
    said = Statement(text="Top 10 rules (web3.example, 2025-03-04): “Fines rose.” 🌐1")
    support = check_support([ReportSection(heading="H", statements=[said])], {1: Known(named, named.quote)})
    assert left(support) == [said.text] and support.verified == 1


def test_r4_templates_need_no_quotation() -> None:
    support = checked(GAPS_INTRO, "Not answered: fines for late notification.")
    assert len(left(support)) == 2 and support.removed == 0


def test_r4_a_models_sentence_that_looks_like_a_template_is_none() -> None:
    sentence = CitedSentence(text="Not answered: whether the bank is insolvent.")
    section = section_of("H", WrittenSection(sentences=[sentence]), lambda s: s.text)
    assert section.statements == []


def test_c2_rows_without_a_quotation_go_and_cells_that_say_more_fall_silent() -> None:
    rows = [
        ["at most 24 hours", f"“{QUOTE}” 📄1", "Rules (2024), page 3"],
        [
            "at most 72 hours",
            "Banks must notify the Authority of an incident within 72 hours 📄1",
            "Rules (2024), page 3",
        ],
        ["at most 7 days", "Nothing quoted", "Nowhere"],
    ]
    support = checked(table=ReportTable(columns=["A", "B", "C"], rows=rows))
    table = support.sections[0].table
    assert table is not None and table.rows == [rows[0], ["—", OWN_WORDS, "Rules (2024), page 3"]]
    assert (support.verified, support.repaired, support.removed) == (1, 1, 1)


def test_c2_a_table_without_a_quotation_goes() -> None:
    assert checked(table=ReportTable(columns=["A"], rows=[["unquoted"]])).sections[0].table is None


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("Art. 5(1): “Banks shall keep records. […] They shall test them.” 📄1 📄2", True),
        ("“Banks shall keep records. They shall test them.” 📄1 📄2", True),
        ("Art. 6(1): “Banks shall keep records. They shall test them.” 📄1 📄2", False),
        ("Art. 5(1): “They shall test them. Banks shall keep no records.” 📄1 📄2", False),
    ],
)
def test_c2_a_provision_quoted_whole_behind_its_number_is_a_quotation(text: str, stands: bool) -> None:
    said = ["Banks shall keep records.", "They shall test them."]
    made = [Citation(id=n, title="Act", page=1, quote=q, verified=True) for n, q in enumerate(said, 1)]
    known = {c.id: Known(c, c.quote, "Art. 5(1)") for c in made}
    support = check_support([ReportSection(heading="H", statements=[Statement(text=text)])], known)
    assert (left(support) == [text]) is stands


def test_c2_a_marker_in_a_quotation_is_text() -> None:
    hostile = [Citation(id=1, title="T", page=1, quote="See 📄2 for more rules on incidents.", verified=True)]
    section = ReportSection(heading="H", statements=[Statement(text="Incidents are unimportant now 📄1")])
    (statement,) = check_support([section], {c.id: Known(c, c.quote) for c in hostile}).sections[0].statements
    assert statement.citations == [1] and "📄2" not in statement.text


def test_w3_a_quotation_stands_in_one_section_only() -> None:
    one = CitedSentence(text="a", quotes=[Quote(evidence=1, text="The same  words.")])
    other = CitedSentence(text="b", quotes=[Quote(evidence=7, text="The same words.")])
    fresh = CitedSentence(text="c", quotes=[Quote(evidence=1, text="Other words.")])
    first, second = without_repetition([WrittenSection(sentences=[one]), WrittenSection(sentences=[other, fresh])])
    assert first.sentences == [one] and second.sentences == [fresh]


def test_c2b_a_cell_without_a_citation_names_nobody_that_its_row_does_not_cite() -> None:
    rows = [["Major incidents", OWN_WORDS], ["Notice to the Quellmar Commission", OWN_WORDS]]
    support = checked(table=ReportTable(columns=["A", "B"], rows=rows))
    table = support.sections[0].table
    assert table is not None and [row[0] for row in table.rows] == ["Major incidents", "—"]
