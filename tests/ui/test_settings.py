"""What every page has in common, and the samples (U1, U8, R9, X3, X4)."""

from __future__ import annotations

import gc
import time
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import library
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.errors import DatabaseUnavailable, RunInProgress
from policypal.ui import deps
from tests.architecture.source_files import ROOT
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.ui.conftest import Desk, assert_healthy, labels, press, texts

_PAGES = ("chat", "documents", "audit_reports", "settings")


@pytest.mark.parametrize("name", _PAGES)
def test_u1_a_page_opened_without_the_frame_is_guarded_and_works(analyst: User, name: str) -> None:
    tab = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=30)
    tab.session_state["framed"] = True  # links to other scripts need the app around them
    tab.run()
    assert_healthy(tab)
    assert texts(tab)


def test_u2b_what_lives_as_long_as_the_process_is_not_collected_after_every_draw(desk: Desk) -> None:
    until = time.monotonic() + LONGEST_WAIT_SECONDS
    while gc.get_freeze_count() < 100_000 and time.monotonic() < until:
        time.sleep(0.1)
    assert gc.get_freeze_count() >= 100_000
    served = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    assert served["runner"]["postScriptGC"] is False


@pytest.mark.parametrize("name", _PAGES)
def test_x4_a_page_without_a_database_says_so_and_stops(desk: Desk, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable() -> Container:
        raise DatabaseUnavailable

    monkeypatch.setattr(deps, "container", unavailable)
    tab = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=30)
    tab.session_state["framed"] = True
    tab.run()
    assert_healthy(tab)
    assert "Database unavailable" in tab.error[0].value
    assert not tab.button


@pytest.mark.parametrize(
    ("error", "title", "sentence"),
    [(ZeroDivisionError("secret detail"), "Something went wrong", ""), (RunInProgress(), RunInProgress.title, "previous message")],
)  # fmt: skip
def test_x4_a_failure_is_a_title_and_a_sentence_and_no_traceback(error: Exception, title: str, sentence: str) -> None:
    def script(error: Exception) -> None:
        from policypal.ui import errors

        with errors.shown(stop=True):
            raise error

    tab = AppTest.from_function(script, args=(error,)).run()
    assert_healthy(tab)
    shown = tab.error[0].value
    assert title in shown and sentence in shown and "secret detail" not in shown


def test_x4_streamlits_own_control_flow_passes_through() -> None:
    def script() -> None:
        import streamlit as st

        from policypal.ui import errors

        with errors.shown():
            if not st.session_state.get("again"):
                st.session_state["again"] = True
                st.rerun()
            st.text("second run")
            st.stop()
        st.text("never")

    tab = AppTest.from_function(script).run()
    assert [t.value for t in tab.text] == ["second run"]
    assert not tab.error


def test_r9_the_samples_are_removed_in_one_click(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("settings")
    press(tab, "remove_samples")
    assert library.list_documents(*desk) == []
    assert "Add sample documents" in labels(tab)


def test_x3_settings_come_from_streamlits_secrets_and_a_missing_file_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script() -> None:
        import streamlit as st

        from policypal.ui import deps

        st.json({k: str(v) for k, v in deps.secret_settings().items()})

    assert AppTest.from_function(script).run().json[0].value == "{}"
    tab = AppTest.from_function(script)
    tab.secrets["POLICYPAL_MAX_PAGES"] = 7
    tab.secrets["unrelated"] = "x"
    assert tab.run().json[0].value == '{"POLICYPAL_MAX_PAGES": "7"}'
