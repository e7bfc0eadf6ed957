"""What a turn is about, on both engines: the right thing is audited, names ask for nothing, the edition in force is meant (G0, G4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from policypal.application.ask import Draft
from policypal.domain.audits import AuditReport
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import Event
from tests.support.conversation import Speaker, answered_by, asked_by, labels
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE

RULEBOOK = f"{RECORDS_RULE}\n\nSection 3. Complaints\n\n{OTHER_RULE.split('Complaints', 1)[1].strip()}\n"
CLAIM = "We share customer records with any partner who asks for them."


@dataclass(frozen=True)
class House:
    """A bank's library: its policy, and two editions of what binds it."""

    speaker: Speaker
    policy: Document
    old: Document
    new: Document

    def audits(self, message: str, *meant: Document, **more: Any) -> Event:
        """Send a message that both engines take for an audit; a model finds ``meant`` in it."""
        self.speaker.model_reads(action="audit", requested_actions=["audit"])
        self.speaker.model_reads(documents=[d.id for d in meant])
        return self.speaker.say(message, **more)


@pytest.fixture
def house(speaker: Speaker) -> House:
    policy = speaker.add("Records Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    old = speaker.add("Harbour Rulebook", RULEBOOK.replace("seven", "six"), version="2023")
    new = speaker.add("Harbour Rulebook", RULEBOOK, version="2025")
    return House(speaker, policy, old, new)


def audited(event: Event) -> AuditReport:
    report = answered_by(event).report
    assert report is not None
    return report


@pytest.mark.parametrize(
    ("message", "focus"),
    [
        ("Audit the Records Policy against the Harbour Rulebook.\nThanks and best regards,\nAnna", ""),
        ("Hi team,\n\nplease audit our policy against the rulebook.\n\nKind regards\nAnna Lind", ""),
        ("Audit the Records Policy against the Harbour Rulebook: focus on complaints", "complaints"),
        ("Audit the Records Policy against the Harbour Rulebook on these points: complaints, outsourcing", "complaints, outsourcing"),
        ("Does our policy meet the Harbour Rulebook on complaints?", "complaints"),
    ],
)  # fmt: skip
def test_g0_signatures_greetings_and_topics_are_not_the_text_to_audit(house: House, message: str, focus: str) -> None:
    response = answered_by(house.audits(message, house.policy, house.new))
    report = audited(response)
    assert (report.source_document_id, report.source_text) == (house.policy.id, None)
    assert (report.targets_checked, report.focus) == (("Harbour Rulebook (2025)",), focus)
    assert response.response.startswith("Audited: **Records Policy** against **Harbour Rulebook (2025)**")
    assert (f"limited to **{focus}**" in response.response) == bool(focus)
    material = [prompt.partition("The user asked")[0] for prompt in house.speaker.prompts("Judgements")]
    assert not any("Anna" in prompt for prompt in material), "the request is told word for word, and is no material"


def test_g0_findings_and_coverage_are_limited_to_the_focus(house: House) -> None:
    report = audited(
        house.audits("Audit our policy against the rulebook, only regarding complaints", house.policy, house.new)
    )
    if house.speaker.server is None:
        assert report.findings or report.coverage or report.not_assessed
        told = [*(f.target_quote for f in report.findings), *(r.obligation for r in report.coverage or ())]
        assert all("complaint" in quote for quote in told), told
    else:
        assert all("complaints" in prompt.partition("FOCUS:")[2] for prompt in house.speaker.prompts("Judgements"))


def test_g0_a_statement_after_the_request_is_the_text(house: House) -> None:
    for message in (
        f"Audit this text against the Harbour Rulebook: {CLAIM}",
        f"{CLAIM}\n\nIs that ok under the rulebook?",
    ):
        report = audited(house.audits(message, house.new))
        assert (report.source_text, report.targets_checked) == (CLAIM, ("Harbour Rulebook (2025)",))


def test_g0_a_sentence_sent_as_an_audit_is_the_text(house: House) -> None:
    report = audited(house.speaker.say(CLAIM, house.new, action="audit"))
    assert (report.source_text, report.targets_checked) == (CLAIM, ("Harbour Rulebook (2025)",))


@pytest.mark.parametrize("choice", ["policy", "text"])
def test_g0_a_policy_and_a_text_are_two_sources_so_it_is_asked(house: House, choice: str) -> None:
    event = house.audits(f"Audit our policy against the Harbour Rulebook 2025.\n\n{CLAIM}", house.policy, house.new)
    question = asked_by(event, "doc_choice")
    assert labels(question) == [
        "Records Policy",
        "The text “We share customer records with any partner who asks for …”",
    ]
    assert not question.allow_multiple
    value = house.policy.id if choice == "policy" else "text"
    report = audited(house.speaker.reply(question, value))
    assert report.targets_checked == ("Harbour Rulebook (2025)",)
    assert report.source_text == (None if choice == "policy" else CLAIM)


def test_g0_a_company_document_is_a_rule_only_where_it_is_said(house: House) -> None:
    report = audited(house.audits(f"Is this in line with our policy: {CLAIM}", house.policy))
    assert (report.source_text, report.targets_checked) == (CLAIM, ("Records Policy",))
    risk = house.speaker.add("Risk Procedure", OTHER_RULE, type=DocumentType.COMPANY)
    procedure = house.speaker.add("Media Procedure", COMPANY_POLICY.replace("72", "48"), type=DocumentType.COMPANY)
    event = house.audits("Audit our procedures against the Harbour Rulebook 2025", procedure, risk, house.new)
    response = answered_by(event)
    assert audited(response).targets_checked == ("Harbour Rulebook (2025)",)
    assert response.request is not None
    (then,) = response.request.queue
    assert {*response.request.sources, *(then.request or response.request).sources} == {procedure.id, risk.id}
    event = house.audits(
        f"Audit “{CLAIM}” and our procedures against the Harbour Rulebook 2025", procedure, risk, house.new
    )
    question = asked_by(event, "doc_choice")
    response = answered_by(house.speaker.reply(question, procedure.id))
    assert any("Left out of this audit: Risk Procedure" in notice for notice in response.notices)


def test_g0_a_word_beside_a_tag_adds_no_other_edition(house: House) -> None:
    house.speaker.model_reads(action="audit", requested_actions=["audit"])
    house.speaker.model_reads(documents=[house.old.id])
    report = audited(house.speaker.say(f"Check this e-mail against the rulebook: {CLAIM}", house.new))
    assert report.targets_checked == ("Harbour Rulebook (2025)",)


def test_g0_an_attachment_can_be_left_aside(house: House) -> None:
    draft = Draft("answers.txt", CLAIM)
    message = "Audit our policy against the Harbour Rulebook, ignore the attachment for now"
    assert audited(house.audits(message, house.policy, house.new, draft=draft)).source_document_id == house.policy.id


def test_g0_words_of_a_title_ask_for_nothing(house: House) -> None:
    overview = house.speaker.add("Customer Due Diligence Overview", RULEBOOK.replace("customer", "client"))
    response = answered_by(
        house.audits("Audit the Records Policy against the Customer Due Diligence Overview", house.policy, overview)
    )
    assert response.action == "audit"
    assert audited(response).targets_checked == ("Customer Due Diligence Overview",)
    intents = house.speaker.prompts("Route")
    assert all("Customer Due Diligence Overview" in prompt for prompt in intents), "a model gets the words as written"


def test_g4_the_edition_in_force_is_taken_and_the_others_are_named(house: House) -> None:
    house.speaker.model_reads(action="summarize")
    house.speaker.model_reads(documents=[house.old.id])
    response = answered_by(house.speaker.say("Summarize the Harbour Rulebook"))
    assert [d.id for d in response.documents] == [house.new.id]
    assert any(
        "Harbour Rulebook (2025), the edition in force" in n and "Harbour Rulebook (2023)" in n
        for n in response.notices
    )
    earlier = answered_by(house.speaker.say("Summarize the old Harbour Rulebook"))
    assert [d.id for d in earlier.documents] == [house.old.id]
    assert not any("edition in force" in n for n in earlier.notices)


def test_g4_options_show_which_editions_are_superseded(house: House) -> None:
    house.speaker.add("Conduct Rule", OTHER_RULE)
    question = asked_by(house.audits("Audit the Records Policy", house.policy), "doc_choice")
    shown = labels(question)
    assert "Harbour Rulebook (2023) · superseded" in shown
    assert shown.index("Harbour Rulebook (2025)") < shown.index("Harbour Rulebook (2023) · superseded")


def test_g4_a_question_asks_for_no_document(house: House) -> None:
    house.speaker.model_reads(action="inquire")
    house.speaker.model_reads(unknown=["the XYZ Guidelines"])
    message = "What do the XYZ Guidelines say about the complaints register?"
    response = house.speaker.anyway(house.speaker.say(message))
    assert any("XYZ Guidelines" in n and "your whole library" in n for n in response.notices)


def test_m8_an_unknown_name_does_not_throw_away_the_candidates_of_another(house: House) -> None:
    other = house.speaker.add("Incident Policy", COMPANY_POLICY.replace("72", "48"), type=DocumentType.COMPANY)
    house.speaker.model_reads(action="compare")
    house.speaker.model_reads(candidates=[house.policy.id, other.id], unknown=["the Basel Handbook"]
    )  # fmt: skip
    question = asked_by(house.speaker.say("Compare our policy with the Basel Handbook"), "doc_choice")
    assert "the Basel Handbook" in question.message
    assert set(labels(question)) == {"Records Policy", "Incident Policy", "All of these"}


def test_m8_a_document_a_model_made_up_is_asked_about(modeller: Speaker) -> None:
    modeller.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    modeller.model_reads(action="summarize")
    modeller.model_reads(documents=["00000000-0000-4000-8000-000000000000"])
    assert asked_by(modeller.say("Summarize the rule"), "text_input").expects == "document"
