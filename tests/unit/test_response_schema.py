"""Output types in the dialect of structured outputs, and replies read back (R4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from policypal.answer.task import Answer
from policypal.answer.web_supplement import WebSupplement
from policypal.audit.judging import Judgements
from policypal.audit.second_look import Looks
from policypal.compare.task import Comparison
from policypal.llm.response_schema import UnusableReply, closed_schema, read_reply, response_format
from policypal.request.route import Route
from policypal.request.summarize_history import HistorySummary
from policypal.research.check_claims import ClaimsCheck
from policypal.research.outline import Outline
from policypal.research.plan import PlanDraft
from policypal.research.plan_questions import PlanQuestions
from policypal.research.write_section import WrittenSection
from policypal.summary.task import Summary
from tests.support.judge_task import Claim, Judgement
from tests.support.openai_answers import example_of


class Tree(BaseModel):
    """Constraints, references and recursion in one type."""

    name: str = Field(default="root", max_length=20, description="What it is called")
    children: list[Tree] = Field(default_factory=list, max_length=3)
    claim: Claim = Field(default_factory=lambda: Claim(text=""), description="The main claim")


class Free(BaseModel):
    counts: dict[str, int]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.get("type") == "object":
            yield value
        for part in value.values():
            yield from _objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part)


OUTPUTS: list[type[BaseModel]] = [
    Answer,
    Judgements,
    Looks,
    Comparison,
    Route,
    Summary,
]


@pytest.mark.parametrize("output", [Judgement, Tree, *OUTPUTS])
def test_r4_schemas_obey_the_rules_of_strict_mode(output: type[BaseModel]) -> None:
    sent = response_format(output)["json_schema"]
    text = json.dumps(sent["schema"])
    assert sent["strict"] is True
    assert not [word for word in ('"default"', '"minimum"', '"maximum"', '"maxLength"', '"maxItems"') if word in text]
    for found in _objects(sent["schema"]):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


@pytest.mark.parametrize("output", [Judgement, Tree, *OUTPUTS])
def test_r4_what_fits_the_schema_sent_fits_the_type(output: type[BaseModel]) -> None:
    example = example_of(response_format(output)["json_schema"]["schema"])
    assert read_reply(json.dumps(example), output).model_dump(mode="json") == example


def test_r4_dropped_constraints_are_said_in_words() -> None:
    schema = response_format(Judgement)["json_schema"]["schema"]
    assert schema["properties"]["certainty"]["description"] == "How sure (at least 0, at most 1)"


def test_r4_types_with_free_keys_are_sent_without_strict_mode() -> None:
    assert response_format(Free)["json_schema"]["strict"] is False


OBJECT = '{"text": "must"}'
WRAPPED = {
    "fence": f"```json\n{OBJECT}\n```\n",
    "prose": f"Sure! Here is the JSON {{as asked}}:\n\n{OBJECT}\n\nLet me know if you need more.",
    "prose and fence": f"Certainly:\n```\n{OBJECT}\n```\nDone.",
    "thoughts": f'<think>\nA claim {{…}}, perhaps {{"text": "a long first idea that is discarded"}}.\n</think>\n{OBJECT}',
    "thoughts without a beginning": f"Let me see.\n</think>\n\n```json\n{OBJECT}\n```",
    "an end of thoughts in the text": '{"text": "must</think>"}',
}


@pytest.mark.parametrize("reply", WRAPPED.values(), ids=WRAPPED.keys())
def test_r4b_the_object_is_read_wherever_it_stands_in_the_reply(reply: str) -> None:
    assert read_reply(reply, Claim).text.startswith("must")


ALL_OUTPUTS = [
    *OUTPUTS,
    HistorySummary,
    PlanQuestions,
    PlanDraft,
    Outline,
    WrittenSection,
    ClaimsCheck,
    WebSupplement,
]


@pytest.mark.parametrize("output", ALL_OUTPUTS)
@pytest.mark.parametrize("reply", ["{}", '{"unexpected": true}'])
def test_r4b_an_object_without_the_fields_is_refused_everywhere(output: type[BaseModel], reply: str) -> None:
    with pytest.raises(UnusableReply):
        read_reply(reply, output)


@pytest.mark.parametrize("output", ALL_OUTPUTS)
def test_r4b_one_field_less_or_one_more_is_refused_also_where_it_has_a_default(output: type[BaseModel]) -> None:
    whole = example_of(closed_schema(output))
    for name in whole:
        with pytest.raises(UnusableReply, match=f"{name}: Field required"):
            read_reply(json.dumps({key: value for key, value in whole.items() if key != name}), output)
    with pytest.raises(UnusableReply, match="extra: Extra inputs"):
        read_reply(json.dumps(whole | {"extra": 1}), output)


def test_r4b_what_is_missing_or_too_much_deep_inside_is_named() -> None:
    claim = {"text": "a"}
    tree = {"name": "a", "claim": claim, "children": [{"name": "b", "claim": claim}]}
    with pytest.raises(UnusableReply, match=r"children\.0\.children: Field required"):
        read_reply(json.dumps({**tree, "children": [{"name": "b", "claim": claim}]}), Tree)
    with pytest.raises(UnusableReply, match=r"claim\.more: Extra inputs"):
        read_reply(json.dumps({**tree, "children": [], "claim": claim | {"more": 1}}), Tree)


def test_r4_the_problem_with_an_answer_does_not_repeat_the_answer() -> None:
    with pytest.raises(UnusableReply) as raised:
        read_reply('{"verdict": "<script>"}', Judgement)
    assert "<script>" not in str(raised.value)
