"""How well the register of obligations reads labelled pages of real documents (D11, D12).

    python benchmarks/register.py --labels LABELS.json --pdfs DIR [--show]

LABELS.json: {"pages": [{"file", "page", "units": [{"text", "stem", "kind", "binds", …}]}]}; files of any kind the product reads, a page of
null means the whole document. A unit counts as read where one of the
sentences the product finds in its place binds somebody; units marked "doubtful" are left out. Prints one JSON line: recall and
precision of obligations and prohibitions, the share of their parties named rightly (any word in common), outline entries that are
headings on their page, seconds. ``--show`` lists every error.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from rapidfuzz import fuzz

from policypal.domain.provisions import ProvisionSentence
from policypal.ingest.extract import ExtractedDocument, ExtractionLimits, read
from policypal.ingest.sniff import detect_media_type
from policypal.text.provisions import read_provisions

_LIMITS = ExtractionLimits(seconds=300, memory_mb=2_000, max_pages=5_000)
_ALIKE = 75.0
_CONTAINED = 90.0
_SMALL = frozenset({"the", "of", "and", "or", "its", "their", "s", "in", "a", "an", "for", "to"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    labels = json.loads(options.labels.read_text(encoding="utf-8"))
    started = time.perf_counter()
    counts = _Counts(options.show)
    entries = found = 0
    for file in dict.fromkeys(page["file"] for page in labels["pages"]):
        path = options.pdfs / file
        document = read(path, detect_media_type(path.read_bytes(), file), limits=_LIMITS)
        sentences = _sentences(document)
        seen, all_entries = _outline_found(document, sentences)
        entries, found = entries + all_entries, found + seen
        for page in (p for p in labels["pages"] if p["file"] == file):
            counts.add(page, [s for s in sentences if page["page"] in (None, s.page)])
    print(json.dumps({**counts.figures(), "outline": round(found / max(entries, 1), 3), "outline_entries": entries,
                      "seconds": round(time.perf_counter() - started, 1)}))  # fmt: skip


def _sentences(document: ExtractedDocument) -> list[ProvisionSentence]:
    provisions = read_provisions(document.pages, [title for title, _ in document.outline])
    return [s for p in provisions for s in p.sentences]


def _outline_found(document: ExtractedDocument, sentences: list[ProvisionSentence]) -> tuple[int, int]:
    headings: dict[int, set[str]] = defaultdict(set)
    for s in sentences:
        if s.kind.value == "heading":
            headings[s.page].add(_bare(s.text))
    entries = [(_bare(title), page) for title, page in document.outline if page is not None]
    return sum(any(title in h for h in headings[page]) for title, page in entries), len(entries)


class _Counts:
    """Right, missed and invented obligations over all pages."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._right = self._missed = self._invented = self._party = 0

    def add(self, page: dict[str, Any], sentences: list[ProvisionSentence]) -> None:
        placed, left = _aligned(page["units"], sentences)
        for sentence in left:
            if sentence.kind.binds:
                self._invented += 1
                self._tell("invented", page, sentence.full)
        for number, unit in enumerate(page["units"]):
            if "doubtful" not in unit:
                self._judge(page, unit, placed.get(number, []))

    def _judge(self, page: dict[str, Any], unit: dict[str, Any], sentences: list[ProvisionSentence]) -> None:
        binding = [s for s in sentences if s.kind.binds]
        if unit["kind"] not in ("obligation", "prohibition"):
            self._invented += bool(binding)
            if binding:
                self._tell(f"invented, {unit['kind']}", page, binding[0].full)
        elif not binding:
            self._missed += 1
            self._tell("missed", page, unit["text"])
        else:
            self._right += 1
            named = bool(_words(unit["binds"]) & _words(binding[0].party)) or not (unit["binds"] or binding[0].party)
            self._party += named
            if not named:
                self._tell(f"party {unit['binds']!r}, not {binding[0].party!r}", page, unit["text"])

    def _tell(self, what: str, page: dict[str, Any], text: str) -> None:
        if self._show:
            print(f"{what}: {page['file']} p. {page['page']}: {text[:160]}", file=sys.stderr)

    def figures(self) -> dict[str, float | int]:
        return {
            "recall": round(self._right / max(self._right + self._missed, 1), 3),
            "precision": round(self._right / max(self._right + self._invented, 1), 3),
            "party": round(self._party / max(self._right, 1), 3),
            "obligations": self._right + self._missed,
        }


def _aligned(
    units: list[dict[str, Any]], sentences: list[ProvisionSentence]
) -> tuple[dict[int, list[ProvisionSentence]], list[ProvisionSentence]]:
    """The sentences that stand in each unit's place, and those that stand in none's."""
    placed: dict[int, list[ProvisionSentence]] = defaultdict(list)
    left = []
    for sentence in sentences:
        likeness = [_likeness(unit["text"], sentence.text) for unit in units]
        best = max(range(len(units)), key=likeness.__getitem__, default=-1)
        if best >= 0 and likeness[best] >= _ALIKE:
            placed[best].append(sentence)
        else:
            left.append(sentence)
    return placed, left


def _likeness(left: str, right: str) -> float:
    a, b = _plain(left), _plain(right)
    ratio = fuzz.ratio(a, b)
    contained = fuzz.partial_ratio(a, b) if min(len(a), len(b)) >= 15 else 0.0
    return max(ratio, 0.9 * contained if contained >= _CONTAINED else 0.0)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def _words(text: str) -> frozenset[str]:
    return frozenset(_plain(text).split()) - _SMALL


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


if __name__ == "__main__":
    main()
