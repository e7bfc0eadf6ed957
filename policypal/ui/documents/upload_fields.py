"""What can be said about each file before it is added: fields for a few, a table for many (D1, D2, D8)."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from policypal.application.intake import Upload
from policypal.application.metadata import checked_set_name, checked_title, checked_version, likely_previous
from policypal.application.uploads import SeenFile
from policypal.domain.documents import SET_COLOURS, Document, DocumentType
from policypal.errors import InvalidInput
from policypal.ui.documents import upload_results
from policypal.ui.documents.document_form import SetChoice, tag_input
from policypal.ui.labels import Labels
from policypal.ui.markup import plain

_MOST_CARDS = 3
"""Files with fields of their own; more of them are a table."""
_FROM_DOCUMENT = "From the document itself"
_PREVIOUS_HELP = "Both versions stay in the library and are linked."
_TYPES = {t.label: t for t in DocumentType}


@dataclass(frozen=True, slots=True)
class Common:
    """What holds for all files unless something else is said about one. ``folder_sets`` are the sets named after the
    files' folders, in their order; empty if nobody asked for them. ``known_sets`` is how many sets there are."""

    type: DocumentType
    set: SetChoice
    folder_sets: tuple[str, ...]
    known_sets: int

    def set_of(self, number: int, typed: str = "") -> SetChoice:
        name = typed.strip() or (self.folder_sets[number] if self.folder_sets else "")
        if not name:
            return self.set
        order = list(dict.fromkeys(n for n in self.folder_sets if n))
        place = order.index(name) if name in order else number
        return SetChoice(name, SET_COLOURS[(self.known_sets + place) % len(SET_COLOURS)])


def ask_folder_sets(seen: Sequence[SeenFile], key: str) -> tuple[str, ...]:
    """The set each file gets from its folder, if that is wanted; empty otherwise."""
    names = folder_sets([file.folder for file in seen])
    different = list(dict.fromkeys(n for n in names if n))
    if not different:
        return ()
    shown = ", ".join(map(plain, different[:3])) + (f" and {len(different) - 3} more" if len(different) > 3 else "")
    wanted = st.toggle(f"Put files into sets named after their folders: {shown}", key=f"folder_sets_{key}")
    return tuple(names) if wanted else ()


def folder_sets(folders: Sequence[tuple[str, ...]]) -> list[str]:
    """For each folder the name of the first part in which the folders differ; the last one where they are all the same."""
    if len(set(folders)) == 1:
        return [folder[-1][:100] if folder else "" for folder in folders]
    shared, held = 0, [folder for folder in folders if folder]
    while all(len(f) > shared for f in held) and len({f[shared] for f in held}) == 1:
        shared += 1
    return [folder[shared][:100] if len(folder) > shared else "" for folder in folders]


def ask(seen: Sequence[SeenFile], common: Common, documents: Sequence[Document], key: str) -> list[Upload]:
    """Each file as it will be added, without its bytes."""
    if len(seen) > _MOST_CARDS:
        return _table(seen, common, documents, key)
    return [_card(file, number, common, documents, f"{key}_{_name(seen, number)}") for number, file in enumerate(seen)]


def _name(seen: Sequence[SeenFile], number: int) -> str:
    """What a file's fields are known by; stays the same while other files come and go."""
    path = seen[number].path
    return f"{path}_{sum(file.path == path for file in seen[:number])}"


def problems(seen: Sequence[SeenFile], details: Sequence[Upload]) -> list[tuple[str, str]]:
    """(path, sentence) of each file whose fields are unusable."""
    found = []
    for file, upload in zip(seen, details, strict=True):
        try:
            if upload.title.strip():
                checked_title(upload.title)
            checked_version(upload.version)
            checked_set_name(upload.set_name)
        except InvalidInput as problem:
            found.append((file.path, problem.message))
    return found


def _card(file: SeenFile, number: int, common: Common, documents: Sequence[Document], key: str) -> Upload:
    if file.existing_id:
        upload_results.show_duplicate(file.path, file.problem, file.existing_id)
        return _upload(common, number)
    if file.problem:
        st.error(f"**{plain(file.path)}**: {plain(file.problem)}", icon=":material/block:")
        return _upload(common, number)
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    with st.container(border=True):
        left, right = st.columns([3, 1])
        title = left.text_input(
            plain(f"Title of {file.path}"), file.title, key=f"title_{key}", placeholder=_FROM_DOCUMENT
        )
        version = right.text_input("Version or year", file.version, key=f"version_{key}")
        previous = _choose_previous(title or "", version or "", documents, key)
        if st.toggle("Aliases and tags", key=f"more_{key}"):  # in an expander the tag fields would measure no height
            aliases = tag_input("Aliases: other names people use for it", (), key=f"aliases_{key}")
            tags = tag_input("Tags", (), key=f"tags_{key}")
    return _upload(common, number, title or "", version or "", previous=previous, aliases=aliases, tags=tags)


