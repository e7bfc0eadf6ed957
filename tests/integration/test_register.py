"""The register of obligations: read, changed, read again, exported (D11, D12)."""

from __future__ import annotations

import csv
import io
import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import pytest
from openpyxl import load_workbook

from policypal.application import library, register
from policypal.application.container import Container
from policypal.db import provisions as provisions_db
from policypal.db import users as users_db
from policypal.domain.documents import Document
from policypal.domain.provisions import Kind, Provision
from policypal.domain.register import RegisterEntry
from policypal.domain.users import User
from policypal.errors import InvalidInput, ModelError, NotFound
from policypal.graph.agent import register_reading
from policypal.text.provisions import READER_VERSION
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.openai_answers import ChatRequest
from tests.support.openai_server import OpenAIServer, RecordedRequest, Reply, answers, quota_exhausted
from tests.support.timeouts import LONGEST_WAIT_SECONDS


@pytest.fixture
def modelled(model_app: Container, model_server: OpenAIServer) -> User:
    """Somebody new, whose model has not been asked anything yet."""
    model_server.reset()
    someone = User(id=str(uuid4()), email="someone@example.org")
    users_db.ensure_user(model_app.db, someone)
    return someone


@pytest.fixture
def document(app: Container, user: User) -> Document:
    return add_text(app, user, "Records rule", RECORDS_RULE)


def _entry(app: Container, user: User, document: Document, words: str) -> RegisterEntry:
    return next(e for e in register.load(app, user, document.id).entries if words in e.full)


def _replace_provisions(
    app: Container, user: User, document: Document, provisions: Sequence[Provision], *, version: int
) -> None:
    with app.db.as_user(user.id) as c:
        provisions_db.insert_provisions(c, user.id, document.id, provisions, outline=["Records"], version=version)


def _read_again(app: Container, user: User, document: Document) -> None:
    app.ingestion.read_again(user.id, document.id)


def test_d12_the_register_quotes_obligations_with_party_and_limits(
    app: Container, user: User, document: Document
) -> None:
    found = register.load(app, user, document.id)
    assert [(e.kind, e.party, tuple(limit.words for limit in e.limits)) for e in found.counting] == [
        (Kind.OBLIGATION, "bank", ("at least seven years",)),
        (Kind.PROHIBITION, "bank", ()),
        (Kind.OBLIGATION, "bank", ("at most 24 hours",)),
        (Kind.OBLIGATION, "board", ("at least once a year",)),
    ]
    assert found.is_current


def test_d12_changes_survive_another_reading_and_can_be_taken_back(
    app: Container, user: User, document: Document
) -> None:
    struck, corrected = (_entry(app, user, document, w).entry for w in ("disclose", "24 hours"))
    register.change(app, user, document.id, struck, is_struck=True, note="binds nobody here")
    register.change(app, user, document.id, corrected, party="compliance officer", kind=Kind.RECOMMENDATION)
    added = register.add(app, user, document.id, "The board must meet within 30 days.", party="board")
    for _ in range(2):
        found = register.load(app, user, document.id)
        assert len(found.counting) == 3
        assert _entry(app, user, document, "disclose").note == "binds nobody here"
        assert _entry(app, user, document, "24 hours").party == "compliance officer"
        assert [limit.words for limit in _entry(app, user, document, "30 days").limits] == ["at most 30 days"]
        _read_again(app, user, document)
    for entry in (struck, corrected, added):
        register.restore(app, user, document.id, entry)
    found = register.load(app, user, document.id)
    assert len(found.counting) == 4 and not any(e.is_changed for e in found.entries)


def test_d12_a_changed_entry_keeps_what_was_changed_before(app: Container, user: User, document: Document) -> None:
    entry = _entry(app, user, document, "24 hours").entry
    register.change(app, user, document.id, entry, note="first")
    register.change(app, user, document.id, entry, party="treasury")
    changed = _entry(app, user, document, "24 hours")
    assert (changed.note, changed.party, changed.kind) == ("first", "treasury", Kind.OBLIGATION)


def test_d12_merged_entries_count_once(app: Container, user: User, document: Document) -> None:
    kept, other = (_entry(app, user, document, w).entry for w in ("seven years", "24 hours"))
    register.merge(app, user, document.id, [kept, other], kept)
    assert len(register.load(app, user, document.id).counting) == 3
    with pytest.raises(InvalidInput):
        register.merge(app, user, document.id, [kept, other], other)
    with pytest.raises(InvalidInput):
        register.merge(app, user, document.id, [kept], kept)


