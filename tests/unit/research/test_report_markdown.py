"""A report as Markdown: readable, complete, and inert wherever it is pasted (W6, X2)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.domain.citations import Citation
from policypal.domain.research import Contradiction, Report, ReportSection, ReportTable, Source, Statement
from policypal.research.draft import GAPS_INTRO, NOTHING_FOUND
from policypal.research.markdown import report_markdown
from policypal.ui import markup
from tests.support.injections import ATTACKS, assert_harmless, assert_inert_markdown

CITATIONS = [
    Citation(id=1, title="Rules", version="2024", page=3, quote="within 24 hours", verified=True, document_id="d"),
    Citation(
        id=2, source_type="web", title="News", version="2026-01-02", quote="4 hours", verified=True,
        url="https://www.news.example/a",
    ),
    Citation(id=3, title="Unused", page=1, quote="nothing", verified=True, document_id="u"),
]  # fmt: skip


def report(**values: Any) -> Report:
    given: dict[str, Any] = {
        "id": "r", "thread_id": "t", "version": 1, "title": "Incident reporting", "markdown": "", "citations": CITATIONS,
        "sources": [Source(key="w", source_type="web", title="News", host="news.example", url="https://www.news.example/a")],
        "engine": "extractive",
    }  # fmt: skip
    return Report(**{**given, **values})


def section(*texts: str, heading: str = "Deadlines", table: ReportTable | None = None) -> ReportSection:
    return ReportSection(heading=heading, statements=[Statement(text=t) for t in texts], table=table)


def test_w6_a_report_with_everything() -> None:
    table = ReportTable(columns=["A", "B"], rows=[["x | y", "“within 24 hours” 📄1"], ["short"]])
    made = report(
        sections=[section("Rules: “within 24 hours” 📄1", "News: “4 hours” 🌐2", table=table), section(GAPS_INTRO, "Not answered: fines.", heading="Gaps")],
        contradictions=[Contradiction(subject="Notice", left=1, right=2, explanation="Rules say so, News does not.")],
        issues=["Section “Deadlines”: it is old."],
    )  # fmt: skip
    assert report_markdown(made, ["No advice."], ["Library only."]) == (
        "# Incident reporting\n\n*Library only.*\n\n"
        "## Where the sources disagree\n\n- **Notice:** Rules say so, News does not. 📄1 🌐2\n\n"
        "## Deadlines\n\n- Rules: “within 24 hours” 📄1\n- News: “4 hours” 🌐2\n\n"
        "| A | B |\n| --- | --- |\n| x \\| y | “within 24 hours” 📄1 |\n| short |  |\n\n"
        f"## Gaps\n\n{GAPS_INTRO}\n\n- Not answered: fines.\n\n"
        "## Open issues\n\nThe review before publication still holds the following against this report:\n\n"
        "- Section “Deadlines”: it is old.\n\n"
        "## Please note\n\nNo advice.\n\n"
        "## References\n\n- 📄1 Rules (2024), page 3\n- 🌐2 News, news.example, 2026-01-02, <https://www.news.example/a>\n"
    )


def test_u2d_what_is_quoted_stands_below_the_name_of_its_source() -> None:
    said = [Statement(text=f"“{n}” {'🌐2' if n == 3 else '📄1'}", citations=[2 if n == 3 else 1]) for n in (1, 2, 3)]
    shown = report_markdown(report(sections=[ReportSection(heading="H", statements=said)]))
    assert "## H\n\n### Rules (2024)\n\n- “1” 📄1\n- “2” 📄1\n\n### News" in shown


def test_w6_a_models_sentences_are_a_paragraph() -> None:
    made = report(engine="openai", sections=[section("One 📄1.", "Two 📄1.")])
    assert "\n\nOne 📄1. Two 📄1.\n\n" in report_markdown(made)


def test_w3_a_report_without_sections_says_so() -> None:
    shown = report_markdown(report(citations=[]))
    assert NOTHING_FOUND in shown and "References" not in shown


@pytest.mark.parametrize("engine", ["extractive", "openai"])
def test_x2_attack_strings_are_inert_wherever_they_stand(engine: str) -> None:
    for attack in ATTACKS:
        text = attack.text
        citation = Citation(
            id=1, title=text[:300], version=text[:80], quote="q", verified=True, url=text, source_type="web"
        )
        made = report(
            title=text,
            engine=engine,
            citations=[citation],
            sections=[section(f"{text} 🌐1", heading=text, table=ReportTable(columns=[text], rows=[[f"{text} 🌐1"]]))],
            contradictions=[Contradiction(subject=text, left=1, right=1, explanation=text)],
            issues=[text],
        )
        shown = report_markdown(made, [], [text])
        assert_inert_markdown(shown)
        assert_harmless(markup.answer(shown, {1: citation}, lambda c: "<span>chip</span>"))


@pytest.mark.parametrize(
    "text", ["# Title", "- item", "1. item", "> quote", "| a | b |", "===", "---", "```code", "+ x"]
)
def test_x2_text_never_becomes_structure(text: str) -> None:
    shown = report_markdown(report(engine="openai", sections=[section(f"{text} 📄1")]))
    html = markup.answer(shown.split("## References")[0], {}, lambda c: "")
    assert html.count("<h") == 2 and "<p>" in html
    assert not any(tag in html for tag in ("<li>", "<blockquote>", "<pre>", "<hr>", "<table>"))


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://a.example/> <b>", "http://a.example/a b", "data:text/html,x"]
)
def test_x2_an_address_that_is_none_is_left_out(url: str) -> None:
    made = report(citations=[CITATIONS[1].model_copy(update={"url": url})], sections=[section("Said 🌐2.")])
    assert "<" not in report_markdown(made)
