"""What a model reads of its documents: all of them (A0). What fits one request goes whole; a larger document is read in parts side by side,
and the passages that were chosen from them go where the whole would have gone.

What was chosen of a part is kept with the document: a run that was killed, stopped or ran out of budget pays for no part again, and neither
does the next summary.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from math import ceil
from threading import Lock
from typing import Any

from policypal.answer.choose_passages import CHOOSE_PASSAGES, ChooseInput
from policypal.concurrency import Joint, few_at_once
from policypal.db import index
from policypal.db import model_readings as readings_db
from policypal.domain.documents import Document, Passage, RetrievedPassage
from policypal.domain.events import StatusEvent
from policypal.gate.numbering import sentence_spans
from policypal.graph.citing import numbered_evidence
from policypal.graph.context import SIDE_BY_SIDE, NodeContext, added
from policypal.text.clauses import Place

PART_TOKENS = 20_000
"""Of one part. A model asked to choose from much more overlooks more."""
_LEAST_TOKENS = 1_000
"""Of each document there is room for so much, however little is allowed."""
_BYTES_PER_TOKEN = 4
"""English prose has four and a half to a token, and scripts with more bytes to a character have more tokens to it, too."""
_FENCE_BYTES = 60
"""What a prompt adds to a passage besides its title and heading: the marks around it, its number and its page."""
_NUMBER_BYTES = 8
"""What the number before a sentence takes: "[120.4] "."""


@dataclass(frozen=True, slots=True)
class Read:
    """The passages for the request by document id, in reading order. ``parts``: in how many parts each document was read that did not fit;
    0 where code has compared its editions. ``totals`` are the turn's new totals, empty where no model was asked."""

    passages: Mapping[str, Sequence[Passage]]
    parts: Mapping[str, int] = field(default_factory=dict)
    totals: Mapping[str, Any] = field(default_factory=dict)


Changed = Callable[[], Sequence[tuple[str, Place]]]
"""Where two editions differ: a document's id and a place in it, the weightiest first."""


