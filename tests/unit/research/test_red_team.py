"""The gate before publication: each issue names its section (W3)."""

from __future__ import annotations

from datetime import date

import pytest

from policypal.domain.citations import Citation
from policypal.domain.research import ReportSection, ReportTable, Source, Statement
from policypal.research.draft import GAPS_INTRO
from policypal.research.red_team import Standards, issues_of, review

TODAY = date(2026, 3, 4)
PAGE = "https://www.news.example/a"


def document(number: int, key: str) -> Citation:
    return Citation(id=number, title=key, page=1, quote="q", verified=True, document_id=key)


def page(number: int, published: str = "", url: str = PAGE) -> Citation:
    return Citation(id=number, source_type="web", title="News", version=published, quote="q", verified=True, url=url)


def section(*texts: str, heading: str = "Duties", verified: bool = True) -> ReportSection:
    return ReportSection(heading=heading, statements=[Statement(text=t, verified=verified) for t in texts])


SOURCES = [Source(key=k, source_type="document", title=k, document_id=k) for k in ("a", "b")]
CITATIONS = [document(1, "a"), document(2, "b"), document(3, "a")]


def issues(*sections: ReportSection, citations: list[Citation] | None = None, **more: object) -> list[str]:
    standards = Standards(TODAY, **more)  # type: ignore[arg-type]
    return review(sections, CITATIONS if citations is None else citations, SOURCES, standards)


def test_w3_a_sound_report_has_no_issues() -> None:
    assert issues(section("One 📄1.", "Two 📄2."), offered={"Duties": {"a", "b"}}) == []


def test_w3_a_section_needs_two_citations() -> None:
    assert issues(section("One 📄1.", "Again 📄1."), section("Two 📄2.", "More 📄3.", heading="Other")) == [
        "Section “Duties”: it has 1 citation; at least 2 are needed."
    ]


def test_r4_what_the_rules_quote_may_be_all_that_there_is() -> None:
    assert issues(section("One 📄1."), by_rules=True) == []


def test_w3_citations_in_a_table_count() -> None:
    table = ReportTable(columns=["A", "B"], rows=[["x 📄1", "y 📄2"]])
    assert issues(ReportSection(heading="H", statements=[], table=table)) == []


def test_w3_a_section_rests_on_two_sources_where_it_was_given_several() -> None:
    alone = section("One 📄1.", "More 📄3.")
    other = section("Two 📄2.", "Three 📄1.", heading="Other")
    assert issues(alone, other, offered={"Duties": {"a", "b"}}) == [
        "Section “Duties”: it rests on a single source although several speak of its subject."
    ]
    assert issues(alone, other, offered={"Duties": {"a"}}) == []


def test_w3_a_report_of_several_sources_does_not_rest_on_one() -> None:
    assert issues(section("One 📄1.", "More 📄3.")) == ["Report: it rests on a single source although 2 were selected."]


def test_w3_statements_without_marker_or_support_are_named() -> None:
    bare = section("One 📄1.", "Two 📄2.", "Nobody said this.", verified=False)
    assert issues(bare) == [
        "Section “Duties”: 1 statement is without a citation.",
        "Section “Duties”: 2 statements are not fully supported by the cited passages.",
    ]


def test_w3_what_the_sources_do_not_answer_needs_no_citation() -> None:
    assert issues(section("One 📄1.", "Two 📄2."), section(GAPS_INTRO, "Not answered: x.", heading="Gaps")) == []


def test_w3_an_empty_section_and_an_empty_report_are_named() -> None:
    assert issues(section("One 📄1.", "Two 📄2."), section(heading="Empty")) == [
        "Section “Empty”: nothing in it could be supported by the sources."
    ]
    assert issues() == issues(section()) == ["Report: no section has a statement."]


@pytest.mark.parametrize(
    ("published", "since", "told"),
    [
        (
            "2019-05-01",
            "2024-01-01",
            "“News (news.example, 2019-05-01)”, which is older than the plan allows (2024-01-01).",
        ),
        ("", "2024-01-01", "“News (news.example)”, which bears no date; the plan asks for pages since 2024-01-01."),
        ("2027-01-01", "", "“News (news.example, 2027-01-01)”, which is dated in the future."),
    ],
)
def test_w3_pages_that_are_out_of_date_are_named_as_the_writer_knows_them(
    published: str, since: str, told: str
) -> None:
    cited = [document(1, "a"), page(2, published), page(3, published)]
    assert issues(section("One 📄1.", "Two 🌐2 🌐3."), citations=cited, since=since) == [
        f"Section “Duties”: it cites {told}"
    ]


@pytest.mark.parametrize(("published", "since"), [("2024-01-01", "2024-01-01"), ("", ""), ("2019", "last year")])
def test_w3_pages_in_time_and_plans_without_a_limit_are_no_issue(published: str, since: str) -> None:
    cited = [document(1, "a"), page(2, published)]
    assert issues(section("One 📄1.", "Two 🌐2."), citations=cited, since=since) == []


def test_w3_the_writer_gets_the_issues_of_its_section() -> None:
    told = ["Section “A”: one.", "Section “B”: two.", "Report: three.", "Section “A B”: four."]
    assert issues_of("A", told) == ["Section “A”: one."]
