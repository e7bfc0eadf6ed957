"""Nothing is sampled: what a model is sent of the documents, and what a result says about it (A0)."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest

from policypal.application import ask, intake, sample_documents
from policypal.application.container import Container
from policypal.db import index, provisions
from policypal.db import users as users_db
from policypal.domain.audits import AuditReport
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentType, Passage
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from policypal.gate.numbering import sentence_spans
from policypal.graph.agent import reading
from policypal.graph.agent.support import LEFT_OUT
from policypal.llm.task import fenced
from tests.support.conversation import Speaker, answered_by, failed_by
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE
from tests.support.openai_answers import ChatRequest, chosen_passages, said
from tests.support.openai_server import OpenAIServer, answers, unauthorized
from tests.support.timeouts import LONGEST_WAIT_SECONDS


@pytest.fixture(scope="module")
def analyst(model_app: Container) -> User:
    """Somebody with the sample documents."""
    someone = User(id=str(uuid4()), email="whole@example.org")
    users_db.ensure_user(model_app.db, someone)
    queued = sample_documents.add_samples(model_app, someone)
    intake.wait_until_final(model_app, someone, [d.id for d in queued], timeout_seconds=LONGEST_WAIT_SECONDS)
    return someone


@pytest.fixture
def reader(model_app: Container, model_server: OpenAIServer, analyst: User) -> Speaker:
    model_server.reset()
    return Speaker(model_app, analyst, model_server)


@pytest.fixture
def unread(reader: Speaker) -> None:
    """No part of a document has been read yet."""
    with reader.app.db.as_user(reader.user.id) as c:
        c.execute("DELETE FROM model_readings")


@pytest.fixture
def small_budget(reader: Speaker, unread: None, monkeypatch: pytest.MonkeyPatch) -> int:
    """The policy fits, a rulebook does not."""
    size = sum(map(reading._size, passages(reader, sample(reader, "Group Conduct")))) // 4
    monkeypatch.setattr(reader.app.engine, "reading_tokens", 2 * size + 10)
    monkeypatch.setattr(reading, "PART_TOKENS", 1_000)
    return 2 * size + 10


@pytest.fixture
def tiny_budget(model_app: Container, unread: None, monkeypatch: pytest.MonkeyPatch) -> int:
    """Nothing fits."""
    monkeypatch.setattr(model_app.engine, "reading_tokens", 1_500)
    monkeypatch.setattr(reading, "PART_TOKENS", 600)
    return 1_500


def sample(speaker: Speaker, title: str, version: str = "") -> Document:
    from policypal.application import library

    found = library.list_documents(speaker.app, speaker.user)
    return next(d for d in found if title in d.title and version in d.version)


@pytest.fixture
def policy(reader: Speaker) -> Document:
    return sample(reader, "Group Conduct")


@pytest.fixture
def rulebook(reader: Speaker) -> Document:
    return sample(reader, "Rulebook", "2025")


@pytest.fixture
def earlier(reader: Speaker) -> Document:
    return sample(reader, "Rulebook", "2023")


def passages(speaker: Speaker, *documents: Document) -> list[Passage]:
    return [p for d in documents for p in index.load_passages(speaker.app.db, speaker.user.id, d.id)]


def visible(prompt: str, wanted: list[Passage]) -> list[Passage]:
    """The passages that stand in the prompt, word for word."""
    prompt = re.sub(r"\[\d+\.\d+\] ", "", prompt)
    return [p for p in wanted if fenced("x", p.text).split("\n", 1)[1].rsplit("\n", 1)[0] in prompt]


def shared_beginning(one: str, other: str) -> str:
    length = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]


def report_of(event: ResponseEvent) -> AuditReport:
    assert event.report is not None
    return event.report


def test_a0_an_audit_is_sent_every_passage_of_source_and_targets(
    reader: Speaker, policy: Document, rulebook: Document
) -> None:
    request = "Audit the policy, please, and mind the deadlines"
    report = report_of(answered_by(reader.say(request, policy, rulebook, action="audit")))
    prompts = reader.prompts("Judgements")
    sources = {prompt.partition("RULES:")[0] for prompt in prompts}
    assert len(sources) == 1, "a prefix to be cached (M7)"
    source = sources.pop()
    assert "a POLICY" in source
    for document, shown in ((policy, source), (rulebook, "\n".join(p.partition("RULES:")[2] for p in prompts))):
        read = provisions.load_provisions(reader.app.db, reader.user.id, document.id)
        assert all(" ".join(s.text.split()) in shown for p in read for s in p.sentences)
    assert all(request in prompt.partition("The user asked")[2] for prompt in prompts), "in his words (M9b)"
    assert all(e.is_whole for e in report.reading) and len(report.reading) == 2
    assert not any("sample" in n for n in report.not_assessed)


def test_a0_a_comparison_is_sent_both_editions(reader: Speaker, earlier: Document, rulebook: Document) -> None:
    for message in ("Compare them", "Compare them on complaints"):
        answered_by(reader.say(message, earlier, rulebook, action="compare"))
        prompt = reader.prompts("Comparison")[-1]
        wanted = passages(reader, earlier, rulebook)
        assert visible(prompt, wanted) == wanted
        assert message in prompt


def test_a0_a_summary_is_sent_every_page_and_says_so(reader: Speaker, rulebook: Document) -> None:
    response = answered_by(reader.say("Summarize it", rulebook, action="summarize"))
    (prompt,) = reader.prompts("Summary")
    assert {p.page for p in visible(prompt, passages(reader, rulebook))} == set(range(1, rulebook.pages + 1))
    last = response.response.splitlines()[-1]
    assert last == f"*Read in full: {rulebook.display_title}, {rulebook.pages} pages.*"


def test_m7_the_documents_come_first_and_what_changes_last(
    reader: Speaker, policy: Document, rulebook: Document
) -> None:
    """Two requests about the same documents share everything up to the end of the last passage: a prefix to be cached."""
    for focus in ("complaints", "outsourcing"):
        answered_by(reader.say(f"Compare them on {focus}", policy, rulebook, action="compare"))
        answered_by(reader.say(f"Summarize what it says on {focus}", policy, rulebook, action="summarize"))
    wanted = passages(reader, policy, rulebook)
    for output in ("Comparison", "Summary"):
        shared = re.sub(r"\[\d+\.\d+\] ", "", shared_beginning(*reader.prompts(output)))
        places = [shared.find(p.text[:200]) for p in wanted]
        assert visible(shared, wanted) == wanted and sorted(places) == places


def test_a0_the_estimate_is_no_less_than_what_is_sent(
    model_app: Container, reader: Speaker, policy: Document, rulebook: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is counted of the documents is what they take in the prompt, and a little more."""
    sizes = [sum(map(reading._size, passages(reader, d))) for d in (policy, rulebook)]
    answered_by(reader.say("Compare", policy, rulebook, action="compare"))
    (prompt,) = reader.prompts("Comparison")
    documents = prompt.partition("<documents>")[0]
    assert len(documents.encode()) <= sum(sizes) <= 1.2 * len(documents.encode())
    monkeypatch.setattr(model_app.engine, "reading_tokens", sum(sizes) // 4 - 1)
    answered_by(reader.say("Compare", policy, rulebook, action="compare"))
    assert reader.prompts("ChosenPassages"), "one of them is read in parts"


def last_line(response: ResponseEvent) -> str:
    return response.response.splitlines()[-1]


def fenced_text(prompts: list[str]) -> str:
    return "\n".join(prompts)


@pytest.mark.parametrize("action", ["summarize", "compare"])
def test_a0_what_does_not_fit_is_read_in_parts_and_the_last_line_says_so(
    reader: Speaker, policy: Document, rulebook: Document, small_budget: int, action: str
) -> None:
    response = answered_by(reader.say("Please", policy, rulebook, action=action))
    (prompt,) = reader.prompts({"summarize": "Summary", "compare": "Comparison"}[action])
    parts = reader.prompts("ChosenPassages")
    ours, theirs = passages(reader, policy), passages(reader, rulebook)
    assert visible(prompt, ours) == ours, "the smaller one fits and is whole"
    assert len(parts) > 1 and visible(fenced_text(parts), theirs) == theirs, "the larger one is read, every word of it"
    assert not visible(fenced_text(parts), ours)
    chosen = visible(prompt, theirs)
    assert 0 < len(chosen) < len(theirs) and all("must" in p.text for p in chosen)
    assert last_line(response) == (
        f"*Read in full: {policy.display_title}, {policy.pages} pages; {rulebook.display_title}, {rulebook.pages} pages (in "
        f"{len(parts)} parts; what is said of it rests on {len(chosen)} passages chosen there).*"
    )
    assert "<excerpts>\n" + rulebook.display_title + "\n</excerpts>" in prompt
    assert len(prompt) < 4 * small_budget * 1.5


def test_a0_no_part_is_paid_for_twice(reader: Speaker, rulebook: Document, tiny_budget: int) -> None:
    first = answered_by(reader.say("Summarize", rulebook, action="summarize"))
    paid = reader.prompts("ChosenPassages")
    again = answered_by(reader.say("Summarize it once more", rulebook, action="summarize"))
    assert len(paid) > 2 and reader.prompts("ChosenPassages") == paid
    assert last_line(again) == last_line(first) and again.tokens_used < first.tokens_used
    answered_by(reader.say("Compare on complaints", rulebook, sample(reader, "Group"), action="compare"))
    assert len(reader.prompts("ChosenPassages")) > len(paid), "under a topic other passages matter"


def test_a0_a_part_whose_model_fails_is_chosen_by_the_rules_said_and_asked_for_again(
    reader: Speaker, model_server: OpenAIServer, rulebook: Document, tiny_budget: int
) -> None:
    first = passages(reader, rulebook)[0].text[:60]
    model_server.spoil("ChosenPassages", lambda request: first in request.content, answers({"numbers": []}))
    told = answered_by(reader.say("Summarize", rulebook, action="summarize"))
    assert any("own rules: choosing the passages of large documents" in notice for notice in told.notices)
    model_server.reset()
    clean = answered_by(reader.say("Summarize", rulebook, action="summarize"))
    assert not any("own rules" in notice for notice in clean.notices)
    (again,) = reader.prompts("ChosenPassages")
    assert first in again, "the others are kept"


def test_m8_a_provider_that_is_down_is_not_asked_part_by_part(
    reader: Speaker, model_server: OpenAIServer, policy: Document, tiny_budget: int
) -> None:
    model_server.spoil("ChosenPassages", lambda request: True, unauthorized())
    told = answered_by(reader.say("Summarize", policy, action="summarize"))
    assert len(model_server.requests_for("ChosenPassages")) <= reading.SIDE_BY_SIDE
    assert any("choosing the passages" in notice for notice in told.notices) and told.citations


def test_u6_a_stopped_reading_keeps_the_parts_that_were_read(
    reader: Speaker, model_server: OpenAIServer, earlier: Document, tiny_budget: int
) -> None:
    hold, served = threading.Event(), []

    def slow(request: ChatRequest) -> dict[str, Any]:
        served.append(request)
        if len(served) > 2:
            hold.wait(LONGEST_WAIT_SECONDS)
        return chosen_passages(request)

    model_server.on("ChosenPassages", slow)
    thread = ask.new_thread_id()
    wanted = ask.Request(message="Summarize", action=Action.SUMMARIZE, document_ids=(earlier.id,))
    ask.send(reader.app, reader.user, thread, wanted)
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while len(served) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    ask.stop(reader.app, reader.user, thread)
    stopped = list(ask.events(reader.app, reader.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    assert failed_by(stopped).code == "run_stopped"
    hold.set()
    model_server.on("ChosenPassages", chosen_passages)
    first = model_server.requests_for("ChosenPassages")
    answered_by(reader.say("Summarize", earlier, action="summarize"))
    second = model_server.requests_for("ChosenPassages")[len(first) :]
    shown = Counter(str(r.messages[1]["content"]) for r in (*first, *second))
    assert second and set(shown.values()) == {1}, "what was answered, even after the stop, is not asked again"


def test_a3_of_editions_that_do_not_fit_a_model_is_shown_both_sides_of_every_change(
    reader: Speaker, earlier: Document, rulebook: Document, small_budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader.app.engine, "reading_tokens", 8_000)
    response = answered_by(reader.say("Compare", earlier, rulebook, action="compare"))
    assert not reader.prompts("ChosenPassages"), "code has compared them"
    (prompt,) = reader.prompts("Comparison")
    assert response.changes is not None
    shown = _flat(prompt)
    weighty = [c for c in response.changes.changes if c.kind == "changed" and c.marks]
    assert len(weighty) > 10
    for change in weighty:
        for op in ("removed", "added"):
            words = "".join(p.text for p in change.parts if p.op in ("same", op))
            assert _flat(words)[:60] in shown
    assert "beside the other edition" in last_line(response)


def test_r4_a_model_is_told_what_code_has_found_to_differ(
    reader: Speaker, earlier: Document, rulebook: Document
) -> None:
    response = answered_by(reader.say("Compare", earlier, rulebook, action="compare"))
    (prompt,) = reader.prompts("Comparison")
    assert response.changes is not None
    told = prompt.partition("CHANGES:\n")[2].partition("<request>")[0].strip().splitlines()
    assert len(told) == len(response.changes.changes)
    numbers = set(re.findall(r"\[\d+\.\d+\]", prompt.partition("CHANGES:")[0]))
    assert set(re.findall(r"\[\d+\.\d+\]", "".join(told))) <= numbers
    assert any("(number)" in line for line in told)


def _flat(text: str) -> str:
    return " ".join(re.sub(r"\[\d+\.\d+\] ", "", text).split())


EMPTY = {
    "Answer": ("inquire", {"sentences": [], "found": True}),
    "Summary": ("summarize", {"documents": [], "relevance": []}),
    "Comparison": ("compare", {"overview": [], "rows": [], "unique": [], "implications": [], "unrelated": False}),
}


@pytest.mark.parametrize("output", EMPTY)
def test_a0_an_empty_success_is_a_failure_after_one_retry(
    reader: Speaker, model_server: OpenAIServer, policy: Document, rulebook: Document, output: str
) -> None:
    action, nothing = EMPTY[output]
    model_server.script(output, answers(nothing), answers(nothing))
    event = reader.say("What about incident reports?", policy, rulebook, action=action)
    if event.type == "interrupt":
        event = reader.reply(event, "continue")
    assert failed_by(event).code == "model_output"
    first, second = model_server.requests_for(output)
    told = str(second.messages[-1]["content"])
    field = {"Answer": "sentences", "Summary": "documents", "Comparison": "rows"}[output]
    assert f"- {field}: " in told, "the retry says what is missing"
    assert len(second.messages) == len(first.messages) + 2


UNCITED = {
    "Answer": {"found": True, "sentences": [said("Incidents are reported.")]},
    "Summary": {"documents": [{"document": "Group Conduct and Information Policy (2025)", "key_points": [said("It binds.")]}]},
    "Comparison": {"rows": [{"aspect": "Fines", "cells": [said("Two percent"), said("Four percent")], "differs": True}]},
}  # fmt: skip


@pytest.mark.parametrize("output", UNCITED)
def test_c2b_what_cites_nothing_at_all_is_asked_for_once_more_and_then_fails(
    reader: Speaker, model_server: OpenAIServer, policy: Document, rulebook: Document, output: str
) -> None:
    """Else every statement would be left out, and nothing be an answer."""
    documents = (policy,) if output == "Summary" else (policy, rulebook)
    model_server.script(output, answers(UNCITED[output]), answers(UNCITED[output]))
    event = reader.say("What about incident reports?", *documents, action=EMPTY[output][0])
    assert failed_by(event).code == "model_output"
    assert "no statement cites a sentence" in str(model_server.requests_for(output)[1].messages[-1]["content"])


@pytest.mark.parametrize("output", ["Summary"])
def test_a0_an_empty_success_is_made_good_by_the_retry(
    reader: Speaker, model_server: OpenAIServer, policy: Document, rulebook: Document, output: str
) -> None:
    action, nothing = EMPTY[output]
    model_server.script(output, answers(nothing))
    assert answered_by(reader.say("Please", policy, rulebook, action=action)).citations


def test_a1_a_summary_has_a_section_for_each_document_and_for_no_other(
    reader: Speaker, model_server: OpenAIServer, policy: Document, rulebook: Document
) -> None:
    def section(title: str) -> dict[str, Any]:
        told = [said("It binds.")]
        return {
            "document": title, "key_points": told, "who_is_bound": [], "obligations": [],
        }  # fmt: skip

    other = {"documents": [section(policy.display_title), section("The Law of the Sea")], "relevance": []}
    model_server.script("Summary", answers(other), answers(other))
    failed_by(reader.say("Summarize", policy, rulebook, action="summarize"))
    told = str(model_server.requests_for("Summary")[1].messages[-1]["content"])
    assert f"“{rulebook.display_title}”" in told and "“The Law of the Sea” is not one of the titles" in told


def test_a3_a_cell_rests_on_its_own_document_and_a_row_on_some_quotation(
    reader: Speaker, earlier: Document, rulebook: Document
) -> None:
    """B4: the answer that was shown as verified."""
    old = passages(reader, earlier)
    fine = next(p for p in old if "2 %" in p.text or "2%" in p.text)
    number, sentence = next(
        (n, words)
        for n, span in enumerate(sentence_spans(fine.text), 1)
        if re.search(r"\b2\s?%", words := fine.text[slice(*span)])
    )
    both = said(" ".join(sentence.split()), f"{old.index(fine) + 1}.{number}")
    shared = said("It is a rulebook.", f"{len(old) + 1}.1")
    silent = said("No corresponding passage found")
    reader.model_says(
        "Comparison",
        overview=[said("The 2023 edition contains no capital requirements.")],
        rows=[
            {"aspect": "Fines", "cells": [both, both], "differs": True},
            {"aspect": "Backups", "cells": [said("AES-256 is required."), said("AES-256 is required.")], "differs": False},
            {"aspect": "Promotions", "cells": [both], "differs": True},
            {"aspect": "Crypto", "cells": [silent, silent], "differs": True},
        ],
        unique=[shared], implications=[said("Institutions need not acknowledge complaints.")], unrelated=False,
    )  # fmt: skip
    response = answered_by(reader.say("Compare them", earlier, rulebook, action="compare"))
    lines = response.response.splitlines()

    def line(beginning: str) -> str:
        return next(one for one in lines if one.startswith(beginning))

    cells = line("| Fines |").split(" | ")
    assert "📄" in cells[1]
    assert cells[2].startswith("–"), "the words are of the other edition"
    assert line("| Promotions |").count(" | ") == 2 and line("| Promotions |").endswith("| – |"), "a cell per document"
    assert not [one for one in lines if one.startswith(("| Backups", "| Crypto"))]
    assert "Crypto, Backups" in line("*Left out")
    answer, _, left_out = response.response.partition(LEFT_OUT)
    for claim in ("The 2023 edition contains", "Institutions need not acknowledge"):
        assert claim not in answer and claim in left_out


def test_a0_the_keyless_engine_reads_everything(speaker: Speaker) -> None:
    rule = speaker.add("Long Rule", (RECORDS_RULE + "\n") * 12)
    policy = speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    for action in ("summarize", "compare", "audit"):
        response = answered_by(speaker.say("Please", policy, rule, action=action))
        assert response.response.splitlines()[-1].startswith("*Read in full: Our Policy, 1 page; Long Rule, "), action
