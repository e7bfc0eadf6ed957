"""The profile is asked once, kept, and reaches what is written for its owner, on either engine (U9, A1, M7)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application import ask, profile
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.users import Profile, User
from policypal.errors import InvalidInput
from tests.support.conversation import Speaker, answered_by
from tests.support.openai_server import OpenAIServer

RULES = """Payment Rules
1. A payment institution in Malaysia must report an outage to the central bank within 24 hours.
2. An issuer of prepaid cards must hold the money of card holders in a separate account.
3. A fund manager must value its funds every day and publish the value."""
KINARA = Profile("Kinara Pay", "Malaysia", "Payment institutions", "Issues prepaid cards to students", asked=True)


@pytest.fixture
def speaker(any_app: Container, any_user: User, model_server: OpenAIServer) -> Speaker:
    return Speaker(any_app, any_user, model_server if any_app.engine.name == "openai" else None)


@pytest.mark.parametrize("action", ["summarize", "inquire", "audit"])
def test_m7_all_of_it_reaches_the_prompts(model_app: Container, model_server: OpenAIServer, action: str) -> None:
    model_server.reset()
    speaker = Speaker(model_app, User(id=str(uuid4()), email=""), model_server)
    users_db.ensure_user(model_app.db, speaker.user)
    profile.save(speaker.app, speaker.user, KINARA)
    rules = speaker.add("Payment Rules", RULES)
    model_server.requests.clear()
    message = "Audit this: We report outages within a week." if action == "audit" else "What about outages?"
    speaker.anyway(speaker.say(message, rules, action=action))
    prompts = [
        str(r.messages[0]["content"]) for r in model_server.requests if r.task in ("Summary", "Answer", "Judgements")
    ]
    assert prompts
    for told in (KINARA.company, KINARA.country, KINARA.industry, KINARA.description):
        assert all(told in prompt for prompt in prompts)


def test_a1_a_keyless_summary_says_what_names_the_company(speaker: Speaker) -> None:
    rules = speaker.add("Payment Rules", RULES)
    request = ask.Request(
        message="Summarize", document_ids=(rules.id,), action=ask.Action.SUMMARIZE, without_model=True
    )
    assert "What this means for you" not in answered_by(speaker.send(request)).response
    profile.save(speaker.app, speaker.user, KINARA)
    again = ask.Request(message="Summarize", document_ids=(rules.id,), action=ask.Action.SUMMARIZE, without_model=True)
    answer = answered_by(speaker.send(again))
    section = answer.response.split("What this means for you")[1]
    assert "Malaysia (your country)" in section and "24 hours" in section
    assert "prepaid cards (what your company does)" in section and "separate account" in section
    assert "fund manager" not in section.replace("Payment Rules", "")
    assert all(c.verified for c in answer.citations)
    assert "⚠" not in section, "no sentence is flagged"


def test_u9_a_profile_is_kept_as_it_was_written_and_can_be_emptied(app: Container, user: User) -> None:
    assert profile.load(app, user) == Profile()
    profile.save(app, user, Profile("  Kinara\x00 ", "Malaysia", "", "d" * 2000, asked=True))
    assert profile.load(app, user) == Profile("Kinara", "Malaysia", "", "d" * 2000, asked=True)
    profile.save(app, user, Profile(asked=True))
    assert profile.load(app, user) == Profile(asked=True)


@pytest.mark.parametrize("longest", [Profile(country="c" * 201), Profile(description="d" * 2001)])
def test_u9_what_is_too_long_is_refused(app: Container, user: User, longest: Profile) -> None:
    with pytest.raises(InvalidInput, match="200"):
        profile.save(app, user, longest)
    assert profile.load(app, user) == Profile()
