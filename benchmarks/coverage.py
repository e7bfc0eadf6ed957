"""How well the coverage matrix tells which obligations a policy misses, on labelled documents (A6).

    python benchmarks/coverage.py --data FILE [--details]

``FILE`` is JSON: {"requirements": [{"id", "text"}], "agreements": [{"id", "sentences": [str], "missing": [id]}]}. Every
requirement is an obligation, every agreement a policy; they go through the function the audit uses. An obligation counts
as met when its status is Covered, and as missing when it is Gap or Partial: neither shows that it is met.
Prints one JSON line for "missing" over all pairs: {"precision", "recall", "f1", "accuracy"}; with --details each wrong
pair on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from policypal.audit.coverage import Verdict, assess
from policypal.audit.reading import AuditPassage, Statement, read_statements
from policypal.domain.audits import CoverageStatus
from policypal.search.embeddings import Embedder, WordLlamaEmbedder
from policypal.text.obligations import Clause, read_obligation
from policypal.text.quantities import find_quantities


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--details", action="store_true")
    given = parser.parse_args()
    pairs = list(judged(json.loads(given.data.read_text(encoding="utf-8")), WordLlamaEmbedder()))
    if given.details:
        for name, requirement, missing, verdict in pairs:
            if missing != (verdict.status is not CoverageStatus.COVERED):
                label = "missing" if missing else "satisfied"
                print(f"{name} {requirement}: labelled {label}, {verdict.status}. {verdict.reason}", file=sys.stderr)
    print(json.dumps(measures([(missing, v.status is not CoverageStatus.COVERED) for _, _, missing, v in pairs])))


def judged(data: dict[str, Any], embedder: Embedder) -> Iterator[tuple[str, str, bool, Verdict]]:
    """(agreement, requirement, labelled missing, verdict) for every pair."""
    requirements = data["requirements"]
    rules = [rule(number, requirement["text"]) for number, requirement in enumerate(requirements)]
    for agreement in data["agreements"]:
        verdicts = assess(policy(agreement["sentences"]), rules, embedder)
        for requirement, verdict in zip(requirements, verdicts, strict=True):
            yield agreement["id"], requirement["id"], requirement["id"] in agreement["missing"], verdict


def rule(number: int, text: str) -> Statement:
    """One requirement as an obligation, whole, whatever its wording."""
    obligation = read_obligation(Clause(text, 0, len(text)))
    return Statement("obligations", number, 1, text, text, text, None, tuple(find_quantities(text)), obligation)


def policy(sentences: Sequence[str]) -> list[Statement]:
    """The sentences read as the audit reads a policy."""
    return read_statements([AuditPassage(0, "", 1, "\n\n".join(sentences))], split=True)


def measures(pairs: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """Of (labelled missing, found missing) pairs."""
    both = sum(labelled and found for labelled, found in pairs)
    precision = both / max(1, sum(found for _, found in pairs))
    recall = both / max(1, sum(labelled for labelled, _ in pairs))
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    accuracy = sum(labelled == found for labelled, found in pairs) / max(1, len(pairs))
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(f1, 4),
        "accuracy": round(accuracy, 4),
    }


if __name__ == "__main__":
    main()
