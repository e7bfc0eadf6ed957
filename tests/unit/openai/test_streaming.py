"""An answer is heard while it is written; the time-out is for silence, and what had arrived of a broken stream is kept (M8, A2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from policypal.answer.evidence import Evidence
from policypal.answer.task import ANSWER, Answer, AnswerInput
from policypal.domain.account import Tally
from policypal.errors import ModelError, ModelTimeout, RunStopped
from policypal.llm.openai_engine import OpenAIEngine
from policypal.llm.response_schema import complete_part
from policypal.llm.task import TaskContext, TaskResult
from policypal.search.embeddings import built_in_embedder
from tests.support import openai_server as behaviour
from tests.support.judge_task import Naps, engine_for
from tests.support.openai_answers import said
from tests.support.openai_server import OpenAIServer

TEXT = " ".join(f"Rule number {n} is that a bank must keep its register of {n} kinds." for n in range(1, 9))
GIVEN = AnswerInput(question="What is kept?", evidence=[Evidence(number=1, document="Rules", page=1, text=TEXT)])
WHOLE = {"found": True, "sentences": [said(f"A bank keeps a register of {n} kinds.", f"1.{n}") for n in range(1, 9)]}


@pytest.fixture
def answering(server: OpenAIServer) -> OpenAIServer:
    server.on("Answer", lambda request: WHOLE)
    return server


def ask(
    engine: OpenAIEngine, heard: list[int], check_stop: Callable[[], None] = lambda: None, account: Tally | None = None
) -> TaskResult[Answer]:
    def listen(part: Answer) -> None:
        assert [s.cites for s in part.sentences] == [[f"1.{n + 1}"] for n in range(len(part.sentences))]
        heard.append(len(part.sentences))

    more = {} if account is None else {"account": account}
    context = TaskContext(built_in_embedder(), listen=listen, check_stop=check_stop, **more)  # type: ignore[arg-type]
    return engine.run(ANSWER, GIVEN, context)


def test_a2_statements_are_heard_one_by_one_and_the_end_is_the_whole_answer(
    answering: OpenAIServer, naps: Naps
) -> None:
    heard: list[int] = []
    result = ask(engine_for(answering, naps), heard)
    assert heard == sorted(heard) and heard[0] < 8 == len(result.output.sentences)
    assert not result.broke_off and result.usage.input_tokens > 0, "usage comes with the last piece"
    assert len(answering.requests) == 1


def test_m8_the_time_out_is_for_silence_and_not_for_the_whole_answer(answering: OpenAIServer, naps: Naps) -> None:
    answering.script("Answer", behaviour.dribbles(*[0.3] * 5))
    result = ask(engine_for(answering, naps, model_timeout_seconds=1.0), [])
    assert len(result.output.sentences) == 8 and result.seconds > 1.0


@pytest.mark.parametrize(
    "broken",
    [behaviour.breaks_off(0.6), behaviour.ends_early(0.6), behaviour.dribbles(3.0)],
    ids=["connection lost", "ends early", "falls silent"],
)
def test_m8_what_had_arrived_of_a_stream_that_breaks_off_is_kept_and_paid_for(
    answering: OpenAIServer, naps: Naps, broken: behaviour.Behaviour
) -> None:
    answering.script("Answer", broken)
    heard: list[int] = []
    result = ask(engine_for(answering, naps, model_timeout_seconds=0.8), heard)
    assert result.broke_off and 1 <= len(result.output.sentences) < 8
    assert max(heard) == len(result.output.sentences)
    assert len(answering.requests) == 1 and result.usage.tokens > 0


def test_m8_an_answer_at_its_length_limit_keeps_what_is_complete(answering: OpenAIServer, naps: Naps) -> None:
    cut = '{"found": true, "sentences": [{"text": "A } brace.", "cites": ["1.1"]}, {"text": "A bank kee'
    answering.script("Answer", behaviour.says(cut, finish_reason="length"))
    result = ask(engine_for(answering, naps), [])
    assert result.broke_off and [s.text for s in result.output.sentences] == ["A } brace."]


def test_m8_a_stream_that_breaks_off_before_the_first_statement_is_asked_for_again(
    answering: OpenAIServer, naps: Naps
) -> None:
    answering.script("Answer", behaviour.breaks_off(0.02))
    result = ask(engine_for(answering, naps), [])
    assert not result.broke_off and len(result.output.sentences) == 8 and len(answering.requests) == 2


def test_m8_silence_from_the_beginning_is_a_time_out(answering: OpenAIServer, naps: Naps) -> None:
    answering.script("Answer", *[behaviour.hangs(3.0)] * 3)
    with pytest.raises(ModelTimeout):
        ask(engine_for(answering, naps, model_timeout_seconds=0.4), [])


def test_u6_stop_ends_the_stream_and_what_it_has_cost_is_booked(answering: OpenAIServer, naps: Naps) -> None:
    answering.script("Answer", behaviour.dribbles(0.2, 5.0))
    heard: list[int] = []
    account = Tally(TaskContext(built_in_embedder()).account)

    def check_stop() -> None:
        if heard:
            raise RunStopped

    with pytest.raises(RunStopped):
        ask(engine_for(answering, naps), heard, check_stop, account)
    assert account.usage.tokens > 0 and len(answering.requests) == 1


def test_r4b_an_endpoint_that_does_not_stream_is_asked_without(answering: OpenAIServer, naps: Naps) -> None:
    answering.rejected = ("stream_options",)
    heard: list[int] = []
    engine = engine_for(answering, naps)
    assert len(ask(engine, heard).output.sentences) == 8 and heard == []
    assert not engine.capabilities_of(engine.model_for("answer")).streams
    assert [bool(r.body.get("stream")) for r in answering.requests] == [True, False]


def test_r4b_a_model_that_calls_tools_is_heard_as_well(answering: OpenAIServer, naps: Naps) -> None:
    answering.rejected = ("response_format",)
    heard: list[int] = []
    assert len(ask(engine_for(answering, naps), heard).output.sentences) == 8 and heard


@pytest.mark.parametrize(
    "refusal", [behaviour.filtered(), behaviour.refuses(), behaviour.unauthorized()], ids=["filtered", "refused", "key"]
)
def test_m8_a_refusal_in_a_stream_is_a_refusal(
    answering: OpenAIServer, naps: Naps, refusal: behaviour.Behaviour
) -> None:
    answering.script("Answer", refusal, refusal)
    with pytest.raises(ModelError) as raised:
        ask(engine_for(answering, naps), [])
    assert not raised.value.retryable


@pytest.mark.parametrize(
    ("text", "part"),
    [("", {}), ("{", {}), ("no object", {}), ('{"a": [{"b": 1}, {"b": 2', {"a": [{"b": 1}]}), ("<think>{}</think>", {}),
     ('<think>{"x": 1}</think>```json\n{"a": [{"b": "}"}', {"a": [{"b": "}"}]}), ("{]}", {}), ("}{", {})],
)  # fmt: skip
def test_a2_what_is_complete_of_an_object(text: str, part: dict[str, object]) -> None:
    assert complete_part(text) == part