def _choose_previous(title: str, version: str, documents: Sequence[Document], key: str) -> str | None:
    """The document this one is a new version of; the one with the same title is offered."""
    if not documents:
        return None
    ids = [d.id for d in documents]
    likely = likely_previous(title, documents)
    chosen: str | None = st.selectbox(
        "New version of", ids, index=ids.index(likely.id) if likely else None, key=f"previous_{key}_{title}",
        format_func=Labels({d.id: d.display_title for d in documents}), placeholder="No: a document of its own",
        help=_PREVIOUS_HELP,
    )  # fmt: skip
    if chosen is not None and documents[ids.index(chosen)].version.strip() == version.strip():
        st.caption("Both have the same version. Give this one another, so that they can be told apart.")
    return chosen


def _upload(
    common: Common, number: int, title: str = "", version: str = "", *, type: DocumentType | None = None,
    set_name: str = "", previous: str | None = None, aliases: tuple[str, ...] = (), tags: tuple[str, ...] = (),
) -> Upload:  # fmt: skip
    chosen = common.set_of(number, set_name)
    return Upload(
        filename="", data=b"", type=type or common.type, title=title, version=version, set_name=chosen.name,
        set_colour=chosen.colour, aliases=aliases, tags=tags, previous_version_id=previous,
    )  # fmt: skip


def _table(seen: Sequence[SeenFile], common: Common, documents: Sequence[Document], key: str) -> list[Upload]:
    """Every cell can be changed; an empty one means what was chosen for all."""
    names = _unique_names(documents)
    frame = pd.DataFrame([_row(file, documents, names) for file in seen], dtype="string")
    # another list of files is another table: what was typed stands in rows, and must not slip to another file
    key = f"upload_table_{key}_{zlib.crc32(repr([file.path for file in seen]).encode()):08x}"
    st.caption(
        f"{len(seen)} files. Click a cell to change it. An empty title comes from the document itself; an empty type or set "
        "is the one chosen above."
    )
    edited = st.data_editor(
        frame, hide_index=True, key=key, num_rows="fixed", column_config=_columns(names, frame), placeholder=""
    )
    previous_ids = {label: id for id, label in names.items()}
    return [
        _upload(
            common, number, _cell(row, "Title"), _cell(row, "Version"), type=_TYPES.get(_cell(row, "Type")),
            set_name=_cell(row, "Set"), previous=previous_ids.get(_cell(row, "New version of")),
            tags=tuple(_cell(row, "Tags").split(",")),
        )
        for number, row in enumerate(edited.to_dict("records"))
    ]  # fmt: skip


def _row(file: SeenFile, documents: Sequence[Document], names: dict[str, str]) -> dict[str, str | None]:
    likely = likely_previous(file.title, documents)
    return {
        "File": file.name, "Note": file.problem or None, "Title": file.title or None, "Version": file.version or None,
        "New version of": names[likely.id] if likely else None, "Type": None, "Set": None, "Tags": None,
        "Folder": "/".join(file.folder) or None,
    }  # fmt: skip


def _columns(names: dict[str, str], frame: pd.DataFrame) -> dict[str, Any]:
    """Columns that say nothing about any file are left out."""
    columns = st.column_config
    return {
        "File": columns.TextColumn("File", disabled=True, width=130),
        "Note": columns.TextColumn("Cannot be added because", disabled=True) if frame["Note"].notna().any() else None,
        "Title": columns.TextColumn("Title", width=200),
        "Version": columns.TextColumn("Version or year", width=115),
        "New version of": columns.SelectboxColumn(options=list(names.values()), help=_PREVIOUS_HELP, width=120)
        if names
        else None,
        "Type": columns.SelectboxColumn("Type", options=list(_TYPES), width="small"),
        "Set": columns.TextColumn("Set", help="A new name creates the set.", width="small"),
        "Tags": columns.TextColumn("Tags", help="Separated by commas.", width="small"),
        "Folder": columns.TextColumn("Folder", disabled=True) if frame["Folder"].notna().any() else None,
    }


def _unique_names(documents: Sequence[Document]) -> dict[str, str]:
    """By id, what tells the documents apart in a list of texts."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for document in documents:
        name, again = document.display_title, 2
        while name in taken:
            name, again = f"{document.display_title} · {again}", again + 1
        taken.add(name)
        names[document.id] = name
    return names


def _cell(row: dict[Any, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
