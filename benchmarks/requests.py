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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.interrupts import question
from policypal.domain.users import Profile
from policypal.errors import TooManyDocuments
from policypal.graph.agent.nodes.doc_resolver import doc_resolver
from policypal.graph.agent.nodes.intent_resolver import intent_resolver
from policypal.graph.agent.nodes.validate_inputs import validate_inputs
from policypal.graph.agent.state import AgentState, Turn
from policypal.graph.context import NodeContext, RunContext
from policypal.graph.services import GraphServices
from policypal.llm.extractive import ExtractiveEngine
from policypal.search.embeddings import built_in_embedder
from policypal.search.terms import terms

_NOBODY: Any = None
"""What the stages that read a message never touch: the database, its search, the web."""
_SIDES = ("sources", "targets", "documents")
_DRAFT = "The attached draft says that every request is answered within ten working days."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    labels = json.loads(options.labels.read_text(encoding="utf-8"))
    counts = dict.fromkeys(("acceptable", "needless", "silent_wrong"), 0)
    started = time.perf_counter()
    for turn in labels["turns"]:
        verdict = judged(turn, labels["libraries"], show=options.show)
        if verdict in counts:
            counts[verdict] += 1
    number = len(labels["turns"])
    figures = {name: round(count / number, 3) for name, count in counts.items()}
    seconds = (time.perf_counter() - started) / number
    print(json.dumps({**figures, "turns": number, "ms_per_turn": round(1000 * seconds, 1)}))


def judged(turn: Mapping[str, Any], libraries: Mapping[str, Any], *, show: bool = False) -> str:
    """ "acceptable", "needless", "silent_wrong", or what else a turn came to."""
    library = [document(d) for d in libraries[turn["library"]]]
    held = _conversation(turn["history"], {d.id: d for d in library})
    got = _as_labelled(read(turn["message"], library, attached=_DRAFT if turn["attached"] else "", held=held))
    wanted = [turn["expect"], *turn["expect"]["acceptable"]]
    verdict = _verdict(got, wanted)
    if show and verdict != "acceptable":
        print(
            f"{turn['id']} {verdict}: {turn['message'][:90]!r}\n    got {_short(got)}\n    wanted {_short(wanted[0])}"
        )
    return verdict


def read(
    message: str, library: Sequence[Document], *, attached: str = "", held: Mapping[str, Any] | None = None
) -> AgentState:
    """The state of a turn after the stages that read it: its request, or the question that is asked first. ``held`` is what the
    conversation remembers."""
    turn = Turn(message_id=str(uuid4()), text=message, clean_query=message, tagged_ids=[], draft_text=attached)
    state: dict[str, Any] = {**turn.graph_input(), **(held or {})}
    for stage in (intent_resolver, doc_resolver, validate_inputs):
        try:
            state |= stage(cast(AgentState, state), _context(library))
        except TooManyDocuments as error:  # the person is told to name fewer
            state["question"] = question("text_input", error.message, expects="document")
        if state["question"] or state["response"]:
            break
    return cast(AgentState, state)


class _Silent:
    """Records nothing."""

    def trace(self, entry: object) -> None: ...

    def task(self, name: str, result: object) -> None: ...


def _context(library: Sequence[Document]) -> NodeContext:
    run = RunContext("", "", "", Profile(), library, _Silent(), check_stop=lambda: None, tell=lambda event: None)
    return NodeContext(run, GraphServices(_NOBODY, _NOBODY, built_in_embedder(), ExtractiveEngine()))


def document(labelled: Mapping[str, Any]) -> Document:
    """A document of a labelled library."""
    return Document(
        id=labelled["key"], title=labelled["title"], version=labelled["version"], type=DocumentType(labelled["type"]),
        filename="", media_type="", sha256="", size_bytes=0, storage_key="", status=DocumentStatus.READY, created_at=datetime.now(UTC),
        set_id=labelled["set"], set_name=labelled["set"], aliases=tuple(labelled["aliases"]),
    )  # fmt: skip


def _conversation(history: Sequence[Mapping[str, Any]], library: Mapping[str, Document]) -> dict[str, Any]:
    """What the agent remembers of the turns before."""
    used = {key: number for number, earlier in enumerate(history, 1) for key in earlier["resolved"]}
    said = [(role, text) for earlier in history for role, text in (("user", earlier["user"]), ("assistant", "Done."))]
    return {
        "messages": [{"id": str(n), "role": role, "content": text} for n, (role, text) in enumerate(said)],
        "conversation_docs": {library[key].display_title: key for key in used}, "document_turns": used, "turn": len(history),
    }  # fmt: skip


def _as_labelled(state: AgentState) -> dict[str, Any]:
    asked = state["question"] or {}
    kinds = {"action_choice": "action", "doc_choice": "document", "text_input": asked.get("expects")}
    ask = kinds[asked["interrupt_type"]] if asked else None
    action = "smalltalk" if state["response"] else state["action"]
    request = state["request"] or {"documents": state["resolved_doc_ids"]}
    each = [q for q in state["queue"] if q["request"]]  # audits of one source each, asked for together
    request = {**request, "sources": [*request.get("sources", ()), *(i for q in each for i in q["request"]["sources"])]}
    return {
        "action": None if ask == "action" else action, "ask": ask, "focus": request.get("focus") or None,
        **{side: list(request.get(side, ())) for side in _SIDES}, "queue": [q["action"] for q in state["queue"] if q not in each] or None,
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
    if wanted["ask"]:  # what is named already may be shown; nothing else may be
        return set(got["documents"]) <= {i for side in _SIDES for i in wanted[side]}
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