def test_d12_a_note_outlives_its_sentence(app: Container, user: User, document: Document) -> None:
    entry = _entry(app, user, document, "24 hours").entry
    register.change(app, user, document.id, entry, note="asked the regulator")
    _replace_provisions(app, user, document, [], version=READER_VERSION)
    (left,) = register.load(app, user, document.id).entries
    assert (left.is_added, left.note, "within 24 hours" in left.text) == (True, "asked the regulator", True)


def test_d12_an_older_reading_serves_until_the_job_has_read_again(
    app: Container, user: User, document: Document
) -> None:
    held = provisions_db.load_provisions(app.db, user.id, document.id)
    _replace_provisions(app, user, document, held[:1], version=0)
    assert not register.load(app, user, document.id).is_current
    assert (user.id, document.id) in provisions_db.documents_to_read(app.db, READER_VERSION, task="none")
    _read_again(app, user, document)
    assert register.load(app, user, document.id).is_current
    assert provisions_db.load_provisions(app.db, user.id, document.id) == held
    assert provisions_db.load_reading(app.db, user.id, document.id)[1] == ["Records"]


@pytest.mark.parametrize(
    ("text", "note", "party"), [("  ", "", ""), ("x" * 3_001, "", ""), ("x", "n" * 2_001, ""), ("x", "", "p" * 201)]
)
def test_d12_what_does_not_fit_is_refused(
    app: Container, user: User, document: Document, text: str, note: str, party: str
) -> None:
    before = register.load(app, user, document.id)
    with pytest.raises(InvalidInput):
        register.add(app, user, document.id, text, note=note, party=party)
    assert register.load(app, user, document.id) == before


def test_d12_an_entry_that_is_gone_and_a_document_that_is_gone_are_said(
    app: Container, user: User, document: Document
) -> None:
    with pytest.raises(NotFound):
        register.change(app, user, document.id, "no such entry", is_struck=True)
    library.delete(app, user, document.id)
    with pytest.raises(NotFound):
        register.add(app, user, document.id, "Something must be done.")


def test_d12_the_files_hold_what_is_shown_and_no_formula(app: Container, user: User, document: Document) -> None:
    register.add(app, user, document.id, "=1+1 must be computed", note="@note")
    found = register.load(app, user, document.id)
    rows = list(csv.DictReader(io.StringIO(register.csv_of(found, found.entries).decode("utf-8-sig"))))
    assert [r["Obligation"] for r in rows[:4]] == [e.full for e in found.entries[:4]]
    assert rows[-1]["Obligation"].startswith("'=") and rows[-1]["Note"].startswith("'@")
    book = load_workbook(io.BytesIO(register.xlsx_of(found, found.entries)))
    assert book.sheetnames == ["Register", "Document"]
    assert book["Register"].max_row == len(found.entries) + 1


def test_d12_a_register_of_five_thousand_obligations_is_read_and_changed(app: Container, user: User) -> None:
    text = "\n".join(f"{n}. The institution must report item {n} within {n % 90 + 1} days." for n in range(1, 5_001))
    document = add_text(app, user, "Long", text)
    found = register.load(app, user, document.id)
    assert len(found.counting) == 5_000
    register.change(app, user, document.id, found.entries[-1].entry, is_struck=True)
    assert len(register.load(app, user, document.id).counting) == 4_999


