"""What the keyless audit reads, pairs and finds of violations planted in texts, and whom it accuses wrongly (A4).

    python benchmarks/audit.py --cases FILE [--details]

FILE: {"regulations": {name: {"title", "text"}}, "cases": [{"id", "regulation", "difficulty", "text", "violations": [{"kind", "source_key",
"rule_key"}]}]}; a clean text has no violations. Regulations are read as uploaded text files, texts as messages, both with the functions
of the product. Keys match where a quotation, with the introduction that governs it, contains them (white space and case ignored).

Prints one JSON line: ``rules_read``, the share of violated rules that are units of the register; ``paired_in_five``, of violations whose rule
is among the first five shown beside their claim; ``recall`` and ``precision`` of the findings; ``clean_accused``, the share of clean
texts with a finding; the first three also by difficulty and recall by kind. ``--details`` lists every finding and every miss on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.audit.engine import Audit, audit
from policypal.audit.register import entries_of
from policypal.audit.units import Unit, claims_of, read_text, rules_of
from policypal.config import Settings
from policypal.domain.audits import Finding, ReviewPair
from policypal.ingest.extract import ExtractionLimits, extract
from policypal.ingest.sniff import TEXT
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.text.provisions import read_provisions


@dataclass(slots=True)
class Counts:
    """Of the violations: how many there are, whose rule is read, whose rule is paired, which are found; in all and by group."""

    violations: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    paired: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    findings: int = 0
    right: int = 0
    clean: int = 0
    accused: int = 0

    def share(self, of: Counter[str], group: str = "all") -> float:
        return round(of[group] / max(1, self.violations[group]), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--details", action="store_true")
    given = parser.parse_args()
    data = json.loads(given.cases.read_text(encoding="utf-8"))
    registers = {name: read_register(name, regulation["text"]) for name, regulation in data["regulations"].items()}
    counts, embedder = Counts(), WordLlamaEmbedder()
    for case in data["cases"]:
        name = case["regulation"]
        result = audit("text", claims_of("", read_text(case["text"])), registers[name], {name: name}, embedder)
        count(counts, case, registers[name], result, given.details)
    difficulties = sorted({case["difficulty"] for case in data["cases"]})
    kinds = sorted({violation["kind"] for case in data["cases"] for violation in case["violations"]})
    shares = {"recall": counts.found, "rules_read": counts.read, "paired_in_five": counts.paired}
    told: dict[str, Any] = {
        "recall": counts.share(counts.found),
        "precision": round(counts.right / max(1, counts.findings), 3),
        "clean_accused": round(counts.accused / max(1, counts.clean), 3),
        "rules_read": counts.share(counts.read),
        "paired_in_five": counts.share(counts.paired),
        "violations": counts.violations["all"], "findings": counts.findings, "clean_texts": counts.clean,
        "by_difficulty": {d: {name: counts.share(of, d) for name, of in shares.items()} for d in difficulties},
        "recall_by_kind": {kind: counts.share(counts.found, kind) for kind in kinds},
    }  # fmt: skip
    print(json.dumps(told))


def read_register(name: str, text: str) -> list[Unit]:
    """The register of a regulation, read as an uploaded text file is."""
    settings = Settings()
    limits = ExtractionLimits(
        seconds=settings.extraction_seconds, memory_mb=settings.extraction_memory_mb, max_pages=settings.max_pages
    )
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        path = Path(folder) / "regulation.txt"
        path.write_text(text, encoding="utf-8")
        pages = extract(path, TEXT, limits=limits).pages
    return rules_of(name, entries_of(read_provisions(pages), {}))


def count(counts: Counts, case: dict[str, Any], register: list[Unit], result: Audit, details: bool) -> None:
    violations = case["violations"]
    matching = [next((n for n, v in enumerate(violations) if points_at(f, v)), None) for f in result.findings]
    counts.findings += len(result.findings)
    counts.right += sum(n is not None for n in matching)
    counts.clean += not violations
    counts.accused += not violations and bool(result.findings)
    shown = [*result.findings, *result.review]
    for n, violation in enumerate(violations):
        is_read = any(holds(rule.text, rule.introduction, violation["rule_key"]) for rule in register)
        is_paired = any(points_at(pair, violation) for pair in shown)
        for group in ("all", case["difficulty"], violation["kind"]):
            counts.violations[group] += 1
            counts.read[group] += is_read
            counts.paired[group] += is_paired
            counts.found[group] += n in matching
        if details and not is_paired:
            print(f"{case['id']} {'not paired' if is_read else 'NOT READ'}: {violation['rule_key']}", file=sys.stderr)
    for finding, number in zip(result.findings, matching, strict=True):
        if details:
            print(f"{case['id']} {'WRONG' if number is None else 'right'}: {finding.delta}", file=sys.stderr)


def points_at(pair: Finding | ReviewPair, violation: dict[str, Any]) -> bool:
    """Whether both quotations are those of the violation. Of a claim at most :data:`NEAREST` rules are shown."""
    introduction = pair.target_introduction if isinstance(pair, ReviewPair) else ""
    said = holds(pair.source_quote, "", violation["source_key"])
    return said and holds(pair.target_quote, introduction, violation["rule_key"])


def holds(text: str, introduction: str, key: str) -> bool:
    wanted = _flat(key)
    return wanted in _flat(text) or wanted in _flat(f"{introduction} {text}")


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


if __name__ == "__main__":
    main()
