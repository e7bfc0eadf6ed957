"""The audit reports page (A4–A8)."""

from __future__ import annotations

import csv
import io
import re
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import audits, finding_filters, triage
from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.domain.audits import (
    AuditedDocument,
    AuditReport,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    OverallStatus,
    ReadingExtent,
    ReviewPair,
    Severity,
)  # fmt: skip
from policypal.domain.documents import Document, DocumentType
from policypal.domain.extents import Extent
from policypal.domain.triage import FindingFilter, TriageChange, TriageStatus
from policypal.domain.users import User
from policypal.export.reports import findings_csv
from policypal.ui import state
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts


def _finding(target: Document, severity: Severity, theme: str, **more: object) -> Finding:
    values: dict[str, object] = {
        "kind": FindingKind.CONFLICT, "target_document": target.display_title, "target_document_id": target.id,
        "theme": theme, "severity": severity, "consequence": "A fine.", "source_quote": "within 24 hours",
        "target_quote": "within 4 hours", "target_page": 4, "suggestion": "Say 4 hours.", "confidence": 0.9,
    }  # fmt: skip
    return Finding(**{**values, **more})  # type: ignore[arg-type]


@pytest.fixture
def report(ui_app: Container, analyst: User, samples: list[Document]) -> AuditReport:
    """A stored report on two targets."""
    first, second = samples[1], samples[2]
    findings = (
        _finding(second, Severity.CRITICAL, "=HYPERLINK(1)"),
        _finding(first, Severity.LOW, "Training"),
        _finding(first, Severity.HIGH, "Incidents", source_document_id=samples[3].id, source_page=3),
        _finding(first, Severity.MEDIUM, "<img src=x>", kind=FindingKind.GAP, source_quote=""),
    )
    made = AuditReport(
        id="7c1c9a53-93d7-4f5f-9c36-6e5a0e6c1d11", title="Policy against two rulebooks",
        overall_status=OverallStatus.MAJOR_VIOLATIONS, findings=findings, summary="4 findings.",
        targets_checked=(first.display_title, second.display_title), not_assessed=("Page 9 was empty.",),
        coverage=(
            CoverageRow(
                obligation="Records must be kept", target_document_id=first.id, target_document=first.display_title,
                heading="Records", page=2, status=CoverageStatus.PARTIAL, bound_party="A licensee", deadline="six years",
                policy_quote="Records are kept", policy_page=5, reason="No period is given.",
            ),
            CoverageRow(
                obligation="Staff must be <b>trained</b>", target_document_id=first.id,
                target_document=first.display_title, heading="Staff", page=3, status=CoverageStatus.GAP,
                reason="No clause speaks of training.",
            ),
        ),
        review=tuple(
            ReviewPair(
                source_quote=said, source_page=2, source_document_id=samples[3].id, target_document=first.display_title,
                target_document_id=first.id, target_introduction="A licensee must:", target_quote=f"(a) keep <i>{n}</i>",
                target_page=n, target_label="4(a)", relation=relation, reason="The model: it is met." if n == 7 else "",
            )
            for said, n, relation in (("Flour is weighed.", 7, 0.1), ("Records are kept.", 5, 0.3), ("Records are kept.", 6, 0.6))
        ),
        extents=(ReadingExtent(document_id=first.id, title=first.display_title, obligations=2, pages_read=7, pages=9),),
        source_title=samples[3].display_title, source_document_id=samples[3].id, obligations=2, judged=1, covered=0,
        documents=(AuditedDocument(id=first.id, title=first.display_title, sha256=first.sha256),), engine="extractive",
    )  # fmt: skip
    return audits_db.save_report(ui_app.db, analyst.id, made)


def _titles_shown(tab: AppTest) -> list[str]:
    """The findings of the table."""
    return list(tab.dataframe[0].value["Finding"])


def test_a7_without_audits_the_page_says_how_to_make_one(open_page: OpenPage) -> None:
    assert "No audits yet" in texts(open_page("audit_reports"))


