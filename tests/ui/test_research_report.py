"""A finished research: report, sources, versions, timeline, forks, log (W6, U7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import pins, research
from policypal.application.container import Container
from policypal.domain.citations import Citation
from policypal.domain.documents import Document
from policypal.domain.research import Report, Source
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.research import sources as research_source_card
from tests.ui import research_page
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts


@pytest.fixture
def thread(ui_app: Container, analyst: User, samples: list[Document]) -> str:
    """A finished report about the samples; written once."""
    assert samples
    return research_page.written(ui_app, analyst, "report-page")


@pytest.fixture
def spare(ui_app: Container, analyst: User, samples: list[Document]) -> Iterator[str]:
    """A report of a test's own, and whatever it is forked into."""
    assert samples
    before = {t.thread_id for t in research.list_threads(ui_app, analyst)}
    made = research_page.written(ui_app, analyst, "spare")
    yield made
    for one in research.list_threads(ui_app, analyst):
        if one.thread_id not in before:
            research_page.finish(ui_app, analyst, one.thread_id)
            research.delete(ui_app, analyst, one.thread_id)


def test_w6_the_report_has_sections_and_clickable_markers(
    ui_app: Container, analyst: User, thread: str, open_page: OpenPage
) -> None:
    report = research_page.latest(ui_app, analyst, thread)
    shown = texts(open_page("research", thread=thread))
    assert "statements verified" in shown
    assert all(f'data-pp-open="{thread}:{c.id}"' in shown for c in report.citations if c.marker in report.markdown)
    assert shown.count(report.title) >= 1
    assert f"<h2>{report.title}</h2>" not in shown, "the title is not said twice"


def test_u7_the_panel_has_a_card_per_source_and_the_page_of_the_open_one(
    ui_app: Container, analyst: User, thread: str, open_page: OpenPage
) -> None:
    report = research_page.latest(ui_app, analyst, thread)
    cited = next(c for c in report.citations if c.document_id)
    tab = open_page("research", thread=thread)
    tab.button(key="open_sources").click().run()
    assert_healthy(tab)
    assert texts(tab).count("<b>Why used</b>") == len(report.sources)
    assert not tab.get("image")
    source = research_source_card.source_of(report, cited)
    tab.session_state[state.RESEARCH_SOURCE] = {"thread": thread, "source": source, "citation": cited.id}
    tab.run()
    assert_healthy(tab)
    assert len(tab.get("image")) == 1
    assert "pp-card pp-open" in texts(tab)
    tab.button(key="close_sources").click().run()
    assert "Why used" not in texts(tab)


def test_u7_a_pinned_source_comes_first_and_stays_pinned(
    ui_app: Container, analyst: User, thread: str, open_page: OpenPage
) -> None:
    report = research_page.latest(ui_app, analyst, thread)
    last = report.citations[-1]
    answer, _ = pins.of_latest_answer(ui_app, analyst, thread)
    pins.set_pin(ui_app, analyst, answer, last.id, pinned=True)
    tab = open_page("research", thread=thread)
    tab.button(key="open_sources").click().run()
    cards = [e.proto.body for e in tab.get("html") if e.proto.body.startswith('<div class="pp-card')]
    assert 'aria-pressed="true"' in cards[0]
    pins.set_pin(ui_app, analyst, answer, last.id, pinned=False)


def test_w6_an_edit_is_a_new_version_and_an_old_one_can_be_restored(
    ui_app: Container, analyst: User, spare: str, open_page: OpenPage
) -> None:
    tab = research_page.open_view(open_page, spare, "Edit")
    tab.text_area[0].set_value("# Mine\n\nEdited <script>alert(1)</script> by hand.").run()
    assert "&lt;script&gt;" in texts(tab), "the preview is safe"
    tab.button(key="save_report").click().run()
    assert_healthy(tab)
    assert [r.origin for r in research.reports(ui_app, analyst, spare)] == ["edited", "written"]
    tab = open_page("research", thread=spare)
    assert "edited by hand" in texts(tab)
    assert "<h2>Mine</h2>" in texts(tab), "a heading of one's own stays"
    tab.selectbox[0].select_index(1).run()
    tab.button(key="restore_version").click().run()
    assert_healthy(tab)
    versions = research.reports(ui_app, analyst, spare)
    assert [v.version for v in versions] == [3, 2, 1]
    assert versions[0].markdown.strip() == versions[2].markdown.strip()


def test_w6_a_conflict_is_told_and_nothing_typed_is_lost(
    ui_app: Container, analyst: User, spare: str, open_page: OpenPage
) -> None:
    tab = research_page.open_view(open_page, spare, "Edit")
    tab.text_area[0].set_value("# Mine\n\nMy words.").run()
    research.edit_report(ui_app, analyst, spare, "# Theirs", expected_version=1)
    tab.button(key="save_report").click().run()
    assert_healthy(tab)
    assert "Version 2 was saved meanwhile" in tab.warning[0].value
    assert tab.text_area[0].value == "# Mine\n\nMy words."
    tab.button(key="save_report").click().run()
    assert research_page.latest(ui_app, analyst, spare).markdown.strip() == "# Mine\n\nMy words."


def test_w6_what_was_typed_survives_a_look_at_the_report(thread: str, open_page: OpenPage) -> None:
    tab = research_page.open_view(open_page, thread, "Edit")
    tab.text_area[0].set_value("# Half a thought").run()
    for view in ("Timeline", "Edit"):
        tab.session_state[state.own(state.RESEARCH_VIEW, thread)] = view
        tab.run()
    assert tab.text_area[0].value == "# Half a thought"
    tab.button(key="discard_report").click().run()
    assert tab.text_area[0].value != "# Half a thought"


