"""The chat page (U2–U6, C3, G7–G9, R9)."""

from __future__ import annotations

from uuid import uuid4

from streamlit.testing.v1 import AppTest

from policypal.application import ask, audits, conversations, profile
from policypal.application.ask import Request
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.users import Profile, User
from policypal.samples import SAMPLE_QUESTIONS
from policypal.ui import state
from tests.ui.conftest import OpenPage, assert_healthy, labels, say, settle, texts

_QUESTION = SAMPLE_QUESTIONS[0]
_BOTH = "Summarize it and audit it please"


def _thread(tab: AppTest) -> str:
    return str(tab.session_state[state.THREAD])


def _messages(app: Container, user: User, tab: AppTest) -> list[str]:
    return [m.role for m in conversations.history(app, user, _thread(tab)).messages]


def test_u9_profile_is_asked_once_and_can_be_skipped(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    profile.save(ui_app, analyst, Profile())
    tab = open_page()
    assert "Skip for now" in labels(tab)
    tab.button(key="skip_profile").click().run()
    assert "Skip for now" not in labels(tab)
    assert "Skip for now" not in labels(open_page())


def test_u9_profile_given_at_first_start_is_kept(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    profile.save(ui_app, analyst, Profile())
    tab = open_page()
    next(t for t in tab.text_input if t.label == "Company").input("Norhaven Bank")
    next(b for b in tab.button if b.label == "Save and continue").click().run()
    assert profile.load(ui_app, analyst) == Profile(company="Norhaven Bank", asked=True)


def test_r9_an_empty_library_offers_the_samples(no_documents: None, open_page: OpenPage) -> None:
    tab = open_page()
    assert "Add sample documents" in labels(tab)
    tab.button(key="add_samples").click().run()
    assert_healthy(tab)
    assert "Add sample documents" not in labels(tab)


def test_r9_the_sample_questions_are_one_click_away(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = open_page()
    tab.button(key=f"{state.SUGGESTION}_0").click().run()
    settle(tab)
    assert _messages(ui_app, analyst, tab) == ["user", "assistant"]


def test_c3_an_answer_shows_chips_badge_cost_and_engine(samples: list[Document], open_page: OpenPage) -> None:
    shown = texts(say(open_page(), _QUESTION))
    assert 'class="pp-cite"' in shown
    assert "Operational Conduct and Data Rulebook (2025)" in shown
    assert "confidence" in shown
    assert "🪙 0 tokens · $0.00" in shown
    assert "Extractive engine: quotations and templates only" in shown


def test_u4_the_run_log_tells_the_steps_with_times(samples: list[Document], open_page: OpenPage) -> None:
    tab = say(open_page(), _QUESTION)
    assert any(e.label.startswith("How this was done") for e in tab.expander)
    assert "doc resolver" in texts(tab)


def test_c3_the_sources_panel_shows_the_page(samples: list[Document], open_page: OpenPage) -> None:
    tab = say(open_page(), _QUESTION)
    message = next(e.proto.body for e in tab.get("html") if "data-pp-open" in e.proto.body)
    key = message.split('data-pp-open="')[1].split('"')[0]
    message_id, citation = key.rsplit(":", 1)
    tab.session_state[state.OPEN_SOURCE] = {"message": message_id, "citation": int(citation)}
    tab.run()
    assert_healthy(tab)
    assert "Quote checked against the document" in texts(tab)
    assert len(tab.get("image")) == 1
    tab.button(key="close_sources").click().run()
    assert "Quote checked against the document" not in texts(tab)


def test_u6_a_reload_brings_the_conversation_back(samples: list[Document], open_page: OpenPage) -> None:
    tab = say(open_page(), _QUESTION)
    again = open_page(thread=_thread(tab))
    assert _QUESTION in texts(again)
    assert 'class="pp-cite"' in texts(again)


def test_u6_a_tab_that_comes_back_follows_the_run(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    thread = ask.new_thread_id()
    ask.send(ui_app, analyst, thread, Request(message=_QUESTION))
    tab = settle(open_page(thread=thread))
    assert 'class="pp-cite"' in texts(tab)
    assert _messages(ui_app, analyst, tab) == ["user", "assistant"]


def test_u6_the_same_message_sent_by_two_runs_of_a_page_is_one(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    """A click elsewhere may end a page run after sending and before it could say so: the repetition changes nothing."""
    tab = open_page()
    nonce, thread = tab.session_state[state.COMPOSER_NONCE], tab.session_state[state.NEW_THREAD]
    say(tab, _QUESTION)
    tab.session_state[state.COMPOSER_NONCE] = nonce
    tab.session_state[state.NEW_THREAD] = thread
    say(tab, _QUESTION)
    assert _messages(ui_app, analyst, tab) == ["user", "assistant"]
    tab.session_state[state.COMPOSER_NONCE] = nonce
    say(tab, SAMPLE_QUESTIONS[1])
    assert _messages(ui_app, analyst, tab) == ["user", "assistant", "user", "assistant"]


def test_g7_pal_assist_asks_and_a_button_answers(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = say(open_page(), f"Summarize the Rulebook 2025 and audit the {samples[3].title} against it")
    assert tab.chat_input[0].disabled
    assert {"Summarize", "Audit", "Cancel"} <= set(labels(tab))
    next(b for b in tab.button if b.label == "Summarize").click().run()
    settle(tab)
    assert _messages(ui_app, analyst, tab) == ["user", "pal_assist", "assistant"]
    assert "→ Summarize" in texts(tab)
    assert not tab.chat_input[0].disabled


def test_u5_a_question_is_there_again_after_a_reload(samples: list[Document], open_page: OpenPage) -> None:
    tab = say(open_page(), _BOTH)
    again = open_page(thread=_thread(tab))
    assert {"Summarize", "Audit", "Cancel"} <= set(labels(again))
    assert again.chat_input[0].disabled


def test_g8_cancel_leaves_the_feedback_in_the_history(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = say(open_page(), _BOTH)
    next(b for b in tab.button if b.label == "Cancel").click().run()
    settle(tab)
    assert _messages(ui_app, analyst, tab) == ["user", "pal_assist", "assistant"]
    say(tab, _QUESTION)
    assert _messages(ui_app, analyst, tab)[-2:] == ["user", "assistant"]


def test_g9_an_answer_from_a_second_tab_is_refused_in_words(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    first = say(open_page(), _BOTH)
    second = open_page(thread=_thread(first))
    next(b for b in first.button if b.label == "Cancel").click().run()
    settle(first)
    next(b for b in second.button if b.label == "Cancel").click().run()
    assert_healthy(second)
    assert _messages(ui_app, analyst, first).count("pal_assist") == 1


def test_g9_a_message_while_a_question_is_open_changes_nothing_and_is_not_lost(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    idle = say(open_page(), _QUESTION)
    asking = say(open_page(thread=_thread(idle)), _BOTH)
    before = _messages(ui_app, analyst, asking)
    idle.chat_input[0].set_value("One more thing").run()
    assert_healthy(idle)
    assert "Please answer first" in idle.error[0].value
    assert "One more thing" in [c.value for c in idle.code]
    assert _messages(ui_app, analyst, asking) == before


def test_g7_a_text_answer_goes_through_the_composer(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = say(open_page(), "@Compare @Rulebook 2025")
    assert not tab.chat_input[0].disabled
    assert tab.multiselect
    say(tab, "@Rulebook 2023")
    assert _messages(ui_app, analyst, tab) == ["user", "pal_assist", "assistant"]
    assert "Operational Conduct and Data Rulebook (2023)" in texts(tab)


def test_g7_a_document_picked_from_the_list_answers_too(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = say(open_page(), "@Compare @Rulebook 2025")
    tab.multiselect[0].set_value([samples[0].id]).run()
    next(b for b in tab.button if b.label == "Use these documents").click().run()
    settle(tab)
    assert _messages(ui_app, analyst, tab) == ["user", "pal_assist", "assistant"]


def test_a5_an_audit_links_its_report_and_offers_its_findings(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = say(open_page(), SAMPLE_QUESTIONS[5])
    (report,) = audits.list_reports(ui_app, analyst)
    assert report.findings
    assert any(f"Findings as CSV ({len(report.findings)})" == b.proto.label for b in tab.get("download_button"))
    assert f">{report.findings[0].severity}</span>" in texts(tab)


def test_u2_conversations_are_listed_searched_renamed_and_deleted(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    tab = say(open_page(), _QUESTION)
    thread = _thread(tab)
    assert f"chat_{thread}" in [b.key for b in tab.button]
    tab.text_input(key=state.CHAT_SEARCH).set_value("no conversation says this").run()
    assert f"chat_{thread}" not in [b.key for b in tab.button]
    tab.text_input(key=state.CHAT_SEARCH).set_value("major incident").run()
    assert f"chat_{thread}" in [b.key for b in tab.button]
    next(t for t in tab.text_input if t.label == "Name").input("Incidents")
    next(b for b in tab.button if b.label == "Rename").click().run()
    assert "<h1" in texts(tab) and "Incidents</h1>" in texts(tab)
    tab.checkbox(key=f"sure_{thread}").check().run()
    tab.button(key="delete_conversation").click().run()
    assert_healthy(tab)
    assert conversations.list_conversations(ui_app, analyst) == []


def test_x1_a_thread_that_is_not_mine_is_not_found(open_page: OpenPage) -> None:
    tab = open_page(thread=str(uuid4()))
    assert "does not exist" in tab.error[0].value
    assert state.PARAM_THREAD not in tab.query_params


def test_u2_a_thread_id_that_is_no_id_is_not_found(open_page: OpenPage) -> None:
    tab = open_page(thread="'; DROP TABLE messages; --")
    assert "does not exist" in tab.error[0].value


def test_m8_an_empty_attachment_or_message_is_refused_in_words(open_page: OpenPage) -> None:
    tab = open_page()
    tab.chat_input[0].set_value("   ").run()
    assert_healthy(tab)
    assert "Please write a message" in tab.error[0].value


def test_u6_a_message_reaches_its_own_conversation_even_if_another_is_opened_meanwhile(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    """A click on another conversation may end the page before it has sent what was typed."""
    first, second = (_thread(say(open_page(), _QUESTION)) for _ in range(2))
    tab = open_page(thread=second)
    typed = {"thread": first, "text": SAMPLE_QUESTIONS[1], "name": "", "draft": "", "problem": ""}
    tab.session_state[state.SUBMITTED] = typed
    settle(tab.run())
    assert len(conversations.history(ui_app, analyst, first).messages) == 4
    assert len(conversations.history(ui_app, analyst, second).messages) == 2
