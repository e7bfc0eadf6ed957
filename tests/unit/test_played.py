"""A played model is the product's own engine over recorded answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.played import PlayedEngine, Recordings, Unplayed
from policypal.answer.evidence import Evidence
from policypal.answer.task import ANSWER, Answer, AnswerInput
from policypal.llm.task import TaskContext, TaskResult
from policypal.search.embeddings import built_in_embedder

GIVEN = AnswerInput(
    question="How fast may boats go?",
    evidence=[Evidence(number=1, document="Harbour Rules", page=1, text="Boats must not exceed five knots.")],
)
RIGHT = {"found": True, "sentences": [{"text": "At most five knots.", "cites": ["1.1"]}]}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "recordings", tmp_path / "requests"


def asked(folders: tuple[Path, Path], heard: list[Answer] | None = None) -> TaskResult[Answer]:
    listen = heard.append if heard is not None else None
    return PlayedEngine(Recordings(*folders)).run(ANSWER, GIVEN, TaskContext(built_in_embedder(), listen=listen))


def answer(folders: tuple[Path, Path], number: int, content: dict[str, Any]) -> None:
    (folders[1] / f"{number:04d}.answer.json").write_text(json.dumps({"content": content}), encoding="utf-8")


def test_a_request_is_written_down_once_and_its_answer_is_taken_in(folders: tuple[Path, Path]) -> None:
    for _ in range(2):
        with pytest.raises(Unplayed):
            asked(folders)
    assert [p.name for p in sorted(folders[1].iterdir())] == ["0001.request.json", "0001.request.txt"]
    assert "[1.1] Boats must not exceed five knots." in (folders[1] / "0001.request.txt").read_text(encoding="utf-8")
    answer(folders, 1, RIGHT)
    heard: list[Answer] = []
    assert asked(folders, heard).output.sentences[0].cites == ["1.1"]
    assert heard[-1].sentences[0].text == "At most five knots."


def test_an_answer_the_product_cannot_use_is_asked_for_again(folders: tuple[Path, Path]) -> None:
    with pytest.raises(Unplayed):
        asked(folders)
    answer(folders, 1, {**RIGHT, "sentences": [{"text": "At most five knots.", "cites": ["7.1"]}]})
    with pytest.raises(Unplayed):
        asked(folders)
    assert "no sentence has the numbers 7.1" in (folders[1] / "0002.request.txt").read_text(encoding="utf-8")
    answer(folders, 2, RIGHT)
    assert asked(folders).output.sentences[0].cites == ["1.1"]


def test_what_was_recorded_is_found_without_the_requests(folders: tuple[Path, Path]) -> None:
    with pytest.raises(Unplayed):
        asked(folders)
    answer(folders, 1, RIGHT)
    asked(folders)
    engine = PlayedEngine(Recordings(folders[0]))
    engine.run(ANSWER, GIVEN, TaskContext(built_in_embedder()))
    assert engine.calls == 1 and 0 < engine.evidence_share < 0.1
    with pytest.raises(Unplayed):
        engine.run(ANSWER, GIVEN.model_copy(update={"question": "How slow?"}), TaskContext(built_in_embedder()))
