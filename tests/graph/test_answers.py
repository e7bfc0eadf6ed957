"""Answers, on both engines: the user's words, provisions by label and heading, editions in force, nearest passages (A2)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from tests.support.conversation import Speaker, answered_by
from tests.support.openai_answers import said

REGULATION = """CHAPTER II

PRINCIPLES

Article 8
Conditions applicable to the consent of a child
1. The processing of the data of a child shall be lawful where the child is at least 16 years old.
2. The controller shall make reasonable efforts to verify that consent is given by the holder of parental responsibility.

Article 17
Right to erasure
1. A person shall have the right to obtain the erasure of personal data without undue delay.
2. Paragraph 1 shall not apply where processing is necessary for the defence of legal claims.

Article 83
Administrative fines
1. An infringement of Article 8 shall be subject to a fine of up to 20 000 000 EUR.
"""
RULEBOOK = """Part 4 Records

4.1 A bank must keep records for {years} years.

Part 5 Outsourcing

5.1 A bank must assess a provider before it enters into an outsourcing arrangement.
5.2 Every outsourcing agreement must be in writing. The agreement must give the Authority access to the premises.
"""


@pytest.fixture
def keyless(app: Container) -> Speaker:
    user = User(id=str(uuid4()), email="someone@example.org")
    users_db.ensure_user(app.db, user)
    return Speaker(app, user)


@pytest.fixture
def gdpr(speaker: Speaker) -> Document:
    return speaker.add("General Data Protection Regulation", REGULATION, version="2016", aliases=("GDPR",))


@pytest.fixture
def editions(speaker: Speaker) -> tuple[Document, Document]:
    old = speaker.add("Conduct Rulebook", RULEBOOK.format(years="five"), version="2023")
    new = speaker.add("Conduct Rulebook", RULEBOOK.format(years="seven"), version="2025")
    return old, new


def answer(speaker: Speaker, message: str, *documents: Document) -> ResponseEvent:
    return answered_by(speaker.say(message, *documents, action="inquire"))


@pytest.mark.parametrize("name", ["the GDPR", "the General Data Protection Regulation", "@GDPR", "it"])
def test_a2_a_document_is_asked_about_by_title_alias_and_tag_alike(speaker: Speaker, gdpr: Document, name: str) -> None:
    speaker.model_reads(documents=[gdpr.id])
    response = answer(speaker, f"What does {name} say about consent of children?", *([gdpr] if name == "it" else []))
    if speaker.server is None:
        assert "at least 16 years old" in response.response
        assert response.retrieval_confidence in ("high", "medium")
    else:  # the model reads the section whole, and the words as they were typed
        (prompt,) = speaker.prompts("Answer")
        question = prompt.split("<question>")[1]
        assert f"{name.lstrip('@')} say about consent of children?" in question.replace(
            "General Data Protection Regulation (2016)", "GDPR"
        )
        assert "at least 16 years old" in prompt


def test_a2_a_model_gets_the_users_own_words(modeller: Speaker) -> None:
    """B3: which is stricter cannot be told from a question without its documents."""
    one = modeller.add("Conduct Policy", "We report incidents within 24 hours.")
    two = modeller.add("Incident Rulebook", "A bank must report incidents within 4 hours.", version="2025")
    modeller.model_reads(documents=[one.id, two.id])
    asked = "Is the Conduct Policy less strict than the 2025 Incident Rulebook on incidents?"
    thread = answer(modeller, asked).thread_id
    modeller.say("And is the Incident Rulebook clearer?", thread=thread, action="inquire")
    first, second = modeller.prompts("Answer")[-2:]
    assert f"<question>\n{asked}\n</question>" in first
    assert f"user: {asked}" in second
    assert asked in modeller.prompts("Route")[0]


@pytest.mark.parametrize(
    ("question", "label", "begins", "other"),
    [
        (
            "What does article 17 of the GDPR say?",
            "Art. 17(1)",
            "A person shall have the right to obtain the erasure",
            "fine",
        ),
        ("article 17", "Art. 17(1)", "A person shall have the right", "fine"),
        ("Article 17(2)", "Art. 17(2)", "Paragraph 1 shall not apply", "right to obtain"),
    ],
)
def test_a2_a_provision_asked_for_by_number_is_shown_whole(
    speaker: Speaker, gdpr: Document, question: str, label: str, begins: str, other: str
) -> None:
    response = answer(speaker, question, gdpr)
    if speaker.server is not None:
        assert f". {begins}" in speaker.prompts("Answer")[-1]
        return
    assert f"**{label}** {begins}" in response.response and other not in response.response
    assert "**Art. 17(" in response.response and {c.provision[:7] for c in response.citations} == {"Art. 17"}
    assert response.citations and all(c.verified and c.quote in REGULATION for c in response.citations)
    assert (response.retrieval_confidence, response.confidence_score) == ("high", 1.0)


def test_u11_a_message_that_opens_with_provisions_is_answered_from_them_alone(speaker: Speaker, gdpr: Document) -> None:
    response = answer(speaker, "Art. 17(2), Art. 8(1): from which age is consent lawful?", gdpr)
    if speaker.server is not None:
        prompt = speaker.prompts("Answer")[-1]
        assert "at least 16 years old" in prompt and "defence of legal claims" in prompt
        assert "parental responsibility" not in prompt and "20 000 000" not in prompt
        return
    assert "at least 16 years old" in response.response
    assert {c.provision for c in response.citations} <= {"Art. 17(2)", "Art. 8(1)"}
    nothing = answer(speaker, "Art. 17(2): how high is the administrative fine for an infringement?", gdpr)
    assert "20 000 000" not in nothing.response


def test_a2_what_is_asked_inside_a_provision_is_answered_and_not_its_text(keyless: Speaker) -> None:
    document = keyless.add("Data Regulation", REGULATION)
    response = answer(keyless, "What is the maximum fine for an infringement of article 8?", document)
    assert "20 000 000 EUR" in response.response


def test_a2_a_topic_with_a_heading_is_answered_from_its_section_in_force(
    speaker: Speaker, editions: tuple[Document, Document]
) -> None:
    """G4: without a tag, from the edition in force."""
    response = answer(speaker, "What are the rules on outsourcing?")
    if speaker.server is not None:
        prompt = speaker.prompts("Answer")[-1]
        assert prompt.index("Conduct Rulebook (2025)") < prompt.index("Conduct Rulebook (2023), superseded by 2025")
        return
    in_force = response.response.index("**Conduct Rulebook (2025)**")
    assert in_force < response.response.index("**5.1** A bank must assess")
    assert "access to the premises" in response.response
    assert in_force < response.response.index("superseded by 2025")


def test_g4_the_edition_in_force_comes_first_and_the_older_one_is_marked(keyless: Speaker) -> None:
    for version, years in (("2023", "five"), ("2025", "seven")):
        keyless.add("Conduct Rulebook", RULEBOOK.format(years=years), version=version)
    shown = answer(keyless, "How many years must records be kept?").response
    assert shown.index("seven years") < shown.index("superseded by 2025") < shown.index("five years")


def test_u2d_a_sentence_is_shown_with_its_neighbour_and_without_the_documents_name(keyless: Speaker) -> None:
    document = keyless.add("Conduct Rulebook", RULEBOOK.format(years="five"))
    shown = answer(keyless, "What must the outsourcing agreement contain?", document).response
    assert "must be in writing. The agreement must give the Authority access" in shown
    assert shown.count("Conduct Rulebook") == 1 and "page" not in shown.lower().replace("premises", "")


def test_a2_a_model_that_finds_nothing_is_not_believed_that_there_is_nothing(modeller: Speaker) -> None:
    document = modeller.add("Conduct Rulebook", RULEBOOK.format(years="five"))
    claim = "In general, custody of crypto assets requires a licence."
    modeller.model_says("Answer", found=False, sentences=[said(claim)])
    response = answer(modeller, "Which licence is needed for crypto assets?", document)
    assert response.response.startswith("Nothing close (searched ")
    assert claim not in response.response
    assert 1 <= len(response.citations) <= 3 and all(c.verified for c in response.citations)
    assert (response.retrieval_confidence, response.confidence_score) == ("low", 0.0)
    assert modeller.calls(response.thread_id)["answer"] == 1


@pytest.mark.parametrize(
    "question", ["Which licence is needed for crypto assets?", "How many zebras may a bank keep in its premises?"]
)
def test_a2_nothing_close_shows_the_nearest_passages_and_rates_them_low(keyless: Speaker, question: str) -> None:
    document = keyless.add("Conduct Rulebook", RULEBOOK.format(years="five"))
    response = answer(keyless, question, document)
    assert response.response.startswith("Nothing close (searched 3 provisions of 1 document). The nearest provisions:")
    assert response.citations and response.retrieval_confidence == "low"


def test_c4_a_companys_own_words_do_not_answer_for_the_regulator_with_high_confidence(keyless: Speaker) -> None:
    keyless.add("Conduct Rulebook", RULEBOOK.format(years="five"))
    keyless.add("Capital Notes", "A bank must hold capital of 9 percent of its assets.", type=DocumentType.COMPANY)
    response = answer(keyless, "How much capital must a bank hold?")
    assert "9 percent" in response.response
    assert response.retrieval_confidence != "high"


def test_a3_a_comparisons_topic_is_free_of_aliases(keyless: Speaker) -> None:
    one = keyless.add("General Data Protection Regulation", REGULATION, aliases=("GDPR",))
    two = keyless.add(
        "Artificial Intelligence Act", "A fine of up to 35 000 000 EUR may be imposed.", aliases=("AI Act",)
    )
    response = answered_by(keyless.say("compare GDPR and AI Act on fines", one, two, action="compare"))
    assert keyless.state(response.thread_id)["topic"] == "fines"


@pytest.mark.parametrize(
    ("name", "is_missing"), [("the operational conduct framework", False), ("the Basel Framework", True)]
)
def test_g4_what_the_documents_speak_of_is_no_missing_document(keyless: Speaker, name: str, is_missing: bool) -> None:
    keyless.add("Conduct Rule", "2.1 The board must approve an operational conduct framework at least once a year.")
    response = answered_by(keyless.say(f"Who must approve {name}?"))
    assert any("could not find" in n for n in response.notices) is is_missing
