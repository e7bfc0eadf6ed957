"""Which documents a message refers to: by the rules, and what a reading by rules or model comes to (G4, stages 2 and 3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

from policypal.domain.requests import ActionName
from policypal.domain.versions import in_force, superseded_by, version_families
from policypal.ingest.drafts import request_of
from policypal.request.binding import bind
from policypal.request.composer import MAX_DOCUMENTS
from policypal.request.library import KnownDocument, Library, match_name, speaks_of_editions
from policypal.request.material import text_of
from policypal.request.said import Said
from policypal.request.words import fold

InferenceSource = Literal["explicit", "inferred", "fuzzy_match", "hybrid"]
Confidence = Literal["high", "medium", "low"]


class Resolution(BaseModel):
    """What was read: ``ids`` that are certain besides the tagged ones, ``candidates`` among which the message leaves a choice,
    and ``unknown`` names of no document. ``is_unclear``: a document was meant that cannot be told (M8)."""

    ids: list[str] = Field(default_factory=list)
    candidates: list[str] = Field(default_factory=list)
    unknown: list[str] = Field(default_factory=list)
    is_unclear: bool = False


@dataclass(frozen=True, slots=True)
class SettledDocuments:
    """What the three stages come to. ``ids``: tagged first, then resolved, then matched by similar name.
    ``titles`` maps every id in ``ids`` and ``candidates`` to its display title (G5). ``confidence``: "high" go on with
    ``ids``, "medium" offer ``candidates``, "low" ask for ``unresolved_names``. ``source`` is None without documents."""

    ids: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    unresolved_names: tuple[str, ...] = ()
    confidence: Confidence = "high"
    source: InferenceSource | None = None
    titles: dict[str, str] = field(default_factory=dict)


def settle(said: Said, resolution: Resolution) -> SettledDocuments:
    """Stage 3 (G4): names the task left open are matched by similarity, and everything is put together.

    ``said`` is without a text to be audited. A document that a model made up leaves the scope open (M8), so that it is asked about. A name that fits several documents
    becomes candidates; of several editions the one in force is meant, unless the message speaks of editions. No word adds another
    edition of a tagged document.
    """
    known = {d.id: d for d in said.documents}
    resolved = [i for i in dict.fromkeys(resolution.ids) if i in known and i not in said.tagged_ids]
    inferred = _editions_meant(said, [known[i] for i in resolved])
    candidates = [i for i in resolution.candidates if i in known]
    matched: list[str] = []
    unresolved: list[str] = []
    tagged_sets = {
        fold(d.set_name or "") for d in said.documents if d.id in said.tagged_ids
    }  # their documents are tagged, too
    for name in (n for n in resolution.unknown if fold(n) not in tagged_sets):
        matches = match_name(name, said.documents)
        newest = in_force(matches)
        similar = [d.id for d in matches if d.id in newest or speaks_of_editions(name, d)]
        target = matched if len(similar) == 1 else candidates if similar else unresolved
        target.extend(similar or [name])
    ids = tuple(dict.fromkeys([*said.tagged_ids, *inferred, *matched]))
    open_candidates = tuple(i for i in dict.fromkeys(candidates) if i not in ids)
    return SettledDocuments(
        ids,
        open_candidates,
        tuple(unresolved),
        "low" if resolution.is_unclear or unresolved else "medium" if open_candidates else "high",
        _source(said.tagged_ids, inferred, matched),
        {i: known[i].display_title for i in (*ids, *open_candidates) if i in known},
    )


def _editions_meant(said: Said, documents: Sequence[KnownDocument]) -> list[str]:
    """The ids of ``documents``, each in the edition that is meant where the message does not say which: one that is tagged, else
    the one of this conversation, else the one in force (G4)."""
    families, newest = version_families(said.documents), superseded_by(said.documents)
    meant: list[str] = []
    for d in documents:
        family = families.get(d.id, ())
        if d.in_conversation or not family or speaks_of_editions(said.message, d):
            meant.append(d.id)
        elif sum(e in documents for e in family) > 1:
            meant.append(d.id)  # "how did the rulebook change?"
        elif not any(e.id in said.tagged_ids for e in family):
            meant.append(newest[d.id].id if d.id in newest else d.id)
    return list(dict.fromkeys(meant))


def _source(tagged: Sequence[str], inferred: Sequence[str], matched: Sequence[str]) -> InferenceSource | None:
    if tagged:
        return "hybrid" if inferred or matched else "explicit"
    if matched:
        return "fuzzy_match"
    return "inferred" if inferred else None


def documents_by_rules(said: Said, action: ActionName) -> Resolution:
    """What the words refer to: a document only where they leave one reading, else candidates, or a name nobody knows."""
    asked, text = asked_of(said, action)
    found = bind(request_of(asked), action, said.tagged_ids, Library(said.documents), said.day, bool(text))
    resolved = [d.id for d in found.certain if d.id not in said.tagged_ids]
    return Resolution(
        ids=resolved,
        candidates=[d.id for d in found.candidates if d.id not in (*resolved, *said.tagged_ids)],
        unknown=[name for name in dict.fromkeys(found.unknown) if name],
    )


def asked_of(said: Said, action: ActionName) -> tuple[str, str]:
    """What is asked, and the text that an audit is asked of."""
    return text_of(said.message, said.attached) if action == "audit" else (said.message, "")


def without_asking(settled: SettledDocuments, documents: Sequence[KnownDocument], tagged: Sequence[str]) -> list[str]:
    """A question is answered over all documents it may mean, where they fit into one request, else over the library (G4)."""
    newest = superseded_by(documents)
    possible = [i for i in settled.candidates if i not in newest and not tagged] if settled.confidence != "high" else []
    return possible if len(settled.ids) + len(possible) <= MAX_DOCUMENTS else []
