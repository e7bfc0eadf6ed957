"""An audit by a model: every obligation judged by the numbers of sentences, in batches that are checkpoints (A4)."""

from __future__ import annotations

import pytest

from policypal.domain.audits import AuditReport, CoverageStatus, OverallStatus
from policypal.domain.documents import Document, DocumentType
from policypal.graph.events import ResponseEvent, StatusEvent
from tests.support.conversation import Speaker
from tests.support.openai_answers import asked_obligations, numbered_lines

SUBJECTS = (
    "payments",
    "cards",
    "deposits",
    "loans",
    "custody",
    "trading",
    "advice",
    "insurance",
    "leasing",
    "factoring",
)
RULES = "\n".join(
    f"{n}.{m} A bank must test the {what} {thing} at least every {m + 2} months and report the result to the board."
    for n, what in enumerate(SUBJECTS, 1)
    for m, thing in enumerate(("systems", "controls", "people"), 1)
)
KEPT = "\n".join(
    f"{n}.{m} The bank tests the {what} {thing} every {m + 2} months and reports the result to the board."
    for n, what in enumerate(SUBJECTS, 1)
    for m, thing in enumerate(("systems", "controls", "people"), 1)
)
FILLER = " ".join(
    f"The canteen on floor {n} offers soup, salad and bread from noon to two in the afternoon." for n in range(45)
)


def report_of(speaker: Speaker, *documents: Document, message: str = "Audit this") -> tuple[ResponseEvent, AuditReport]:
    response = speaker.say(message, *documents, action="audit")
    assert isinstance(response, ResponseEvent) and response.report is not None, response
    return response, response.report


@pytest.fixture
def library(modeller: Speaker) -> tuple[Document, Document]:
    policy = modeller.add("Our Policy", f"{KEPT}\n\n{FILLER}", type=DocumentType.COMPANY)
    return policy, modeller.add("Testing Rules", RULES)


def test_a4_every_obligation_is_judged_in_batches_with_the_whole_source(
    modeller: Speaker, library: tuple[Document, Document]
) -> None:
    response, report = report_of(modeller, *library)
    assert report.verdict == "Compliant (30 of 30 judged and covered)"
    prompts = modeller.prompts("Judgements")
    assert len(prompts) == 3
    asked = [n for p in prompts for n in asked_obligations(p)]
    assert len(set(asked)) == len(asked) == 30
    whole = [p.partition("RULES:")[0] for p in prompts]
    assert len(set(whole)) == 1 and len(numbered_lines(whole[0], "S")) >= 75
    assert {r.status for r in report.coverage or ()} == {CoverageStatus.COVERED}
    told = [e.message for e in modeller.told if isinstance(e, StatusEvent) and e.node == "audit"]
    assert any(m.startswith("Judged ") and m.endswith(" of 30 obligations...") for m in told), told
    assert response.tokens_used > 0 and report.models


def test_a4_breaches_are_findings_in_the_words_of_both_documents(
    modeller: Speaker, library: tuple[Document, Document]
) -> None:
    late = modeller.add(
        "Late Policy", f"{KEPT}\n\n{FILLER}".replace("every 3 months", "every 9 months", 2), type=DocumentType.COMPANY
    )
    response, report = report_of(modeller, late, library[1])
    assert report.overall_status is OverallStatus.MAJOR_VIOLATIONS and len(report.findings) == 2
    for finding in report.findings:
        assert "every 9 months" in finding.source_quote and "every 3 months" in finding.target_quote
        assert finding.delta and finding.source_page == 1 and finding.target_start is not None
    assert "every 9 months" in response.response
    assert len(modeller.prompts("Looks")) == 1, "grave findings are looked at again"
