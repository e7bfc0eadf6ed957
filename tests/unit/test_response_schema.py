"""Output types in the dialect of structured outputs, and replies read back (R4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from policypal.services.llm.response_schema import UnusableReply, read_reply, response_format
from policypal.services.llm.tasks.answer import Answer
from policypal.services.llm.tasks.audit import AuditOutput
from policypal.services.llm.tasks.compare import Comparison
from policypal.services.llm.tasks.extract_themes import Themes
from policypal.services.llm.tasks.intent import Intent
from policypal.services.llm.tasks.resolve_documents import Resolution
from policypal.services.llm.tasks.rewrite_query import SearchQuery
from policypal.services.llm.tasks.summarize import Summary
from policypal.services.llm.tasks.thread_title import Title
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
    AuditOutput,
    Comparison,
    Intent,
    Resolution,
    SearchQuery,
    Summary,
    Themes,
    Title,
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


def test_r4_an_answer_inside_a_code_fence_is_read() -> None:
    assert read_reply('```json\n{"text": "must"}\n```\n', Claim) == Claim(text="must")


def test_r4_the_problem_with_an_answer_does_not_repeat_the_answer() -> None:
    with pytest.raises(UnusableReply) as raised:
        read_reply('{"verdict": "<script>"}', Judgement)
    assert "<script>" not in str(raised.value)
