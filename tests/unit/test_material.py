"""What of a message is the text to audit, and what limits the audit (G0)."""

from __future__ import annotations

import pytest

from policypal.request.focus import concerns, focus_of
from policypal.request.material import audited_text, own_statement

CLAIM = "Deposits are repaid on demand."


@pytest.mark.parametrize(
    "message",
    [
        "Audit @Policy against @Rulebook: focus on complaints and record keeping",
        "Audit the policy against the Rulebook 2025 on these points: complaints, record keeping, the rules for outsourcing",
        "Audit the policy against the Rulebook 2025.\nThanks and best regards,\nAnna",
        "Compare @Policy with @Rulebook: does the policy meet the rulebook on complaints?",
        "Dear colleague,\n\nplease check our policy against the act, with a focus on fundraising.\n\nSincerely,\nLuis Ortega\nCompliance",
        "Audit our policy against Supervisory Statement 2/21: Outsourcing and Third Party Risk Management",
        "Audit the policy against the rulebook.\n\nPlease concentrate on articles 5, 6 and 7.",
        "Newest standard vs our policy: gaps?",
        "Audit the policy against the rulebook.\n\nThanks\nAnna\nThis message is confidential and was sent to you only.",
    ],
)
def test_g0_what_states_nothing_is_no_text(message: str) -> None:
    assert audited_text(message) == (message, "")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (f"Audit this text against RULES: {CLAIM}", CLAIM),
        (f"Check this against the rulebook:\n\n{CLAIM}\n\nKind regards,\nAnna", CLAIM),
        (f"{CLAIM}\n\nIs this compliant with the Rulebook?", CLAIM),
        (f"Hi all,\n\nis this compliant with the Rulebook?\n\n{CLAIM}", CLAIM),
        (f"Does “{CLAIM[:-1]}” comply with the Rulebook?", CLAIM[:-1]),
        ("Audit this against X:\n- Staff keep records 5 years\n- Complaints answered in 8 weeks", "- Staff keep records 5 years\n- Complaints answered in 8 weeks"),
        ("Audit this against GDPR:\n\nWir speichern Kundendaten zehn Jahre.", "Wir speichern Kundendaten zehn Jahre."),
        ("Audit this against GDPR: 我们保存客户数据十年。", "我们保存客户数据十年。"),
        ("Policy vs practice: staff share one account. Is that in line with the policy?", "staff share one account."),
    ],
)  # fmt: skip
def test_g0_what_states_something_is_the_text(message: str, text: str) -> None:
    assert audited_text(message)[1] == text


def test_g0_a_letter_keeps_its_salutation_and_signature() -> None:
    letter = f"Dear customer,\n{CLAIM}\nKind regards,\nThe Bank"
    assert audited_text(f"Check this e-mail against the Rulebook:\n\n{letter}")[1] == letter


def test_g0_only_statements_of_a_message_are_its_own_text() -> None:
    assert own_statement(f"{CLAIM} Is that ok under the rulebook?") == CLAIM
    assert own_statement("Audit our policy against the rulebook") == ""


@pytest.mark.parametrize(
    ("request_", "focus"),
    [
        ("Audit xdoc against xdoc: focus on complaints and record keeping", "complaints and record keeping"),
        ("Audit xdoc against xdoc on these points: complaints, outsourcing", "complaints, outsourcing"),
        ("does the policy meet the rulebook on complaints?", "complaints"),
        ("check xdoc against xdoc, with a focus on marketing, please", "marketing"),
        ("audit xdoc against xdoc, focus on exit plans only", "exit plans"),
        ("audit xdoc against xdoc but only the parts on breach notification", "breach notification"),
        ("audit xdoc against the guideline on outsourcing", ""),
        ("audit our policy regarding gifts against the rulebook", ""),
        ("audit xdoc against xdoc", ""),
    ],
)
def test_g0_what_an_audit_is_limited_to(request_: str, focus: str) -> None:
    assert focus_of(request_, ["Guideline on Outsourcing Arrangements", "Gifts Policy"]) == focus


def test_g0_a_clause_concerns_a_topic_by_its_words_or_its_heading() -> None:
    assert concerns("complaints and record keeping", "Every complaint is answered within 8 weeks.")
    assert concerns("outsourcing", "The contract is in writing.", "Part 5 Outsourcing")
    assert not concerns("record keeping", "The board meets once a year.", "Part 1 Governance")
    assert concerns("", "Anything.")