def test_d12_a_model_says_by_numbers_what_obliges_nobody_and_whom_it_binds(
    model_app: Container, model_server: OpenAIServer, modelled: User
) -> None:
    user = modelled
    document = add_text(model_app, user, "Records rule", RECORDS_RULE)
    before = register.load(model_app, user, document.id)
    told = register.reading_by_model(model_app, user, document.id)
    assert told is not None and (told.left.obligations, told.left.calls) == (len(before.counting), 1)
    seen: list[ChatRequest] = []

    def corrections(request: ChatRequest) -> dict[str, Any]:
        seen.append(request)
        parties = {name: number for number, name in re.findall(r"^\[(P\d+)\] (.*)$", request.content, re.M)}
        entry = {"reasoning": "It states something.", "obliges": True, "party": ""}
        return {"corrections": [
            {**entry, "entry": "R1", "obliges": False},
            {**entry, "entry": "R2", "party": parties["board"]},
            {**entry, "entry": "R3", "party": "P77"},
            {**entry, "entry": "R4", "obliges": False}, {**entry, "entry": "R4"},
            {**entry, "entry": "R99", "obliges": False},
        ]}  # fmt: skip

    model_server.on("Corrections", corrections)
    assert register.read_by_model(model_app, user, document.id) == 2
    after = register.load(model_app, user, document.id)
    read = [e for e in after.entries if e.kind.binds]
    assert [(e.counts, e.party) for e in read] == [(False, "bank"), (True, "board"), (True, "bank"), (True, "board")]
    assert [e.full for e in after.entries] == [e.full for e in before.entries], "the words stay the document's"
    assert read[0].model_says == "It states something." and after.models

    assert register.read_by_model(model_app, user, document.id) == 2 and len(seen) == 1, "nothing is paid for twice"
    _read_again(model_app, user, document)
    assert len(register.load(model_app, user, document.id).counting) == 3, "and it outlives another reading"

    register.change(model_app, user, document.id, read[0].entry, note="Kept for now")
    assert not next(e for e in register.load(model_app, user, document.id).entries if e.entry == read[0].entry).counts
    register.change(model_app, user, document.id, read[0].entry, is_struck=False)
    register.change(model_app, user, document.id, read[1].entry, party="committee")
    counting = {e.entry: e.party for e in register.load(model_app, user, document.id).counting}
    assert counting[read[0].entry] == "bank" and counting[read[1].entry] == "committee", "an analyst's word counts"

    register.forget_reading_by_model(model_app, user, document.id)
    register.restore(model_app, user, document.id, read[0].entry)
    register.restore(model_app, user, document.id, read[1].entry)
    assert register.load(model_app, user, document.id) == before


def test_d12_what_a_model_has_read_before_it_failed_is_kept(
    model_app: Container, model_server: OpenAIServer, modelled: User
) -> None:
    user = modelled
    text = "\n".join(f"{n}. A bank must file form {n} each year." for n in range(1, 101))
    document = add_text(model_app, user, "Many forms", text)
    assert (told := register.reading_by_model(model_app, user, document.id)) is not None and told.left.calls == 3
    model_server.script("refine_register", answers({"corrections": []}), quota_exhausted(), quota_exhausted())
    with pytest.raises(ModelError):
        register.read_by_model(model_app, user, document.id)
    model_server.reset()
    left = register.reading_by_model(model_app, user, document.id)
    assert left is not None and 1 <= left.left.calls < 3
    register.read_by_model(model_app, user, document.id)
    assert (told := register.reading_by_model(model_app, user, document.id)) is not None and told.left.calls == 0


def test_d12_without_a_model_the_rules_have_the_last_word(app: Container, user: User, document: Document) -> None:
    assert register.reading_by_model(app, user, document.id) is None
    with pytest.raises(InvalidInput, match="no language model"):
        register.read_by_model(app, user, document.id)


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_WAIT_SECONDS
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def test_d12_a_register_is_read_in_the_background_with_progress_stop_and_a_way_on(
    model_app: Container, model_server: OpenAIServer, modelled: User
) -> None:
    def standing() -> register.ModelReading:
        told = register.reading_by_model(model_app, modelled, document.id)
        assert told is not None
        return told

    document = add_text(
        model_app, modelled, "Forms", "\n".join(f"{n}. A bank must file form {n}." for n in range(1, 241))
    )
    gate, answered = threading.Event(), answers({"corrections": []})

    def waits(server: OpenAIServer, request: RecordedRequest) -> Reply:
        gate.wait(LONGEST_WAIT_SECONDS)
        return answered(server, request)

    model_server.script("refine_register", answered, answered, *[waits] * 4)
    register.begin_reading(model_app, modelled, document.id)
    register.begin_reading(model_app, modelled, document.id)
    _until(lambda: standing().left.calls == 4)
    assert standing().is_under_way and standing().calls == 6
    register.stop_reading(model_app, modelled, document.id)
    _until(lambda: not standing().is_under_way)
    gate.set()
    register.begin_reading(model_app, modelled, document.id)
    _until(lambda: not standing().is_under_way)
    assert standing().left.calls == 0
    asked = len(model_server.requests_for("refine_register"))
    assert asked == 6, "what was under way when it was stopped is not asked twice, and two clicks are one job"
    register.forget_reading_by_model(model_app, modelled, document.id)
    assert (
        standing().left.calls == 6
        and not register_reading.estimate(model_app.db, model_app.engine, modelled.id, [document]).calls
    ), "no audit has it read against the analyst's word"
