"""What an answer uses a source for: the statements that carry its marker (U7)."""

import re
from collections.abc import Iterator

from policypal.text.sentences import split_sentences

_MARKERS = re.compile(r"((?:[📄🌐]\ufe0f?\s?\d{1,4}[\s,;.·≈]*)+)")
_MARKUP = re.compile(r"\\(?=[!-/:-@\[-`{-~])|~~|[*_`#>|]+")
_LIST = re.compile(r"^\s*(?:[-•]|\d{1,3}[.)])\s+")


def cited_statements(markdown: str, marker: str) -> list[str]:
    """The statements before each ``marker`` (such as 📄1) of an answer, without markup, each once, in reading order."""
    return list(dict.fromkeys(s for line in markdown.splitlines() for s in _of_line(line, marker)))


def _of_line(line: str, marker: str) -> Iterator[str]:
    """Text and runs of markers take turns; a run belongs to the sentence that it follows."""
    parts = _MARKERS.split(line)
    for said, markers in zip(parts[::2], parts[1::2], strict=False):
        if marker in re.findall(r"[📄🌐]\d+", re.sub(r"(?<=[📄🌐])\ufe0f?\s?", "", markers)):
            yield from _last_sentence(said)


def _last_sentence(said: str) -> Iterator[str]:
    sentences = split_sentences(" ".join(_MARKUP.sub(" ", _LIST.sub("", said)).split()))
    if sentences and any(c.isalnum() for c in sentences[-1].text):
        yield sentences[-1].text
