"""What an action reads of its documents: all of them where they fit, else a sample, and what of each was read (A0)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from policypal.db import index
from policypal.domain.documents import Document, Passage
from policypal.domain.extents import Extent
from policypal.gate.numbering import sentence_spans
from policypal.graph.context import NodeContext
from policypal.search.sampling import stratified_ordinals

WHOLE_DOCUMENT_CHUNKS = 2000
"""How much of a document the keyless engine reads at most, spread evenly; about 600 pages."""

_BYTES_PER_TOKEN = 4
"""English prose has four and a half to a token, and scripts with more bytes to a character have more tokens to it, too."""

_FENCE_BYTES = 60
"""What a prompt adds to a passage besides its title and heading: the marks around it, its number and its page."""

_NUMBER_BYTES = 8
"""What the number before a sentence takes: "[120.4] "."""

Sample = Callable[[Sequence[Passage]], Sequence[Passage]]


def passages_read(documents: Sequence[Document], context: NodeContext, *, sample: Sample) -> dict[str, list[Passage]]:
    """The passages to read by document id, in reading order: all of a document as long as the engine's budget for reading
    lasts, the smallest documents first; what ``sample`` picks of the others."""
    user, db = context.run.user_id, context.services.db
    held = {d.id: index.load_passages(db, user, d.id) for d in documents}
    budget = context.services.engine.reading_tokens
    if budget is None:
        return {i: evenly(passages, WHOLE_DOCUMENT_CHUNKS) for i, passages in held.items()}
    whole = _fitting(held, budget * _BYTES_PER_TOKEN)
    return {i: passages if i in whole else list(sample(passages)) for i, passages in held.items()}


def _fitting(held: Mapping[str, Sequence[Passage]], budget: int) -> Collection[str]:
    """The documents that may be read whole, with a ``budget`` in bytes."""
    sizes = {i: sum(map(_size, passages)) for i, passages in held.items()}
    whole = set()
    for document_id in sorted(sizes, key=lambda i: sizes[i]):
        budget -= sizes[document_id]
        if budget >= 0:
            whole.add(document_id)
    return whole


def _size(passage: Passage) -> int:
    numbers = _NUMBER_BYTES * len(sentence_spans(passage.text))
    text = passage.document_label + (passage.heading or "") + passage.text
    return _FENCE_BYTES + numbers + len(text.encode("utf-8", "replace"))


def evenly(passages: Sequence[Passage], size: int) -> list[Passage]:
    """So many of the passages, spread over the document; all where there are no more."""
    return [passages[i] for i in stratified_ordinals(len(passages), size)]


def extents_of(documents: Iterable[Document], passages: Collection[Passage]) -> list[Extent]:
    """How much of each document these passages are."""
    read = [(d, [p.page for p in passages if p.document_id == d.id]) for d in documents]
    return [Extent.of(d, len(set(pages)), len(pages)) for d, pages in read]
