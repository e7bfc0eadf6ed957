"""A report as Markdown and as a Word document (W6)."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import pytest
from markdown_it import MarkdownIt

from policypal.domain.citations import Citation
from policypal.domain.research import Report, ReportSection, Statement
from policypal.ingest.word import read_docx
from policypal.research.document import report_docx, report_markdown
from policypal.research.markdown import report_markdown as written_markdown

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FORMULA = '=HYPERLINK("http://evil.example","click")'
TEXT = f"""# Incident reporting

## Deadlines

A major incident is notified **within 4 hours** 📄1 and reported *in full* after a month 🌐2(draft).
{FORMULA}

| Rule | Deadline |
|---|---|
| Rulebook \\| 2025 | 4 hours 📄1 |
| =1+1 | 72 hours |

### Steps

1. Notify.
2. Report:
   - to the authority
   - to the board

> Banks must act. ⚠️ *not fully supported by its quotation*

Not cited: 📄9. <script>alert(1)</script> ![pixel](https://evil.example/p.png) [here](https://evil.example/)
"""
CITATIONS = [
    Citation(
        id=1, title="Rulebook", version="2025", page=4, quote="notified within 4 hours", verified=True, document_id="d", start=0, end=9
    ),
    Citation(
        id=2, source_type="web", title="Guidance *explained*", version="2026-01-20", url="https://www.authority.example/news?a=1",
        quote="in full after a month", verified=False,
    ),
    Citation(id=3, title="Never mentioned", page=1, quote="nothing", verified=True),
]  # fmt: skip


def _report(**more: object) -> Report:
    held: dict[str, object] = {
        "id": "r", "thread_id": "t", "version": 2, "title": "Incident reporting", "markdown": TEXT, "citations": CITATIONS,
        "issues": ["Only one source is newer than two years."], "origin": "edited", "engine": "extractive",
        "created_at": datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
    }  # fmt: skip
    return Report(**{**held, **more})  # type: ignore[arg-type]


def _word(report: Report) -> Any:
    return docx.Document(io.BytesIO(report_docx(report)))


def _texts(document: Any) -> list[str]:
    return [p.text for p in document.paragraphs if p.text]


def _headings(document: Any) -> list[tuple[str, str]]:
    return [(p.style.name, p.text) for p in document.paragraphs if p.style.name.startswith(("Heading", "Title"))]


def test_w6_the_word_document_has_real_headings_in_the_order_of_the_text() -> None:
    assert _headings(_word(_report())) == [
        ("Title", "Incident reporting"), ("Heading 1", "Deadlines"), ("Heading 2", "Steps"), ("Heading 1", "Open issues"),
        ("Heading 1", "References"),
    ]  # fmt: skip


def test_w6_tables_are_tables_with_their_numbers() -> None:
    (table,) = _word(_report()).tables
    assert [[c.text for c in row.cells] for row in table.rows] == [
        ["Rule", "Deadline"], ["Rulebook | 2025", "4 hours [1]"], ["=1+1", "72 hours"]
    ]  # fmt: skip
    assert all(run.bold for cell in table.rows[0].cells for run in cell.paragraphs[0].runs)


def test_w6_every_number_in_the_text_leads_to_its_reference() -> None:
    body = _word(_report()).element.body
    anchors = [e.get(f"{W}anchor") for e in body.iter(f"{W}hyperlink")]
    bookmarks = [e.get(f"{W}name") for e in body.iter(f"{W}bookmarkStart")]
    assert anchors == ["reference_1", "reference_2", "reference_1"]
    assert bookmarks == ["reference_1", "reference_2"]


def test_w6_references_name_title_version_or_host_page_date_and_address() -> None:
    told = _texts(_word(_report()))
    assert told[-2:] == [
        "[1] Rulebook (2025), page 4: “notified within 4 hours”",
        "[2] Guidance *explained*, authority.example, 2026-01-20, https://www.authority.example/news?a=1: in full after a month (not verified)",
    ]  # fmt: skip


def test_w6_the_document_says_how_it_was_made_and_what_is_held_against_it() -> None:
    told = _texts(_word(_report()))
    assert "version 2, edited by hand, 2026-03-01 09:30 UTC" in told[1]
    assert "extractive" in told[1]
    assert "Only one source is newer than two years." in told
    assert "Open issues" not in _texts(_word(_report(markdown=TEXT + "\nOnly one source is newer\nthan two years.")))


def test_w6_emphasis_lists_and_quotations_are_words_own() -> None:
    document = _word(_report())
    styles = {p.text: p.style.name for p in document.paragraphs}
    runs = {run.text: run for p in document.paragraphs for run in p.runs}
    assert runs["within 4 hours"].bold
    assert runs["in full"].italic
    assert styles["2. Report:"] == "List Continue"
    assert styles["to the board"] == "List Bullet 2"
    assert styles["Banks must act. ⚠️ not fully supported by its quotation"] == "Quote"


def test_x2_nothing_in_the_word_document_runs_or_fetches() -> None:
    data = report_docx(_report())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = archive.read("word/document.xml").decode()
        relations = archive.read("word/_rels/document.xml.rels").decode()
    assert "fldSimple" not in body
    assert "instrText" not in body
    assert "evil" not in relations
    told = "\n".join(_texts(_word(_report())))
    assert FORMULA in told
    assert "<script>alert(1)</script> pixel here" in told


def test_w6_text_no_file_can_hold_does_not_keep_the_rest_from_being_exported() -> None:
    bad = "bell \x07 and \ud83d and \u202eturned"
    report = _report(title=bad * 40, markdown=f"## {bad}\n\n{bad} 📄1", issues=[bad])
    assert _headings(_word(report))[1] == ("Heading 1", "bell  and  and turned")
    assert "turned [1]" in report_markdown(report).decode()


def test_w6_the_same_version_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = report_docx(_report())
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert report_docx(_report()) == first
    assert report_docx(_report(version=3)) != first


def test_w6_the_markdown_has_numbers_references_and_issues() -> None:
    told = report_markdown(_report()).decode()
    assert told.startswith("# Incident reporting\n\n*PolicyPal research report, version 2")
    assert told.count("# Incident reporting") == 1
    assert "**within 4 hours** [1] and reported *in full* after a month [2] (draft)." in told
    assert "Not cited: 📄9." in told
    assert "## Open issues\n\n- Only one source" in told
    assert (
        "\n\n[1] Rulebook (2025), page 4: “notified within 4 hours”\n\n[2] Guidance \\*explained\\*, authority.example,"
        in told
    )
    assert "<https://www.authority.example/news?a=1>" in told
    assert "Never mentioned" not in told


def test_x2_the_markdown_renders_no_foreign_link_image_or_html() -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(report_markdown(_report()).decode())
    assert "<script" not in html
    assert "<img" not in html
    assert "evil.example/p" not in html
    assert html.count("<a ") == 1  # the reference's own address
    assert html.count("<table>") == 1


def test_w6_a_written_report_has_one_list_of_references_and_tells_its_issues_once() -> None:
    """As the writer makes it: with a title, issues and a list of references of its own."""
    issue = "Section “Deadlines”: it cites “Guidance [2026]”, which is dated in the future."
    statement = Statement(text="Notify within 4 hours. 📄1", citations=[1], verified=True)
    report = _report(
        sections=[ReportSection(heading="Deadlines", statements=[statement])], issues=[issue], origin="written"
    )
    report = report.model_copy(update={"markdown": written_markdown(report, ["This is not legal advice."])})
    told = report_markdown(report).decode()
    assert told.count("## References") == told.count("# Incident reporting") == told.count("## Open issues") == 1
    assert told.endswith("## References\n\n[1] Rulebook (2025), page 4: “notified within 4 hours”\n")
    names = [name for _, name in _headings(_word(report))]
    assert names == ["Incident reporting", "Deadlines", "Rulebook (2025)", "Open issues", "Please note", "References"]


def test_w6_what_somebody_adds_to_the_references_by_hand_stays() -> None:
    report = _report(markdown="Text 📄1\n\n## References\n\n- 📄1 Rulebook\n- The *Banking Act* of 1998\n", issues=[])
    assert _texts(_word(report))[-3:] == [
        "References", "[1] Rulebook (2025), page 4: “notified within 4 hours”", "The Banking Act of 1998"
    ]  # fmt: skip
    assert report_markdown(report).decode().endswith("hours”\n\n- The *Banking Act* of 1998\n")


def test_w6_a_report_without_title_citations_or_text_is_still_a_file() -> None:
    empty = _report(title="", markdown="", citations=[], issues=[])
    assert report_markdown(empty)
    assert _headings(_word(empty)) == [("Title", "Research report")]


def test_w6_a_first_level_heading_in_an_edited_text_stays_below_the_title() -> None:
    document = _word(_report(markdown="Introduction.\n\n# One\n\n## Two\n\n###### Six"))
    assert _headings(document)[1:4] == [("Heading 1", "One"), ("Heading 2", "Two"), ("Heading 5", "Six")]


def test_w6_the_word_document_reads_back_as_one_text(tmp_path: Path) -> None:
    title, text, headings = read_docx(report_docx(_report()))
    assert "Incident reporting" in headings
    assert title == "Incident reporting"
    assert "A major incident is notified within 4 hours [1]" in text
    assert "Rulebook | 2025 | 4 hours [1]" in text
