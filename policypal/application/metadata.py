"""What people type about a document, checked and tidied (D1, D2)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath

from rapidfuzz import fuzz

from policypal.application.container import Container
from policypal.db import documents as sets_db
from policypal.domain.documents import Document
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import InvalidInput

MOST_TITLE_CHARACTERS = 300
_MOST_FILENAME_CHARACTERS = 255
_FEWEST_COMPARED = 5
_SAME_WORK = 90.0
_VERSION = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<![A-Za-z])[vV]\d+(?:\.\d+)*")
_EDITION = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|\b(?:v(?:ersion)?\s*\d+(?:\.\d+)*|draft|final|rev(?:ision|ised)?|new|edition|copy)\b"
)


def checked_title(title: str) -> str:
    """The title in one line. Raises InvalidInput: it is empty or too long to be kept whole."""
    title = " ".join(storable(title).split())
    if not title:
        raise InvalidInput("Please give the document a title.")
    if len(title) > MOST_TITLE_CHARACTERS:
        raise InvalidInput(f"This title has {len(title)} characters; please shorten it to {MOST_TITLE_CHARACTERS}.")
    return title


def checked_version(version: str) -> str:
    version = " ".join(storable(version).split())
    if len(version) > 100:
        raise InvalidInput("A version or year can have at most 100 characters.")
    return version


def title_from_filename(filename: str) -> str:
    stem = PurePath(kept_filename(filename)).stem
    return " ".join(stem.replace("_", " ").replace("-", " ").split()) or "Untitled document"


def kept_filename(filename: str) -> str:
    """The name without folders and control characters; a very long one loses its middle, never its extension."""
    name = PurePath(storable(filename).replace("\\", "/")).name
    name = "".join(c for c in name if c.isprintable() or c in "\u200c\u200d")
    if len(name) > _MOST_FILENAME_CHARACTERS:
        name = f"{name[: _MOST_FILENAME_CHARACTERS - 21]}…{name[-20:]}"
    return name or "document"


def checked_set_name(name: str) -> str:
    name = " ".join(storable(name).split())
    if len(name) > 100:
        raise InvalidInput("The name of a set can have at most 100 characters.")
    return name


def set_id_of(app: Container, user: User, name: str, colour: str) -> str | None:
    name = checked_set_name(name)
    return sets_db.ensure_set(app.db, user.id, name, colour).id if name else None


def tidy(values: Sequence[str]) -> tuple[str, ...]:
    cleaned = (" ".join(storable(v).split())[:100] for v in values)
    return tuple(dict.fromkeys(v for v in cleaned if v))


def version_in(filename: str, title: str) -> str:
    """The year or version number in a file's name, if there is exactly one and the title does not say it too."""
    found = set(_VERSION.findall(PurePath(kept_filename(filename)).stem))
    return found.pop() if len(found) == 1 and not any(v in title for v in found) else ""


def likely_previous(title: str, documents: Sequence[Document]) -> Document | None:
    """The document this title may be a new version of: the same name but for years, versions and small differences (D8).
    Of a document that has versions already it is the latest."""
    wanted = _work_of(title)
    if len(wanted) < _FEWEST_COMPARED:
        return None
    followed = {d.previous_version_id for d in documents}
    scored = [(fuzz.ratio(wanted, _work_of(d.title)), d.version, d) for d in documents if d.id not in followed]
    best = max(scored, key=lambda s: s[:2], default=None)
    return best[2] if best and best[0] >= _SAME_WORK else None


@lru_cache(maxsize=4096)
def _work_of(title: str) -> str:
    """The title without what tells versions apart."""
    return " ".join(re.findall(r"\w+", _EDITION.sub(" ", title.casefold())))
