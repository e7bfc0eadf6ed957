"""The planning tasks of research through the OpenAI engine: schema, prompt, and what becomes of replies (W2, X2)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from policypal.domain.users import Profile
from policypal.llm.response_schema import response_format
from policypal.llm.task import TaskContext
from policypal.research.estimate import free, model_cost_of
from policypal.research.gate import assess
from policypal.research.plan import PLAN, PlanDraft, PlanInput, settled_plan
from policypal.research.plan_questions import PLAN_QUESTIONS, PlanQuestions, PlanQuestionsInput, settled_questions
from policypal.research.scope import ResearchDocument
from policypal.search.embeddings import WordLlamaEmbedder
from tests.support import openai_server as behaviour
from tests.support.judge_task import Naps, engine_for
from tests.support.openai_server import OpenAIServer

BANK = Profile(company="Quillon Bank", country="Norway")
CONTEXT = TaskContext(WordLlamaEmbedder(), BANK)
RULES = ResearchDocument(id="11111111-2222-4333-8444-555555555555", title="Conduct Rulebook", version="2030")
QUESTIONS = PlanQuestionsInput(
    goal="Outsourcing rules", missing=["scope", "use"], library=[RULES], today=date(2031, 5, 14)
)  # fmt: skip
PLANNING = PlanInput(goal="Outsourcing rules", library=[RULES], has_web=True, today=date(2031, 5, 14))


def question(**fields: Any) -> dict[str, Any]:
    options = ["Cloud", "Payments", "Archives", "All of these"]
    return {"aspect": "scope", "question": "Which?", "options": options, "all_of_the_above": False, **fields}


@pytest.mark.parametrize("output", [PlanQuestions, PlanDraft])
def test_w2_replies_have_a_strict_schema(output: type[BaseModel]) -> None:
    assert response_format(output)["json_schema"]["strict"] is True


def test_w2_a_models_questions_are_asked_as_the_contract_says(server: OpenAIServer) -> None:
    server.script("PlanQuestions", behaviour.answers({"questions": [question()]}))
    result = engine_for(server).run(PLAN_QUESTIONS, QUESTIONS, CONTEXT)
    (asked,) = settled_questions(QUESTIONS, result.output)
    assert asked.options[:3] == ["Cloud", "Payments", "Archives"]
    assert (len(asked.options), asked.all_of_the_above) == (4, True)
    assert len(server.requests) == 1
    assert "Conduct Rulebook (2030)" in server.requests[0].messages[1]["content"]


def test_w2_an_aspect_that_does_not_exist_is_returned_to_the_model(server: OpenAIServer, naps: Naps) -> None:
    wrong, right = ({"questions": [question(aspect=a)]} for a in ("colour", "depth"))
    server.script("PlanQuestions", behaviour.answers(wrong), behaviour.answers(right))
    result = engine_for(server, naps).run(PLAN_QUESTIONS, QUESTIONS, CONTEXT)
    assert [q.aspect for q in result.output.questions] == ["depth"]
    assert len(server.requests) == 2


def test_w2_a_models_plan_is_made_safe(server: OpenAIServer) -> None:
    draft = {
        "constraints": ["EU only."], "deliverable": "A report.", "steps": ["Search.", "Read.", "Write."], "since": "2030-01-01",
        "queries": ["outsourcing Quillon Bank", "exit plans", "critical functions"], "document_ids": [RULES.id, "made-up"],
    }  # fmt: skip
    server.script("PlanDraft", behaviour.answers(draft))
    engine = engine_for(server)
    made = settled_plan(PLANNING, engine.run(PLAN, PLANNING, CONTEXT).output, BANK, model_cost_of(engine))
    assert made.queries == ["outsourcing", "exit plans", "critical functions"]
    assert made.document_ids == [RULES.id]
    assert made.since == "2030-01-01"
    assert made.estimated_cost_usd > 0


def test_w2_empty_replies_still_make_questions_and_a_plan(server: OpenAIServer) -> None:
    empty = {"constraints": [], "deliverable": "", "steps": [], "queries": [], "document_ids": [], "since": ""}
    server.script("PlanQuestions", behaviour.answers({"questions": []}))
    server.script("PlanDraft", behaviour.answers(empty))
    engine = engine_for(server)
    asked = settled_questions(QUESTIONS, engine.run(PLAN_QUESTIONS, QUESTIONS, CONTEXT).output)
    assert [q.aspect for q in asked] == ["scope", "use"]
    made = settled_plan(PLANNING, engine.run(PLAN, PLANNING, CONTEXT).output, BANK, free)
    assert len(made.queries) >= 3
    assert made.deliverable


def test_w2_the_gate_knows_the_models_of_the_engine_and_asks_none(server: OpenAIServer) -> None:
    goal = "Compare what our regulators require for incident reporting"
    small, large, local = (
        assess(goal, [RULES], has_web=False, model_cost=model_cost_of(engine_for(server, models={"default": model})))
        for model in ("gpt-4o-mini", "gpt-4o", "a-local-model")
    )
    assert 0 == local.usd < small.usd < large.usd
    assert not server.requests
