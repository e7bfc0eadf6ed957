"""Every way in which an endpoint misbehaves, at every task of a turn and of a report: what the person gets (M8, X3, X4).

Where a model only helps, the rules do its part and that is said; where it is the answer, a typed error says what to do, the message
is kept, and the same can be had without a model or, of a report, goes on from where it was. What reads like a good answer is one.
"""

from __future__ import annotations

from itertools import cycle, product

import pytest

from policypal.application import ask, register
from policypal.application.container import Container
from policypal.domain.events import ErrorEvent, Event, ResponseEvent
from policypal.errors import MODEL_CODES, PolicyPalError
from tests.support.conversation import answered_by, failed_by
from tests.support.model_modes import BROKEN, MODES, SOUND, impatient
from tests.support.model_ways import (
    Place,
    asks,
    audits,
    audits_anew,
    compares,
    place_of,
    plans,
    reads_in_parts,
    remembers,
    reports,
    summarizes,
)
from tests.support.openai_server import API_KEY, OpenAIServer
from tests.support.research_world import report_of
from tests.support.tasks import all_tasks


@pytest.fixture(scope="module")
def _place(model_app: Container, model_server: OpenAIServer) -> Place:
    return place_of(model_app, model_server)


@pytest.fixture
def place(_place: Place) -> Place:
    return _place.begin()


HELPERS = {
    "Route": asks, "SupportVerdicts": asks, "Looks": audits, "HistorySummary": remembers, "PlanQuestions": plans, "PlanDraft": reports,
    "Outline": reports, "ClaimsCheck": reports, "ChosenPassages": reads_in_parts, "Corrections": audits_anew,
}  # fmt: skip
ANSWERS = {"Answer": asks, "Summary": summarizes, "Comparison": compares, "Judgements": audits}
WRITERS = {"WrittenSection": reports}
EVERY = HELPERS | ANSWERS | WRITERS
_IN_EVERY_RUN = {*zip(EVERY, cycle(BROKEN), strict=False), *zip([*EVERY][::3], SOUND, strict=True)}
"""Each task and each mode once; all of them with each other in the campaign."""


def test_every_task_of_the_model_path_is_here() -> None:
    tasks = [task for task in all_tasks() if task.name != "proof"]
    assert {task.output.__name__ for task in tasks} == {*EVERY, "WebSupplement"}, (
        "the last one has a web in test_web.py"
    )
    assert {task.output.__name__ for task in tasks if task.helps} == HELPERS.keys()


@pytest.mark.parametrize("mode", MODES)
def test_m8_every_mode_where_a_register_is_read_again(place: Place, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """D12: a typed error, and the register stays as the rules read it; what reads like a good answer is one."""
    impatient(place.app, monkeypatch, mode)
    app, user, rule = place.app, place.speaker.user, place.rule.id
    before = register.load(app, user, rule)
    place.server.spoil("Corrections", lambda request: True, MODES[mode])
    if mode in SOUND:
        register.read_by_model(app, user, rule)
        register.forget_reading_by_model(app, user, rule)
    else:
        with pytest.raises(PolicyPalError) as failed:
            register.read_by_model(app, user, rule)
        assert failed.value.code in MODEL_CODES
    assert register.load(app, user, rule) == before


def _spoilt(place: Place, output: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> Event:
    impatient(place.app, monkeypatch, mode)
    place.server.spoil(output, lambda request: True, MODES[mode])
    event = EVERY[output](place)
    place.server.reset()
    told = str(event.model_dump()) + str(place.speaker.told)
    assert API_KEY not in told and "Traceback" not in told
    return event


def _unaided(event: ResponseEvent) -> list[str]:
    return [n for n in event.notices if "own rules" in n]


@pytest.mark.parametrize(
    ("output", "mode"),
    [pytest.param(*case, marks=() if case in _IN_EVERY_RUN else pytest.mark.faults) for case in product(EVERY, MODES)],
)
def test_m8_every_mode_at_every_task(place: Place, output: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    event = _spoilt(place, output, mode, monkeypatch)
    if mode in SOUND:
        response = answered_by(event)
        assert not _unaided(response) and (response.citations or output == "HistorySummary")
    elif output in HELPERS:
        response = answered_by(event)
        assert len(_unaided(response)) == 1
        assert response.citations or output == "HistorySummary"
    elif (output, mode) == ("Judgements", "truncate"):  # asked for in halves, down to the one obligation
        report = answered_by(event).report
        assert report is not None and report.verdict == "Cannot be judged: none of the 4 obligations was judged"
    else:
        _has_another_way(place, failed_by(event), output, monkeypatch)


def _has_another_way(place: Place, error: ErrorEvent, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert error.code in MODEL_CODES and error.title and error.message
    monkeypatch.undo()
    if output in WRITERS:
        assert report_of(place.analyst.continued(error.thread_id)).citations
        return
    assert place.speaker.roles(error.thread_id) == ["user", "error"]
    ask.continue_without_model(place.app, place.speaker.user, error.thread_id)
    response = answered_by(place.speaker.answered_in(error.thread_id))
    assert response.engine == "extractive" and response.citations