def _pick(tab: AppTest, app: Container, user: User, thread: str, node: str) -> str:
    step = next(s for s in research.timeline(app, user, thread) if s.node == node)
    tab.radio[0].set_value(step.checkpoint_id).run()
    assert_healthy(tab)
    return step.checkpoint_id


def test_w6_the_timeline_tells_each_step_in_words(
    ui_app: Container, analyst: User, thread: str, open_page: OpenPage
) -> None:
    tab = research_page.open_view(open_page, thread, "Timeline")
    steps = research.timeline(ui_app, analyst, thread)
    assert len(tab.radio[0].options) == len(steps) >= 5
    _pick(tab, ui_app, analyst, thread, "research")
    step = next(s for s in steps if s.node == "research")
    assert step.title in texts(tab)
    assert any(box.label.startswith("📄") for box in tab.checkbox), "its sources can be chosen"


def test_w6_a_fork_gets_only_what_was_changed_and_stands_in_the_tree(
    ui_app: Container, analyst: User, spare: str, open_page: OpenPage
) -> None:
    tab = research_page.open_view(open_page, spare, "Timeline")
    checkpoint = _pick(tab, ui_app, analyst, spare, "planner")
    key = f"{state.RESEARCH_FORK}_{checkpoint}"
    tab.text_area(key=f"{key}_plan_queries").set_value("notification deadline")
    tab.button(key=f"FormSubmitter:{key}-Fork and run").click().run()
    research_page.settle(tab)
    fork = str(tab.query_params[state.PARAM_THREAD])
    _, plan = research.plan(ui_app, analyst, fork)
    assert plan is not None and plan.queries == ["notification deadline"]
    _, original = research.plan(ui_app, analyst, spare)
    assert original is not None and original.queries != plan.queries and original.goal == plan.goal
    tab = research_page.open_view(open_page, spare, "Timeline")
    assert "Branches" in texts(tab)
    assert tab.button(key=f"research_{spare}").disabled
    tab.button(key=f"research_{fork}").click().run()
    assert_healthy(tab)
    assert "a fork after" in texts(tab)


def test_m5_the_run_log_has_the_sum_and_every_step(thread: str, open_page: OpenPage) -> None:
    shown = texts(research_page.open_view(open_page, thread, "Run log"))
    assert re.search(r"s at work · \d+ tasks · 0 errors", shown), "no cost where nothing was spent (U2d)"
    assert "<td>choose sources</td>" in shown


def test_w7_a_stopped_research_says_so_and_goes_on_with_a_click(
    ui_app: Container, analyst: User, samples: list[Document], open_page: OpenPage
) -> None:
    assert samples
    stopped = research.start(ui_app, analyst, research_page.GOAL, idempotency_key="stopped")
    assert research.stop(ui_app, analyst, stopped)
    research_page.finish(ui_app, analyst, stopped)
    tab = open_page("research", thread=stopped)
    assert "stopped" in texts(tab).casefold()
    assert not research.reports(ui_app, analyst, stopped)
    tab.button(key="continue_research").click().run()
    research_page.settle(tab)
    assert "statements verified" in texts(tab)
    research.delete(ui_app, analyst, stopped)


def test_w6_deleting_asks_first_and_forks_stay(
    ui_app: Container, analyst: User, spare: str, open_page: OpenPage
) -> None:
    tab = open_page("research", thread=spare)
    assert tab.button(key="delete_research").disabled
    tab.checkbox(key=f"sure_{spare}").check().run()
    tab.button(key="delete_research").click().run()
    assert_healthy(tab)
    assert spare not in {t.thread_id for t in research.list_threads(ui_app, analyst)}
    assert "Start research" in labels(tab)


_SOURCES = [
    Source(key="d", source_type="document", title="Rulebook", host="2025", document_id="d", why_used="Fits"),
    Source(key="w", source_type="web", title="<b>Brief</b>", host="lex.example", url="https://lex.example/a", published="2024-05-01"),
    Source(key="o", source_type="web", title="Old", host="old.example", url="javascript:alert(1)", published="2019-01-01"),
]  # fmt: skip
_REPORT = Report(
    id="r", thread_id="t", version=1, title="T", markdown="", sources=_SOURCES,
    citations=[Citation(id=1, title="Brief", source_type="web", url="https://lex.example/a", quote="<i>four</i> hours", verified=True)],
)  # fmt: skip


def test_u7_cards_escape_what_others_wrote_and_cited_ones_come_first() -> None:
    cards = research_source_card.cards(_REPORT, {}, set(), set())
    assert [c.source.key for c in cards] == ["w", "d", "o"]
    shown = "".join(map(research_source_card.card_html, cards))
    assert "<b>Brief" not in shown and "<i>four" not in shown
    assert "javascript:" not in shown
    assert "read, not cited" in shown and "version 2025" in shown


@pytest.mark.parametrize(
    ("kinds", "hosts", "earliest", "wanted", "left"),
    [
        ((), (), "", "", ["w", "d", "o"]),
        (("Web",), (), "", "", ["w", "o"]),
        (("Documents", "Cited"), (), "", "", ["w", "d"]),
        ((), ("old.example",), "", "", ["o"]),
        ((), (), "2024", "", ["w"]),
        ((), (), "", "four HOURS", ["w"]),
        ((), (), "", "nothing of it", []),
    ],
)
def test_u7_sources_are_filtered_by_kind_domain_date_and_words(
    kinds: tuple[str, ...], hosts: tuple[str, ...], earliest: str, wanted: str, left: list[str]
) -> None:
    cards = research_source_card.cards(_REPORT, {}, set(), set())
    fitting = [c.source.key for c in cards if research_source_card.fits(c, kinds, hosts, earliest, wanted)]
    assert fitting == left
