"""How well a message is resolved into the request a senior analyst would want (G0, G2, G4).

    python benchmarks/requests.py --labels LABELS.json [--show]

LABELS.json: {"libraries": {name: [{"key", "title", "version", "type", "aliases", "set"}]}, "turns": [{"id", "library", "history",
"message", "attached", "expect": {"action", "sources", "targets", "documents", "focus", "queue", "ask", "acceptable"}}]}.
Prints one JSON line: ``acceptable`` (action, documents on their sides, focus, queue and what is asked are those of one of the
acceptable requests), ``needless`` (asked where an acceptable request asks nothing, and not acceptable), ``silent_wrong`` (carried out
without a question with a document on a side where no acceptable request has it, or with another action on documents, or where
every acceptable request asks). Keyless. ``--show`` lists every turn that is not acceptable.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.llm.extractive import ExtractiveEngine
from policypal.llm.task import Task, TaskContext
from policypal.request.library import KnownDocument
from policypal.request.reading import Reading, Runs, read_request
from policypal.request.said import Said
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.search.terms import terms

_SIDES = ("sources", "targets", "documents")
_DRAFT = "The attached draft says that every request is answered within ten working days."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    labels = json.loads(options.labels.read_text(encoding="utf-8"))
    engine, context = ExtractiveEngine(), TaskContext(WordLlamaEmbedder())

    def run(task: Task[Any, Any], given: Any) -> Any:
        return engine.run(task, given, context).output

    counts = dict.fromkeys(("acceptable", "needless", "silent_wrong"), 0)
    started = time.perf_counter()
    for turn in labels["turns"]:
        verdict = judged(turn, labels["libraries"], run, show=options.show)
        if verdict in counts:
            counts[verdict] += 1
    number = len(labels["turns"])
    figures = {name: round(count / number, 3) for name, count in counts.items()}
    seconds = (time.perf_counter() - started) / number
    print(json.dumps({**figures, "turns": number, "ms_per_turn": round(1000 * seconds, 1)}))


def judged(turn: Mapping[str, Any], libraries: Mapping[str, Any], run: Runs, *, show: bool = False) -> str:
    """ "acceptable", "needless", "silent_wrong", or what else a turn came to."""
    got = _as_labelled(read_request(_said(turn, libraries[turn["library"]]), run))
    wanted = [turn["expect"], *turn["expect"]["acceptable"]]
    verdict = _verdict(got, wanted)
    if show and verdict != "acceptable":
        print(
            f"{turn['id']} {verdict}: {turn['message'][:90]!r}\n    got {_short(got)}\n    wanted {_short(wanted[0])}"
        )
    return verdict


def _said(turn: Mapping[str, Any], library: Sequence[Mapping[str, Any]]) -> Said:
    used = {key: number for number, earlier in enumerate(turn["history"], 1) for key in earlier["resolved"]}
    documents = [
        KnownDocument(
            id=d["key"], title=d["title"], version=d["version"], type=d["type"], aliases=d["aliases"], set_name=d["set"],
            in_conversation=d["key"] in used, turn=used.get(d["key"]), place=list(used).index(d["key"]) if d["key"] in used else None,
        )
        for d in library
    ]  # fmt: skip
    told = [line for earlier in turn["history"] for line in (f"user: {earlier['user']}", "assistant: Done.")]
    attached = _DRAFT if turn["attached"] else ""
    return Said(message=turn["message"], documents=documents, history=told[-5:], attached=attached, today=date.today())


def _as_labelled(reading: Reading) -> dict[str, Any]:
    request = reading.request
    action = "smalltalk" if reading.kind != "action" else request.action
    return {
        "action": action, "sources": list(request.sources), "targets": list(request.targets),
        "documents": list(request.documents), "focus": request.focus or None,
        "queue": [q.action for q in request.queue] or None, "ask": reading.asks,
    }  # fmt: skip


def _verdict(got: Mapping[str, Any], wanted: Sequence[Mapping[str, Any]]) -> str:
    if any(_is(got, w) for w in wanted):
        return "acceptable"
    silent = [w for w in wanted if not w["ask"]]
    if got["ask"]:
        return "needless" if silent else "asked otherwise"
    if got["action"] == "smalltalk":
        return "other"
    foreign = any(set(got[side]) - {i for w in wanted for i in w[side]} for side in _SIDES)
    other_action = got["action"] not in [w["action"] for w in wanted] and any(got[side] for side in _SIDES)
    return "silent_wrong" if foreign or other_action or not silent else "other"


def _is(got: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    if (
        got["action"] != wanted["action"]
        or got["ask"] != wanted["ask"]
        or (got["queue"] or []) != (wanted["queue"] or [])
    ):
        return False
    if wanted["ask"]:  # what is named already may be shown, or asked about once more; nothing else may be
        return all(set(got[side]) <= {*wanted[side], *got["documents"]} for side in _SIDES)
    return all(set(got[side]) == set(wanted[side]) for side in _SIDES) and _same_focus(got, wanted)


def _same_focus(got: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """By topic: half of the labelled words or more, and as many of one's own. A question is its own focus."""
    if got["action"] == "inquire":
        return True
    own, labelled = set(terms(got["focus"] or "")), set(terms(wanted["focus"] or ""))
    if not own or not labelled:
        return own == labelled
    return 2 * len(own & labelled) >= max(len(labelled), len(own) / 2)


def _short(request: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in request.items() if v and k not in ("acceptable", "queue_detail")}


if __name__ == "__main__":
    main()
