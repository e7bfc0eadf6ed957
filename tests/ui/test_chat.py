"""The chat page (U2–U6, C3, G7–G9, R9)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import ask, audits, conversations, intake, outcomes, profile, sets
from policypal.application.intake import Upload
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentType
from policypal.domain.interrupts import Answer
from policypal.domain.users import Profile, User
from policypal.samples import SAMPLE_QUESTIONS
from policypal.ui import state
from tests.architecture.source_files import ROOT
from tests.support import pdf_factory
from tests.ui.conftest import Desk, assert_healthy, labels, press, say, settle, texts

_QUESTION = SAMPLE_QUESTIONS[0]
_LOCKED = pdf_factory.encrypted_pdf(["Secret."], "open sesame")
_BOTH = "Have a look at it please"


def _thread(tab: AppTest) -> str:
    return str(tab.session_state[state.THREAD])


def _submitted(thread: str, *pieces: str | dict[str, Any], files: Sequence[tuple[str, bytes]] = ()) -> dict[str, Any]:
    """What the editor hands over: text, and tags as (attributes of) mentions."""
    nodes = [{"type": "text", "text": p} if isinstance(p, str) else {"type": "mention", "attrs": p} for p in pieces]
    content = {"type": "doc", "content": [{"type": "paragraph", "content": nodes}]}
    return {"thread": thread, "content": content, "files": list(files), "nonce": uuid4().hex, "is_plain": False}


def _tag(document: Document) -> dict[str, str]:
    return {"id": document.id, "label": document.display_title, "category": "document"}


def _with_editor(tab: AppTest) -> AppTest:
    tab.session_state[state.PLAIN_COMPOSER] = False
    tab.run()
    assert_healthy(tab)
    return tab


def _field(tab: AppTest) -> dict[str, Any]:
    """The data the editor was given."""
    return next(data for e in tab.get("bidi_component") if (data := json.loads(e.proto.json or "{}")))


def _roles(desk: Desk, tab: AppTest) -> list[str]:
    return [m.role for m in desk.messages(tab)]


def test_u9_profile_is_asked_once_and_can_be_skipped(desk: Desk) -> None:
    profile.save(*desk, Profile())
    tab = desk.open()
    assert "Skip for now" in labels(tab)
    press(tab, "skip_profile")
    assert "Skip for now" not in labels(tab)
    assert "Skip for now" not in labels(desk.open())


def test_u9_profile_given_at_first_start_is_kept(desk: Desk) -> None:
    profile.save(*desk, Profile())
    tab = desk.open()
    next(t for t in tab.text_input if t.label == "Company").input("Norhaven Bank")
    press(tab, "Save and continue")
    assert profile.load(*desk) == Profile(company="Norhaven Bank", asked=True)


def test_r9_an_empty_library_offers_the_samples(desk: Desk, no_documents: None) -> None:
    tab = desk.open()
    assert "Add sample documents" in labels(tab)
    press(tab, "add_samples")
    assert "Add sample documents" not in labels(tab)


def test_r9_a_sample_question_is_one_click_and_its_answer_has_chips_a_badge_and_its_steps(
    desk: Desk, samples: list[Document]
) -> None:
    tab = settle(press(desk.open(), f"{state.SUGGESTION}_0"))
    assert _roles(desk, tab) == ["user", "assistant"]
    shown = texts(tab)
    assert 'class="pp-cite"' in shown and "Operational Conduct and Data Rulebook (2025)" in shown  # C3
    assert "Exact provision</span>" in shown  # C4
    assert "<summary>How this was done" in shown and "doc resolver" in shown  # U4


def test_u6_the_same_message_sent_by_two_runs_of_a_page_is_one(desk: Desk, samples: list[Document]) -> None:
    """A click elsewhere may end a page run after sending and before it could say so: the repetition changes nothing."""
    tab = desk.open()
    written = _submitted(tab.session_state[state.NEW_THREAD], _QUESTION)
    for _ in range(2):
        tab.session_state[state.SUBMITTED] = written
        settle(tab.run())
        assert _roles(desk, tab) == ["user", "assistant"]
    tab.session_state[state.SUBMITTED] = _submitted(_thread(tab), _QUESTION)
    settle(tab.run())
    assert _roles(desk, tab) == ["user", "assistant", "user", "assistant"]


def test_g0_the_request_is_shown_changed_and_run_again_and_the_second_action_is_one_click(
    desk: Desk, samples: list[Document]
) -> None:
    tab = say(desk.open(), f"Summarize the Rulebook 2025 and then audit the {samples[3].title} against it")
    assert not tab.exception
    assert "data-pp-request" in texts(tab) and "Rulebook (2025)" in texts(tab)
    (then,) = [b for b in tab.button if b.label.startswith("Next: Audit")]
    then.click().run()
    settle(tab)
    assert _roles(desk, tab) == ["user", "assistant"] * 2
    assert not [b for b in tab.button if b.label.startswith("Next:")]
    field = next(f for f in tab.text_input if f.label == "Focus")
    field.set_value("incidents").run()
    press(tab, "Run again")
    settle(tab)
    assert "focus: incidents" in texts(tab)
    assert _roles(desk, tab) == ["user", "assistant"] * 3


def test_g9_a_message_while_a_question_is_open_changes_nothing_and_is_not_lost(
    desk: Desk, samples: list[Document]
) -> None:
    idle = say(desk.open(), _QUESTION)
    asking = say(desk.open(thread=_thread(idle)), "@Compare @Rulebook 2025")
    before = _roles(desk, asking)
    idle.chat_input[0].set_value("One more thing").run()
    assert_healthy(idle)
    assert "Please answer first" in idle.error[0].value
    assert "One more thing" in [c.value for c in idle.code]
    assert _roles(desk, asking) == before


def test_g7_a_text_answer_goes_through_the_composer(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), "@Compare @Rulebook 2025")
    assert not tab.chat_input[0].disabled
    assert tab.multiselect
    say(tab, "@Rulebook 2023")
    assert _roles(desk, tab) == ["user", "pal_assist", "assistant"]
    assert "Operational Conduct and Data Rulebook (2023)" in texts(tab)


def test_m8_an_answer_whose_run_was_lost_is_taken_up_once_and_noted_once(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), "@Compare @Rulebook 2025")
    thread = _thread(tab)
    question = ask.pending(desk.app, desk.user, thread)
    assert question is not None
    note = partial(
        outcomes.note_answer, desk.app, desk.user.id, thread,
        question=question, answer=Answer(type=question.interrupt_type, document_ids=[samples[0].id]),
    )  # fmt: skip
    note(run_id=str(uuid4()))  # the process died, and so did the one that took the answer up
    note(run_id=str(uuid4()))
    again = desk.open(thread=thread)
    assert texts(again).count('class="pp-note"') == 1
    assert [e.label for e in again.expander] == ["Answer PalAssist differently"], "going on is offered above"
    press(again, "Go on")
    settle(again)
    assert _roles(desk, again) == ["user", "pal_assist", "pal_assist", "pal_assist", "assistant"]
    assert texts(again).count('class="pp-note"') == 1


def test_g9_who_asks_something_else_instead_of_naming_a_document_is_answered(
    desk: Desk, samples: list[Document]
) -> None:
    tab = say(desk.open(), "@Compare @Rulebook 2025")
    say(tab, _QUESTION)
    assert _roles(desk, tab) == ["user", "pal_assist", "assistant", "user", "assistant"]
    answer = desk.messages(tab)[-1]
    assert answer.payload["action"] == "inquire" and answer.citations
    again = say(desk.open(), "@Compare @Rulebook 2025")
    say(again, "What about the Guideline?")  # it names one
    assert _roles(desk, again) == ["user", "pal_assist", "assistant"]


def test_g7_a_document_picked_from_the_list_answers_too(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), "@Compare @Rulebook 2025")
    tab.multiselect[0].set_value([samples[0].id]).run()
    press(tab, "Use these documents")
    settle(tab)
    assert _roles(desk, tab) == ["user", "pal_assist", "assistant"]
    assert f"→ @{samples[0].display_title}" in texts(tab)  # the note names them


def test_u2c_an_audit_is_a_card_that_links_its_report(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), SAMPLE_QUESTIONS[5])
    (report,) = audits.list_reports(*desk)
    assert report.findings
    assert any(link.proto.label == "Open the audit report" for link in tab.get("page_link"))
    worst = min(report.findings, key=lambda f: f.severity.rank)
    assert f">{worst.severity}</span>" in texts(tab) and escape(worst.title) in texts(tab)
    assert texts(tab).count("<li><div>") == min(3, len(report.findings)) and report.findings[0].suggestion not in texts(
        tab
    )


def test_u2_conversations_are_listed_searched_renamed_and_deleted(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _QUESTION)
    thread = _thread(tab)
    assert f"chat_{thread}" in [b.key for b in tab.button]
    tab.text_input(key=state.CHAT_SEARCH).set_value("no conversation says this").run()
    assert f"chat_{thread}" not in [b.key for b in tab.button]
    tab.text_input(key=state.CHAT_SEARCH).set_value("major incident").run()
    assert f"chat_{thread}" in [b.key for b in tab.button]
    _choose(tab, f"menu_{thread}", "Rename")
    next(t for t in tab.text_input if t.label == "Name").input("Incidents")
    press(tab, "Rename")
    assert "<h1" in texts(tab) and "Incidents</h1>" in texts(tab)
    _choose(tab, f"menu_head_{thread}", "Delete")
    press(tab, "delete_conversation")
    assert conversations.list_conversations(*desk) == []
    assert state.PARAM_THREAD not in tab.query_params


def test_u2_a_pinned_conversation_stays_on_top_until_it_is_unpinned(desk: Desk, samples: list[Document]) -> None:
    first, second = (_thread(say(desk.open(), _QUESTION)) for _ in range(2))
    tab = desk.open()
    assert _listed(tab) == [second, first]
    _choose(tab, f"menu_{first}", "Pin")
    assert _listed(tab) == [first, second] and ">Pinned</div>" in texts(tab)
    assert state.PARAM_THREAD not in tab.query_params  # it was pinned, not opened
    _choose(tab, f"menu_{first}", "Unpin")
    assert _listed(tab) == [second, first] and ">Pinned</div>" not in texts(tab)


def _choose(tab: AppTest, key: str, choice: str) -> None:
    menu = tab.menu_button(key=key)
    menu.click(next(option for option in menu.options if option.endswith(f" {choice}"))).run()
    assert_healthy(tab)


def _listed(tab: AppTest) -> list[str]:
    return [b.key.removeprefix("chat_") for b in tab.button if b.key and b.key.startswith("chat_")]


@pytest.mark.parametrize("thread", ["5f0c1d9e-2b7a-4c3d-8e6f-90a1b2c3d4e5", "'; DROP TABLE messages; --"])
def test_x1_a_thread_that_is_not_mine_or_no_id_is_not_found(desk: Desk, thread: str) -> None:
    tab = desk.open(thread=thread)
    assert "does not exist" in tab.error[0].value
    assert state.PARAM_THREAD not in tab.query_params


def test_m8_an_empty_attachment_or_message_is_refused_in_words(desk: Desk) -> None:
    tab = desk.open()
    tab.chat_input[0].set_value("   ").run()
    assert_healthy(tab)
    assert "Please write a message" in tab.error[0].value


def test_u6_a_message_reaches_its_own_conversation_even_if_another_is_opened_meanwhile(
    desk: Desk, samples: list[Document]
) -> None:
    """A click on another conversation may end the page before it has sent what was typed."""
    first, second = (_thread(say(desk.open(), _QUESTION)) for _ in range(2))
    tab = desk.open(thread=second)
    tab.session_state[state.SUBMITTED] = _submitted(first, SAMPLE_QUESTIONS[1])
    settle(tab.run())
    assert len(conversations.history(*desk, first).messages) == 4
    assert len(conversations.history(*desk, second).messages) == 2


def test_g7_documents_tagged_in_an_answer_are_its_documents(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), "@Compare @Rulebook 2025")
    older = next(d for d in samples if d.version == "2023")
    tab.session_state[state.SUBMITTED] = _submitted(_thread(tab), "with ", _tag(older))
    settle(tab.run())
    assert _roles(desk, tab) == ["user", "pal_assist", "assistant"]
    note = desk.messages(tab)[1]
    assert note.payload["answer"]["document_ids"] == [older.id]


def test_u3_an_attached_draft_is_audited(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open()
    newer = next(d for d in samples if d.version == "2025")
    draft = b"Major incidents are reported to the Authority within ten days.\n\nCustomer records are kept for one year."
    tab.session_state[state.SUBMITTED] = _submitted(
        tab.session_state[state.NEW_THREAD], "Audit this against ", _tag(newer), files=[("notice.txt", draft)]
    )
    settle(tab.run())
    (report,) = audits.list_reports(*desk)
    assert "notice" in report.title
    assert report.findings


def test_m8_a_draft_that_cannot_be_read_is_refused_and_the_message_comes_back(
    desk: Desk, samples: list[Document]
) -> None:
    tab = _with_editor(desk.open())
    thread = tab.session_state[state.NEW_THREAD]
    tab.session_state[state.SUBMITTED] = _submitted(thread, "Audit this", files=[("locked.pdf", _LOCKED)])
    tab.run()
    assert_healthy(tab)
    assert "Password required" in tab.error[0].value
    assert any("locked" in c.value and "once more" in c.value for c in tab.caption)
    assert _field(tab)["draft"]["content"]["content"][0]["content"] == [{"type": "text", "text": "Audit this"}]
    assert conversations.list_conversations(*desk) == []
    assert state.SUBMITTED not in tab.session_state


def test_m8_what_could_not_be_sent_is_put_back_into_the_field(desk: Desk, samples: list[Document]) -> None:
    tab = _with_editor(say(desk.open(), _BOTH))
    before = _roles(desk, tab)
    revisions = [_field(tab)["draft"]["revision"]]
    for words in ("One more thing", "And another"):
        tab.session_state[state.SUBMITTED] = _submitted(_thread(tab), words)
        tab.run()
        assert "Please answer first" in tab.error[0].value
        draft = _field(tab)["draft"]
        revisions.append(draft["revision"])
        assert draft["content"]["content"][0]["content"][0]["text"] == words
    assert revisions == sorted(set(revisions))
    assert _roles(desk, tab) == before


def test_u3_the_editor_offers_what_can_be_tagged(desk: Desk, samples: list[Document]) -> None:
    waiting = intake.add_document(*desk, Upload("locked.pdf", _LOCKED, DocumentType.COMPANY))
    intake.wait_until_final(*desk, [waiting.id])
    offered = {s["id"]: s for s in _field(_with_editor(desk.open()))["suggestions"]}
    tagged = {s.id for s in sets.list_sets(*desk)} & set(offered)
    assert {*(a.value for a in Action), "web", *tagged, *(d.id for d in samples)} == set(offered)
    for document in samples:
        shown = offered[document.id]
        assert shown["label"] == document.display_title
        assert shown["colour"] == ("gold" if document.type is DocumentType.REGULATORY else "green")
        assert f"{document.pages} page" in shown["detail"]
        assert shown["aliases"] == list(document.aliases)
    assert any(document.aliases for document in samples)
    assert all(offered[s]["colour"].startswith("#") for s in tagged) and tagged


def test_u3_the_address_can_ask_for_the_plain_input(analyst: User) -> None:
    tab = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    assert not tab.run().chat_input
    tab.query_params[state.PARAM_PLAIN] = "1"
    assert tab.run().chat_input
    tab.query_params.clear()
    assert tab.run().chat_input


def test_u2b_a_long_conversation_shows_its_latest_questions_and_the_others_by_a_click(
    desk: Desk, samples: list[Document]
) -> None:
    thread = _thread(say(desk.open(), _QUESTION))
    for number in range(14):
        ask.send(*desk, thread, ask.Request(message=f"Question {number}: how long must records be kept?"))
        assert list(ask.events(*desk, thread, timeout_seconds=60))
    tab = desk.open(thread=thread)
    asked = [m.content for m in conversations.history(*desk, thread).messages if m.role == "user"]
    assert [words in texts(tab) for words in asked] == [False] * 5 + [True] * 10
    press(tab, "earlier")
    assert all(words in texts(tab) for words in asked)
    say(tab, "And how long must complaints be kept?")
    assert asked[0] in texts(tab)  # once shown they stay
