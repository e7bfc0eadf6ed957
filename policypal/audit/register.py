"""From provisions and an analyst's changes to the register of obligations, and to files (D12)."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from policypal.domain.notes import PlacedNote
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.domain.register import ModelMark, Register, RegisterChange, RegisterEntry
from policypal.export.reports import Sheet, csv_file, workbook
from policypal.text.limits import limits_of

LISTED = (Kind.OBLIGATION, Kind.PROHIBITION, Kind.RECOMMENDATION, Kind.PERMISSION)
"""Kinds of sentences that the register shows; the first two count."""
_NO_MARKS: Mapping[str, ModelMark] = MappingProxyType({})
COLUMNS = (
    "Provision", "Heading", "Page", "Kind", "Bound party", "Obligation", "Limits", "In register", "Merged into", "Note", "Added",
    "Notes on the provision", "Read by a model",
)  # fmt: skip


def entries_of(
    provisions: Iterable[Provision], changes: Mapping[str, RegisterChange], marks: Mapping[str, ModelMark] = _NO_MARKS
) -> tuple[RegisterEntry, ...]:
    """The register in reading order, what was added last. What a model ``marks`` is read its way, and an analyst's change counts before
    both. A change whose sentence is no longer in the document is kept and listed as
    added, so that nothing an analyst wrote is lost when a document is read again."""
    read = [_marked(entry, marks.get(entry.entry)) for entry in _read(provisions)]
    known = {entry.entry for entry in read}
    changed = [_changed(entry, changes.get(entry.entry)) for entry in read]
    return (*changed, *(_added(c) for c in changes.values() if c.entry not in known and _is_kept(c)))


def _read(provisions: Iterable[Provision]) -> Iterator[RegisterEntry]:
    seen: dict[str, int] = {}
    for provision in provisions:
        for sentence in provision.sentences:
            if sentence.kind in LISTED:
                words = entry_words(sentence.full)
                seen[words] = seen.get(words, 0) + 1
                yield _entry(provision, sentence, f"{words}-{seen[words]}")


def entry_words(text: str) -> str:
    """What identifies an obligation: its letters and figures, whatever their case and the white space between them."""
    letters = "".join(c for c in text.casefold() if c.isalnum())
    return hashlib.sha256(letters.encode()).hexdigest()[:24]


def _entry(provision: Provision, sentence: ProvisionSentence, entry: str) -> RegisterEntry:
    return RegisterEntry(
        entry=entry,
        label=provision.label,
        heading=provision.headings[-1] if provision.headings else "",
        page=sentence.page,
        start=sentence.start,
        end=sentence.end,
        text=sentence.text,
        introduction=sentence.introduction,
        kind=sentence.kind,
        party=sentence.party,
        limits=limits_of(sentence.text),
    )


def _marked(entry: RegisterEntry, mark: ModelMark | None) -> RegisterEntry:
    """Struck where the model says that it obliges nobody: it stays in sight, and can be taken in again."""
    if mark is None:
        return entry
    party = entry.party if mark.party is None else mark.party
    return replace(entry, is_struck=not mark.obliges, party=party, model_says=mark.reason)


def _changed(entry: RegisterEntry, change: RegisterChange | None) -> RegisterEntry:
    if change is None:
        return entry
    return replace(
        entry,
        kind=change.kind or entry.kind,
        party=entry.party if change.party is None else change.party,
        is_struck=change.is_struck,
        merged_into=change.merged_into,
        note=change.note,
        is_changed=True,
    )


def _is_kept(change: RegisterChange) -> bool:
    return change.is_added or bool(change.note)


def _added(change: RegisterChange) -> RegisterEntry:
    return RegisterEntry(
        entry=change.entry, label="", heading="", page=0, start=0, end=0, text=change.text, introduction="",
        kind=change.kind or Kind.OBLIGATION, party=change.party or "", limits=limits_of(change.text), is_struck=change.is_struck,
        is_added=True, is_changed=True, merged_into=change.merged_into, note=change.note,
    )  # fmt: skip


def register_csv(register: Register, entries: Sequence[RegisterEntry]) -> bytes:
    """One line per entry in the given order, as spreadsheets open it safely."""
    return csv_file(COLUMNS, _rows(register, entries))


def register_sheet(registers: Sequence[Register]) -> Sheet | None:
    """The obligations and prohibitions of several documents as one sheet; None where there are none."""
    rows = [
        (r.document.display_title, *row) for r in registers for row in _rows(r, r.counting)
    ]  # fmt: skip
    return ("Register", ("Regulation", *COLUMNS), rows) if rows else None


def register_xlsx(register: Register, entries: Sequence[RegisterEntry]) -> bytes:
    """A workbook with the entries in the given order, and with all notes on the document's provisions where there are any."""
    facts = [
        ("Document", register.document.display_title),
        ("SHA-256", register.document.sha256),
        ("Obligations and prohibitions in the register", len(register.counting)),
    ]
    noted = [("Notes", _NOTE_COLUMNS, [_note_row(n) for n in register.notes])] if register.notes else []
    return workbook([("Register", COLUMNS, _rows(register, entries)), *noted, ("Document", ("Fact", "Value"), facts)])


_NOTE_COLUMNS = ("Provision", "Page", "Note", "Standing", "Quotation", "Changed (UTC)")
_MARKED = "(marked)"
"""What stands for a note without words."""


def _note_row(placed: PlacedNote) -> tuple[object, ...]:
    note, provision = placed.note, placed.provision
    label, page = (provision.label, provision.page) if provision else (note.label, "")
    return label, page, note.text or _MARKED, placed.standing, note.quote, f"{note.updated_at:%Y-%m-%d %H:%M}"


def _notes_at(register: Register) -> dict[tuple[int, int], str]:
    """The notes of this document by where the sentences of their provisions stand."""
    found: dict[tuple[int, int], list[str]] = {}
    for placed in register.notes:
        if placed.provision and placed.document_id == register.document.id:
            told = f"{placed.note.text or _MARKED}{f' ({placed.standing})' if placed.standing else ''}"
            for sentence in placed.provision.sentences:
                found.setdefault((sentence.page, sentence.start), []).append(told)
    return {place: "; ".join(told) for place, told in found.items()}


def _rows(register: Register, entries: Sequence[RegisterEntry]) -> Iterator[tuple[object, ...]]:
    texts, notes = {e.entry: e.full for e in entries}, _notes_at(register)
    for e in entries:
        yield (
            e.label, e.heading, e.page or "", e.kind.value, e.party, e.full, "; ".join(limit.words for limit in e.limits), "yes" if e.counts else "no",
            texts.get(e.merged_into, ""), e.note, "yes" if e.is_added else "",
            notes.get((e.page, e.start), ""), e.model_says,
        )  # fmt: skip
