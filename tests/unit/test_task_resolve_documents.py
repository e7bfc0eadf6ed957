"""Which documents a message refers to: labelled conversations and the rules one by one (G4, G5, G11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from policypal.services.embeddings import WordLlamaEmbedder
from policypal.services.llm.extractive import ExtractiveEngine
from policypal.services.llm.task import TaskContext
from policypal.services.llm.tasks.resolve_documents import (
    RESOLVE_DOCUMENTS,
    KnownDocument,
    Resolution,
    ResolveInput,
    SettledDocuments,
    settle,
)

DATA = Path(__file__).parent.parent / "data"
TODAY = date(2025, 6, 1)
CONTEXT = TaskContext(WordLlamaEmbedder())
ENGINE = ExtractiveEngine()


@dataclass(frozen=True)
class Played:
    """One turn of a labelled conversation and what came of it."""

    turn: dict[str, Any]
    settled: SettledDocuments
    resolution: Resolution

    @property
    def outcome(self) -> str:
        if self.settled.confidence != "high":
            return "choice" if self.settled.confidence == "medium" else "ask"
        needs = {"compare": 2, "audit": 1, "summarize": 1, "inquire": 0}[self.turn["action"]]
        if len(self.settled.ids) >= max(needs, 1):
            return "ids"
        return "none" if not needs and not self.settled.ids else "missing"  # "missing": the validation asks (G6)

    @property
    def is_right(self) -> bool:
        if "ids" in self.turn:
            return self.outcome == "ids" and set(self.settled.ids) == set(self.turn["ids"])
        if "choice" in self.turn:
            return self.outcome == "choice" and set(self.settled.candidates) == set(self.turn["choice"])
        if "interrupt" in self.turn:
            return self.outcome in ("choice", "ask", "missing")
        return self.outcome == ("ask" if "ask" in self.turn else "none")

    @property
    def is_silently_wrong(self) -> bool:
        return self.outcome == "ids" and set(self.settled.ids) != set(self.turn.get("ids", []))

    def __str__(self) -> str:
        expected = {k: v for k, v in self.turn.items() if k in ("ids", "choice", "ask", "none", "interrupt")}
        s = self.settled
        got = f"{self.outcome} ids={list(s.ids)} candidates={list(s.candidates)} unknown={list(s.unresolved_names)}"
        return f"{self.turn['say']!r} [{self.turn['action']}] wanted {expected}, got {got} ({self.resolution.reasoning})"


def play(name: str) -> list[Played]:
    data = json.loads((DATA / name).read_text())
    return [played for c in data["conversations"] for played in _play(data["libraries"][c["library"]], c["turns"])]


def _play(library: list[dict[str, Any]], turns: list[dict[str, Any]]) -> Iterator[Played]:
    used: dict[str, int] = {}
    history: list[str] = []
    for number, turn in enumerate(turns, start=1):
        documents = [KnownDocument(**d, in_conversation=d["id"] in used, turn=used.get(d["id"])) for d in library]
        given = ResolveInput(
            message=turn["say"],
            action=turn["action"],
            tagged_ids=turn.get("tags", []),
            documents=documents,
            history=history[-5:],
            today=TODAY,
        )
        resolution = ENGINE.run(RESOLVE_DOCUMENTS, given, CONTEXT).output
        yield Played(turn, settle(given, resolution), resolution)
        used.update(dict.fromkeys(turn.get("then", turn.get("ids", [])), number))
        history += [f"user: {turn['say']}", f"assistant: {turn.get('reply', 'Here is what I found.')}"]