def test_a4_a_new_audit_is_chosen_on_the_page_and_followed_in_the_chat(
    samples: list[Document], open_page: OpenPage
) -> None:
    rulebook, policy = samples[1], samples[3]
    tab = open_page("audit_reports", audit=policy.id)
    assert tab.button(key="new_audit_start").disabled
    against = tab.multiselect(key=f"new_audit_targets_{policy.id}")
    in_force = [d for d in samples if d.type is DocumentType.REGULATORY and d.version != "2023"]
    offered = {o for o in against.options if not o.startswith("Set: ")}
    assert offered == {d.display_title for d in in_force}, "no policy is audited against a policy"
    against.set_value([rulebook.id]).run()
    assert_healthy(tab)
    assert "requirements</b> in" in texts(tab) and "Bound: " in texts(tab)
    assert f"<div>{rulebook.display_title}: " not in texts(tab)
    against.set_value([d.id for d in in_force]).run()
    assert all(f"<div>{d.display_title}: " in texts(tab) for d in in_force), "whoever took one too many sees it"
    against.set_value([rulebook.id]).run()
    tab.button(key="new_audit_start").click().run()
    assert_healthy(tab)
    assert f"Audit {policy.display_title} against {rulebook.display_title}." in texts(tab)


def test_a7_reports_are_listed_and_opened(report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports")
    assert "Policy against two rulebooks" in texts(tab)
    assert "Major Violations" in texts(tab)
    tab.button(key=f"report_{report.id}").click().run()
    assert_healthy(tab)
    assert "4 findings." in texts(tab)


def test_a0_a_report_on_a_sample_says_so_before_its_findings(
    ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage
) -> None:
    part = report.extents[0].model_copy(
        update={"passages": 21, "passages_read": 5, "pages_read": 3, "title": "<b>Rules</b>"}
    )
    source = Extent(document_id="s", title="Policy", pages=7, pages_read=7, passages=19, passages_read=19)
    sampled = report.model_copy(
        update={"id": str(uuid4()), "findings": (), "extents": (part,), "source_extent": source}
    )
    kept = audits_db.save_report(ui_app.db, analyst.id, sampled)
    page = texts(open_page("audit_reports", report=kept.id))
    line = (
        "Read 5 of 21 passages (on 3 of 9 pages) of &lt;b&gt;Rules&lt;/b&gt;: what stands elsewhere in it was not seen."
    )
    assert page.index(line) < page.index("4 findings.") < page.index("Read in full: Policy, 7 pages.")
    assert "5 of 21 passages read</span>" in page
    assert "Read in" not in texts(open_page("audit_reports", report=report.id)), "of before anybody counted"


def test_a7_the_most_severe_findings_come_first_whatever_they_are_against(
    report: AuditReport, open_page: OpenPage
) -> None:
    tab = open_page("audit_reports", report=report.id)
    assert _titles_shown(tab) == ["=HYPERLINK(1)", "Incidents", "<img src=x>", "Training"]


def test_a8_the_csv_holds_exactly_what_is_shown(report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report=report.id)
    severity = next(g for g in tab.get("button_group") if g.key == f"severity_{report.id}")
    severity.set_value([Severity.CRITICAL, Severity.LOW]).run()
    assert _titles_shown(tab) == ["=HYPERLINK(1)", "Training"]
    assert "2 of 4 findings" in texts(tab)
    assert {b.proto.label for b in tab.get("download_button")} == {"CSV", "Excel", "Word", "Audit pack"}
    shown = audits.filter_findings(report, severities=[Severity.CRITICAL, Severity.LOW])
    rows = list(csv.DictReader(io.StringIO(findings_csv(report, shown).decode("utf-8-sig"), newline="")))
    assert [r["Theme"] for r in rows] == ["'=HYPERLINK(1)", "Training"]


def test_a7_the_open_finding_has_both_pages_and_the_keys_go_on(report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report=report.id)
    assert "Finding 1 of 4" in texts(tab)
    tab.button(key="finding_after").click().run()
    assert_healthy(tab)
    assert len(tab.get("image")) == 2 and "Finding 2 of 4" in texts(tab)
    assert "Policy · " in texts(tab) and "Rule · " in texts(tab)
    tab.button(key="finding_after").click().run()
    assert_healthy(tab)
    assert "Finding 3 of 4" in texts(tab) and "&lt;img src=x&gt;" in texts(tab)
    assert "<p>No passage comes near it.</p>" in texts(tab), "the gap has no policy quotation"
    assert len(tab.get("image")) == 1


def test_a7_three_hundred_findings_are_one_table_and_one_open_finding(
    ui_app: Container, analyst: User, report: AuditReport, samples: list[Document], open_page: OpenPage
) -> None:
    many = tuple(_finding(samples[1], Severity.LOW, f"Theme {n}", target_page=1) for n in range(300))
    kept = audits_db.save_report(
        ui_app.db, analyst.id, report.model_copy(update={"id": str(uuid4()), "findings": many})
    )
    tab = open_page("audit_reports", report=kept.id)
    assert len(_titles_shown(tab)) == 300 and "Finding 1 of 300" in texts(tab)
    assert sum("pp-finding-head" in e.proto.body and "<style>" not in e.proto.body for e in tab.get("html")) == 1


def test_a9_an_audit_is_made_again_and_compared_with_the_one_before(
    ui_app: Container, analyst: User, report: AuditReport, samples: list[Document], open_page: OpenPage
) -> None:
    first, *others = report.findings
    fixed = report.model_copy(
        update={
            "id": "7c1c9a53-93d7-4f5f-9c36-6e5a0e6c1d12",
            "findings": tuple(f.model_copy(update={"id": ""}) for f in others),
        }
    )
    again = audits_db.save_report(ui_app.db, analyst.id, fixed)
    tab = open_page("audit_reports", report=again.id)
    shown, changes = texts(tab), tab.dataframe[-1].value
    assert "<b>1</b><span>Closed</span>" in shown and "<b>3</b><span>Unchanged</span>" in shown
    assert "<b>0</b><span>Opened</span>" in shown
    assert list(changes[changes["Change"] == "Closed"]["Finding"]) == [first.theme]
    assert "1 Critical, 1 High, 1 Medium, 1 Low" in shown and "4 open" in shown, "every version has its bar"
    assert [re.search(r"width:[\d.]+%", bar)[0] for bar in re.findall(r'<div class="pp-bar" style[^>]*>', shown)] == [  # type: ignore[index]
        "width:75.0%",
        "width:100.0%",
    ], "as long as its findings are many"
    listed = open_page("audit_reports")
    opens = [b.key for b in listed.button if b.label == "Open"]
    assert opens == [f"report_{again.id}"] and "Earlier version" not in texts(listed)
    listed.toggle(key="report_earlier").set_value(True).run()
    assert_healthy(listed)
    assert len([b for b in listed.button if b.label == "Open"]) == 2 and "Earlier version" in texts(listed)
    tab = open_page("audit_reports", report=report.id)
    assert "Unchanged" not in texts(tab), "nothing came before the first one"
    tab.button(key="audit_again").click().run()
    assert_healthy(tab)
    target, source = samples[1].display_title, samples[3].display_title
    assert f"Audit {source} against {target}." in texts(tab)


def test_a6_coverage_and_a5_inputs_are_shown(report: AuditReport, samples: list[Document], open_page: OpenPage) -> None:
    shown = texts(open_page("audit_reports", report=report.id))
    assert "2 obligations found on 7 of 9 pages" in shown
    assert "2 pages unread" in shown
    assert "No period is given." in shown
    assert "six years" in shown
    assert "Staff must be &lt;b&gt;trained" in shown
    assert samples[1].sha256 in shown
    assert "Page 9 was empty." in shown


def test_a4_what_nobody_judged_is_shown_beside_its_rules_the_nearest_first(
    report: AuditReport, open_page: OpenPage
) -> None:
    tab = open_page("audit_reports", report=report.id)
    shown = texts(tab)
    assert "2 statements beside the rules nearest to them" in shown
    places = [
        shown.index(words)
        for words in ("“Records are kept.”", "keep &lt;i&gt;6", "keep &lt;i&gt;5", "“Flour is weighed.”")
    ]
    assert places == sorted(places) and "A licensee must:" in shown
    assert shown.count('<details class="pp-pair"><summary>') == 2, "a line each, whole by a click"
    assert shown.count('<details class="pp-pair" open>') == 1 and "The model: it is met." in shown, (
        "a reason is told at once"
    )
    assert {"Policy, page 2", "Rule 1, page 6", "Rule 2, page 5"} <= set(labels(tab))
    tab.text_input(key=f"review_find_{report.id}").set_value("flour").run()
    assert "1 statements beside" in texts(tab) and "keep &lt;i&gt;6" not in texts(tab)
    pairs = audits.filter_review(report, containing="FLOUR")
    rows = list(csv.reader(io.StringIO(audits.export_review_csv(report, pairs).decode("utf-8-sig"))))
    assert len(rows) == 2 and rows[1][3] == "Flour is weighed."


def test_a7_a_pair_to_review_is_decided_where_it_stands(report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report=report.id)
    tab.button(key="no_conflict_0_1").click().run()
    assert "1 of 3 pairs decided" in texts(tab) and "No conflict · " in texts(tab)
    tab.button(key="undo_pair_0_1").click().run()
    assert "0 of 3 pairs decided" in texts(tab)
    tab.button(key="raise_0_2").click().run()
    tab.text_input(key="raising_0_2_delta").set_value("Policy: kept → Rule: <b>kept longer</b>")
    next(b for b in tab.button if b.label == "Raise").click().run()
    assert_healthy(tab)
    assert "Raised as finding: High" in texts(tab) and "<b>kept longer" not in texts(tab)
    assert len(_titles_shown(tab)) == 5 and "Policy: kept → Rule: <b>kept longer</b>" in _titles_shown(tab)


def test_a6_the_heat_map_has_one_cell_per_obligation(report: AuditReport, open_page: OpenPage) -> None:
    shown = texts(open_page("audit_reports", report=report.id))
    assert 'data-pp-open="coverage:0"' in shown
    assert 'data-pp-open="coverage:1"' in shown
    assert "coverage:2" not in shown
    assert "Partial, page 2: Records must be kept" in shown


def test_a6_the_coverage_says_how_many_of_its_rows_the_verdict_counts(report: AuditReport, open_page: OpenPage) -> None:
    shown = texts(open_page("audit_reports", report=report.id))
    assert "The verdict counts 1 of 2 as judged and 0 as covered" in shown


def test_a6_the_obligations_shown_follow_the_filters(report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report=report.id)
    tab.pills(key=f"coverage_status_{report.id}").select("Gap").run()
    assert_healthy(tab)
    assert _obligations_shown(tab) == ["Gap"]
    tab.text_input(key=f"coverage_find_{report.id}").input("records").run()
    assert _obligations_shown(tab) == []


def test_a6_a_chosen_obligation_is_shown_with_its_pages(report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report=report.id)
    assert _obligations_shown(tab) == ["Partial", "Gap"] and "data-pp-reveal" not in texts(tab)
    tab.session_state[state.COVERAGE_ROW] = 1
    tab.run()
    assert "target_coverage_1" in {b.key for b in tab.button}
    assert 'data-pp-reveal="coverage:1"' in texts(tab), "the heat-map stands far above it"
    tab.session_state[state.COVERAGE_ROW] = 0
    tab.run()
    tab.button(key="source_coverage_0").click().run()
    assert_healthy(tab)
    assert tab.session_state[state.FINDING_PAGE]["page"] == 5


def _obligations_shown(tab: AppTest) -> list[str]:
    tables = [t.value for t in tab.dataframe if "Obligation" in t.value]
    return [status.split()[1] for table in tables for status in table["Status"]]


def test_a7_a_report_can_be_deleted(ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report=report.id)
    tab.button(key="delete_report").click().run()
    assert_healthy(tab)
    assert audits.list_reports(ui_app, analyst) == []


def test_d10_a_quote_of_a_deleted_document_says_that_the_source_is_gone(
    ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage
) -> None:
    gone = report.model_copy(
        update={
            "id": "7c1c9a53-93d7-4f5f-9c36-6e5a0e6c1d12",
            "findings": (report.findings[0].model_copy(update={"id": "", "target_document_id": report.id}),),
        }
    )
    kept = audits_db.save_report(ui_app.db, analyst.id, gone)
    tab = open_page("audit_reports", report=kept.id)
    assert "no longer in your library. The quote was kept" in texts(tab)
    assert not tab.get("image")
    assert "within 24 hours" in texts(tab)


def test_x1_a_report_that_is_not_mine_is_not_found(open_page: OpenPage) -> None:
    tab = open_page("audit_reports", report="3b0f6f0e-0000-4000-8000-000000000000")
    assert "does not exist" in tab.error[0].value
    assert "All reports" in labels(tab)


@pytest.mark.parametrize(
    ("status", "counts", "words"),
    [
        (OverallStatus.COMPLIANT, (4, 4, 4, True, ""), "Compliant (4 of 4 judged and covered)"),
        (OverallStatus.NO_CONFLICT_FOUND, (12, 82, None, True, ""), "No conflict found (12 of 82 judged)"),
        (OverallStatus.CANNOT_BE_JUDGED, (0, 82, None, True, "nothing in the text concerns these rules"), "Cannot be judged"),
        (OverallStatus.CANNOT_BE_JUDGED, (3, 82, 1, False, "half was read"), "Cannot be judged as a whole (3 of 82 judged)"),
    ],
)  # fmt: skip
def test_a4_a_report_without_findings_says_what_was_judged(
    ui_app: Container,
    analyst: User,
    report: AuditReport,
    open_page: OpenPage,
    status: OverallStatus,
    counts: tuple[int, int, int | None, bool, str],
    words: str,
) -> None:
    judged, obligations, covered, whole, reason = counts
    clean = report.model_copy(
        update={
            "id": str(uuid4()), "title": "A clean one", "overall_status": status, "judged": judged,
            "obligations": obligations, "covered": covered, "read_whole": whole, "verdict_reason": reason, "findings": (),
        }
    )  # fmt: skip
    audits_db.save_report(ui_app.db, analyst.id, clean)
    tab = open_page("audit_reports")
    assert words in texts(tab)
    tab = open_page("audit_reports", report=clean.id)
    assert_healthy(tab)
    assert words in texts(tab) and reason in texts(tab)


def test_a4_contradicted_findings_stand_apart_and_are_not_counted(
    ui_app: Container, analyst: User, report: AuditReport, samples: list[Document], open_page: OpenPage
) -> None:
    aside = _finding(
        samples[1], Severity.CRITICAL, "Retention", id=str(uuid4()), support="The figures quoted do not conflict."
    )
    made = report.model_copy(
        update={"id": str(uuid4()), "findings": (), "contradicted": (aside,), "source_document_id": None}
    )
    audits_db.save_report(ui_app.db, analyst.id, made)
    tab = open_page("audit_reports", report=made.id)
    assert_healthy(tab)
    assert not any("Finding" in table.value for table in tab.dataframe), "it is no finding"
    assert "Contradicted by their own quotations" in texts(tab) and "The figures quoted do not conflict." in texts(tab)
    assert "0 findings as CSV" in {b.proto.help for b in tab.get("download_button")}, "it counts for nothing"


def test_a7_a_decision_can_be_taken_back_on_the_page(
    ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage
) -> None:
    finding = report.findings[0]
    changes = TriageChange(status=TriageStatus.RESOLVED)
    before = triage.change(ui_app, analyst, report.id, [finding.id], changes)
    tab = open_page("audit_reports", report=report.id)
    tab.session_state[state.TRIAGE_UNDO] = {"report": report.id, "before": before}
    tab.run()
    assert_healthy(tab)
    tab.button(key="triage_take_back").click().run()
    assert_healthy(tab)
    assert triage.load(ui_app, analyst, report)[finding.id].status is TriageStatus.OPEN


def test_a7_a_decision_is_in_the_table_at_once_and_a_false_positive_off_the_counts(
    report: AuditReport, open_page: OpenPage
) -> None:
    tab = open_page("audit_reports", report=report.id)
    _decide(tab, TriageStatus.IN_PROGRESS)
    assert list(tab.dataframe[0].value["Status"]) == ["In progress", "Open", "Open", "Open"]
    assert "1 Critical, 1 High, 1 Medium, 1 Low" in texts(tab)
    _decide(tab, TriageStatus.FALSE_POSITIVE)
    assert next(iter(tab.dataframe[0].value["Status"])) == "False positive"
    assert "1 Critical" not in texts(tab) and "1 High, 1 Medium, 1 Low" in texts(tab)


def _decide(tab: AppTest, status: TriageStatus) -> None:
    """About the open finding."""
    next(s for s in tab.selectbox if s.label == "Status").set_value(status.value)
    next(b for b in tab.button if b.label == "Save").click().run()
    assert_healthy(tab)


def test_a7_findings_are_shown_by_status_and_false_positives_count_for_nothing(
    ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage
) -> None:
    critical = next(f for f in report.findings if f.severity is Severity.CRITICAL)
    changes = TriageChange(status=TriageStatus.FALSE_POSITIVE)
    triage.change(ui_app, analyst, report.id, [critical.id], changes)
    tab = open_page("audit_reports", report=report.id)
    assert "1 High, 1 Medium, 1 Low" in texts(tab)
    status = next(g for g in tab.get("button_group") if g.key == f"triage_status_{report.id}")
    status.set_value([TriageStatus.FALSE_POSITIVE]).run()
    assert _titles_shown(tab) == [critical.theme]
    assert "1 of 4 findings" in texts(tab)
    listed = open_page("audit_reports")
    assert [e.label for e in listed.expander] == ["New audit", "3 open findings"]
    assert "1 High, 1 Medium, 1 Low" in texts(listed)


def test_a7_a_filter_is_saved_applied_to_another_report_renamed_and_deleted(
    ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage
) -> None:
    tab = open_page("audit_reports", report=report.id)
    next(g for g in tab.get("button_group") if g.key == f"severity_{report.id}").set_value([Severity.LOW]).run()
    tab.text_input(key=f"find_{report.id}").set_value("training").run()
    next(f for f in tab.text_input if f.label == "Keep the filter in use as").set_value("Small ones")
    next(b for b in tab.button if b.label == "Save filter").click().run()
    assert_healthy(tab)
    assert finding_filters.saved(ui_app, analyst) == {"Small ones": FindingFilter((Severity.LOW,), words="training")}

    again = tuple(f.model_copy(update={"id": str(uuid4())}) for f in report.findings)
    copied = report.model_copy(update={"id": str(uuid4()), "findings": again})
    other = audits_db.save_report(ui_app.db, analyst.id, copied)
    tab = open_page("audit_reports", report=other.id)
    assert len(_titles_shown(tab)) == 4
    next(b for b in tab.button if b.label == "Apply").click().run()
    assert_healthy(tab)
    assert _titles_shown(tab) == ["Training"]
    next(f for f in tab.text_input if f.value == "Small ones").set_value("The small ones").run()
    assert list(finding_filters.saved(ui_app, analyst)) == ["The small ones"]
    next(b for b in tab.button if b.label == "Delete").click().run()
    assert_healthy(tab)
    assert not finding_filters.saved(ui_app, analyst)


def test_a7_a_filter_that_a_report_has_nothing_of_says_so(
    ui_app: Container, analyst: User, report: AuditReport, open_page: OpenPage
) -> None:
    finding_filters.save(ui_app, analyst, "Accepted", FindingFilter(statuses=(TriageStatus.ACCEPTED_RISK,)))
    tab = open_page("audit_reports", report=report.id)
    next(b for b in tab.button if b.label == "Apply").click().run()
    finding_filters.delete(ui_app, analyst, "Accepted")
    assert len(_titles_shown(tab)) == 4
    assert "Not in this report, and therefore not filtered by: Accepted risk." in tab.toast[0].value
