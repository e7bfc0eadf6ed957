"""A model writes from whole documents where they can be read, and the report says what was read (A0, issue 14)."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from policypal.application import library, research
from policypal.db import index
from policypal.domain.account import NoAccount
from policypal.domain.users import Profile
from policypal.graph.agent import reading
from policypal.graph.context import RunContext
from tests.support.conversation import Speaker
from tests.support.openai_answers import ChatRequest
from tests.support.research_library import INCIDENT_RULE
from tests.support.research_world import Analyst


def prompts(analyst: Analyst, task: str) -> list[ChatRequest]:
    assert analyst.model is not None
    return [ChatRequest(r.body) for r in analyst.model.requests if r.task == task]


def evidence(prompt: ChatRequest) -> str:
    return prompt.content[: prompt.content.rindex("</evidence-")]


def words(text: str) -> str:
    return " ".join(re.sub(r"\[\d+\.\d+\]", " ", text).split())


def texts(analyst: Analyst) -> list[str]:
    documents = library.list_documents(analyst.app, analyst.user)
    return [words(p.text) for d in documents for p in index.load_passages(analyst.app.db, analyst.user.id, d.id)]


def test_a0_outline_and_sections_see_every_passage_of_the_documents_the_same_first(modeller: Analyst) -> None:
    _, report = modeller.report()
    (outlined,), sections = prompts(modeller, "Outline"), prompts(modeller, "WrittenSection")
    assert len(sections) > 1
    for prompt in (outlined, *sections):
        assert all(text in words(prompt.content) for text in texts(modeller))
    assert len({evidence(s) for s in sections}) == 1, "what sections share can be cached"
    nearest = [s.content.partition("<nearest>")[2].partition("</nearest>")[0].strip() for s in sections]
    assert all(nearest) and len(set(nearest)) > 1
    assert re.search(r"<found>\n\d", outlined.content)
    assert "Read in full:" in report.markdown and "Searched, not read whole" not in report.markdown


def test_a0_documents_nobody_named_that_do_not_fit_are_searched_and_the_report_says_so(
    modeller: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modeller.app.engine, "reading_tokens", 500)
    _, report = modeller.report()
    assert "Searched, not read whole: 3 documents." in report.markdown
    assert prompts(modeller, "WrittenSection") and not prompts(modeller, "ChosenPassages")
    assert all("<nearest>" not in s.content for s in prompts(modeller, "WrittenSection"))


def test_a0_a_named_document_that_does_not_fit_is_read_in_parts_each_paid_for_once(
    modeller: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modeller.app.engine, "reading_tokens", 300)
    monkeypatch.setattr(reading, "PART_TOKENS", 300)
    text = "\n".join(INCIDENT_RULE.replace("bank", f"bank of class {n}") for n in range(6))  # no part twice
    rule = Speaker(modeller.app, modeller.user).add("Long Rule", text)
    _, report = modeller.report(document_ids=[rule.id])
    asked = prompts(modeller, "ChosenPassages")
    assert len(asked) > 1 and re.search(rf"Long Rule, \d+ pages? \(in {len(asked)} parts;", report.markdown)
    modeller.report(document_ids=[rule.id])
    assert len(prompts(modeller, "ChosenPassages")) == len(asked)


def test_a0_a_report_of_the_rules_says_nothing_of_it(keyless: Analyst) -> None:
    _, report = keyless.report()
    assert "Read in full" not in report.markdown and "Searched, not" not in report.markdown


def test_m7_calls_side_by_side_are_covered_together(keyless: Analyst) -> None:
    asked: list[Decimal] = []

    class Ledger(NoAccount):
        def admit(self, cost_usd: Decimal) -> None:
            asked.append(cost_usd)

    def nothing(*told: object) -> None: ...

    run = RunContext("u", "t", "r", Profile(), [], None, nothing, nothing, Ledger(), without_model=True)  # type: ignore[arg-type]
    account = keyless.app.researcher._context(run).run.account
    with ThreadPoolExecutor(1) as another:
        another.submit(account.admit, Decimal(2)).result()
        account.admit(Decimal(3))
    assert asked == [2, 5]


def test_w2_the_estimate_counts_the_documents_that_are_read(modeller: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    read = research.gate(modeller.app, modeller.user, "Incident reporting").usd
    monkeypatch.setattr(modeller.app.engine, "reading_tokens", 0)
    assert 0 < research.gate(modeller.app, modeller.user, "Incident reporting").usd < read