def read_documents(
    state: Mapping[str, Any],
    context: NodeContext,
    documents: Sequence[Document],
    topic: str,
    changed: Changed | None = None,
) -> Read:
    """All of the documents for one request about ``topic``, or about everything. Of editions that do not fit, the passages that changed.

    Raises:
        BudgetExceeded: the next part is not covered; those before it are kept.
        RunStopped: likewise.
    """
    user, db = context.run.user_id, context.services.db
    held = {d.id: index.load_passages(db, user, d.id) for d in documents}
    sizes = {i: sum(map(_size, passages)) for i, passages in held.items()}
    tokens = max(context.services.engine.reading_tokens or 0, _LEAST_TOKENS * len(held))
    shares = _shares(sizes, tokens * _BYTES_PER_TOKEN)
    large = [i for i in held if shares[i] < sizes[i]]
    if not large:
        return Read(held)
    if places := changed() if changed else ():
        found = {i: _fitting(_at(places, i, held[i]), shares[i]) for i in large}
        return Read({**held, **found}, dict.fromkeys(large, 0))
    most = {i: min(shares[i], PART_TOKENS * _BYTES_PER_TOKEN) for i in large}
    even = {i: sizes[i] // ceil(sizes[i] / most[i]) + 1 for i in large}  # the last part is about as large as the others
    parts = [_Part(i, passages) for i in large for passages in _cut(held[i], even[i])]
    ranked, totals = _chosen(state, context, parts, topic)
    chosen = {
        i: _fitting(_in_turns([r for p, r in zip(parts, ranked, strict=True) if p.document_id == i]), shares[i])
        for i in large
    }
    return Read({**held, **chosen}, {i: sum(p.document_id == i for p in parts) for i in large}, totals)


def fits_whole(context: NodeContext, documents: Iterable[Document]) -> bool:
    """Whether one request can hold all of the documents."""
    user, db = context.run.user_id, context.services.db
    size = sum(_size(p) for d in documents for p in index.load_passages(db, user, d.id))
    return size <= (context.services.engine.reading_tokens or 0) * _BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class _Part:
    document_id: str
    passages: Sequence[Passage]


def _size(passage: Passage) -> int:
    numbers = _NUMBER_BYTES * len(sentence_spans(passage.text))
    text = passage.document_label + (passage.heading or "") + passage.text
    return _FENCE_BYTES + numbers + len(text.encode("utf-8", "replace"))


def _shares(sizes: Mapping[str, int], budget: int) -> dict[str, int]:
    """How much of the budget each document may take, in bytes: all that it needs, the smallest first, up to an equal share of what is left."""
    shares = {}
    for left, i in zip(range(len(sizes), 0, -1), sorted(sizes, key=lambda i: sizes[i]), strict=True):
        shares[i] = min(sizes[i], budget // left)
        budget -= shares[i]
    return shares


def _cut(passages: Sequence[Passage], size: int) -> Iterator[list[Passage]]:
    """The document in parts of at most so many bytes, or of one passage."""
    part, filled = list[Passage](), 0
    for passage in passages:
        if part and filled + _size(passage) > size:
            yield part
            part, filled = [], 0
        part.append(passage)
        filled += _size(passage)
    if part:
        yield part


def _at(places: Iterable[tuple[str, Place]], document_id: str, passages: Sequence[Passage]) -> Iterator[Passage]:
    """The passages that hold these places of the document, in their order."""
    for where, place in places:
        if where == document_id:
            yield from (p for p in passages if p.page == place.page and p.start < place.end and place.start < p.end)


def _in_turns(ranked: Sequence[Sequence[Passage]]) -> Iterator[Passage]:
    """The best of every part, then the second best of each, and so on."""
    return (passage for turn in zip_longest(*ranked) for passage in turn if passage is not None)


def _fitting(passages: Iterable[Passage], size: int) -> list[Passage]:
    """As many of them as fit, each once, in reading order."""
    kept: dict[str, Passage] = {}
    for passage in passages:
        if passage.id not in kept and (size := size - _size(passage)) < 0:
            break
        kept[passage.id] = passage
    return sorted(kept.values(), key=lambda p: p.ordinal)


def _chosen(
    state: Mapping[str, Any], context: NodeContext, parts: Sequence[_Part], topic: str
) -> tuple[list[list[Passage]], dict[str, Any]]:
    """Of each part the passages that a model has chosen, the most important first; and the turn's new totals."""
    room = _Room(context.reserving(), topic, len(parts))
    room.unaided += state["unaided"]
    chosen = few_at_once([partial(room.choose, part) for part in parts], SIDE_BY_SIDE, "policypal-reading")
    return chosen, {**added([state, *room.totals]), "unaided": room.unaided}


_under_way: Joint[list[int]] = Joint()
"""A part that a stopped run still waits for is not asked for again meanwhile."""


@dataclass
class _Room:
    """What the calls of one reading share."""

    node: NodeContext
    topic: str
    parts: int
    done: int = 0
    lock: Lock = field(default_factory=Lock)
    totals: list[Mapping[str, Any]] = field(default_factory=list)
    unaided: list[dict[str, Any]] = field(default_factory=list)

    def choose(self, part: _Part) -> list[Passage]:
        """What was chosen of a part: now, or when it was read before."""
        self.node.run.check_stop()
        hits = [RetrievedPassage(p, 0.0, 0.0, 0.0) for p in part.passages]
        given = ChooseInput(evidence=numbered_evidence(hits), topic=self.topic)
        key = (self.node.run.user_id, part.document_id, self._key(given))
        numbers, _ = _under_way.run(key, lambda: self._numbers(*key, given))
        with self.lock:
            self.done += 1
            told = f"Read {self.done} of {self.parts} parts..."
        self.node.run.tell(StatusEvent(node="retrieve", message=told))
        return [part.passages[n - 1] for n in dict.fromkeys(numbers) if 1 <= n <= len(part.passages)]

    def _numbers(self, user: str, document: str, key: str, given: ChooseInput) -> list[int]:
        db = self.node.services.db
        if (kept := readings_db.find_reading(db, user, document, key)) is not None:
            return list(kept["numbers"])
        chosen, totals = self.node.run_task({"unaided": list(self.unaided)}, CHOOSE_PASSAGES, given)
        if "unaided" not in totals:
            readings_db.keep_reading(db, user, document, key, chosen.model_dump())
        with self.lock:
            self.totals.append(totals)
            self.unaided += totals.get("unaided", [])[-1:]
        return chosen.numbers

    def _key(self, given: ChooseInput) -> str:
        task = CHOOSE_PASSAGES
        shown = [self.node.services.engine.model_for(task.name), task.version, task.prompt(given).content]
        return sha256(json.dumps(shown).encode()).hexdigest()[:32]
