"""What a perfect model could find: the share of known truths whose two sides stand in one prompt of an audit (A0).

    python benchmarks/ceilings.py [--cases FILE]

Prints one JSON line: {"cases": {"truths", "visible", "missing", "calls", "tokens"}, "samples": {…}, "narrowed": {…}}. ``--cases``: a file of
cases as {"regulations": {name: {"title", "text"}}, "cases": [{"id", "regulation", "text", "violations": [{"source_key", "rule_key"}, …]}, …]};
without it only the shipped sample documents are measured, against what was planted in them. Both have to be 1.0. "narrowed" measures the
sample policy as if it were too large to go whole: then search decides, and less may be seen. "calls" and "tokens" are what the audits would
take.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.audit.judging import JUDGE
from policypal.audit.lines import UNLIMITED, Target, rule_lines, source_lines
from policypal.audit.plan import AuditPlan, plan_of
from policypal.audit.register import entries_of
from policypal.audit.units import read_text
from policypal.domain.provisions import Provision
from policypal.ingest.extract import ExtractionLimits, extract
from policypal.ingest.sniff import PDF, TEXT
from policypal.search.embeddings import built_in_embedder
from policypal.text.provisions import read_provisions

READING_TOKENS = 100_000
_NARROW_TOKENS = 3_000
_SIDE_BY_SIDE = 4
Truth = tuple[str, str, str]
"""Its name, words of the source ("" for a gap), and words of the rule."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, metavar="FILE")
    given = parser.parse_args()
    results = {"samples": measure_samples(READING_TOKENS), "narrowed": measure_samples(_NARROW_TOKENS)}
    if given.cases:
        results["cases"] = measure_cases(json.loads(given.cases.read_text(encoding="utf-8")))
    print(json.dumps({name: told.told() for name, told in results.items()}, ensure_ascii=False))


@dataclass(slots=True)
class Ceiling:
    """Counts over audits; ``missing`` names the truths of which one side is in no prompt with the other."""

    truths: int = 0
    calls: int = 0
    tokens: int = 0
    missing: list[str] = field(default_factory=list)

    def count(self, plan: AuditPlan, truths: Iterable[Truth]) -> None:
        """Count what of the truths is visible in the plan's prompts."""
        prompts = [flat(JUDGE.prompt(given).content) for given in plan.requests.values()]
        estimate = plan.estimate(_SIDE_BY_SIDE)
        self.calls += estimate.calls
        self.tokens += estimate.tokens
        for name, said, ruled in truths:
            self.truths += 1
            if not any(flat(said) in prompt and flat(ruled) in prompt for prompt in prompts):
                self.missing.append(name)

    def told(self) -> dict[str, Any]:
        share = (self.truths - len(self.missing)) / max(self.truths, 1)
        return {
            "truths": self.truths, "visible": round(share, 3), "missing": self.missing, "calls": self.calls, "tokens": self.tokens,
        }  # fmt: skip


def flat(text: str) -> str:
    """Text without what a prompt changes of it: white space, case, and the numbers of sentences."""
    words = (w for w in text.casefold().split() if not (w.startswith("[") and w.endswith("]")))
    return " ".join(words)


def planned(source: Sequence[Provision], target: Sequence[Provision], reading_tokens: int) -> AuditPlan:
    """The plan of an audit of one source against one target."""
    lines = source_lines("source", source)
    return plan_of(
        lines,
        rule_lines([Target("target", target, entries_of(target, {}))], UNLIMITED),
        built_in_embedder(),
        source_title="The source",
        seeks_gaps=sum(len(line.unit.text.split()) for line in lines) >= 1_000,
        focus="",
        request="",
        reading_tokens=reading_tokens,
    )


def measure_cases(data: dict[str, Any]) -> Ceiling:
    """Every planted violation of a file of cases."""
    ceiling = Ceiling()
    rules = {
        name: read_file("rules.txt", regulation["text"].encode(), TEXT)
        for name, regulation in data["regulations"].items()
    }
    for case in data["cases"]:
        plan = planned(read_text(case["text"]), rules[case["regulation"]], READING_TOKENS)
        ceiling.count(plan, ((case["id"], v["source_key"], v["rule_key"]) for v in case["violations"]))
    return ceiling


SAMPLES = {"policy": "policy-2025.pdf", "email": "email-2025.pdf"}


def sample_truths() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """What was planted in the sample documents, by source and target."""
    truths = json.loads((resources.files("policypal.samples") / "truths.json").read_text(encoding="utf-8"))["truths"]
    pairs = sorted({(t["source"], t["target"]) for t in truths})
    return {pair: [t for t in truths if (t["source"], t["target"]) == pair] for pair in pairs}


def measure_samples(reading_tokens: int) -> Ceiling:
    """Every conflict and gap planted in the sample documents."""
    ceiling = Ceiling()
    for (source, target), truths in sample_truths().items():
        plan = planned(read_sample(SAMPLES[source]), read_sample(target), reading_tokens)
        ceiling.count(plan, ((t["id"], t.get("source_phrase") or "", t["target_phrase"]) for t in truths))
    return ceiling


def read_sample(filename: str) -> list[Provision]:
    """The provisions of a shipped sample document."""
    return read_file(filename, (resources.files("policypal.samples") / "pdf" / filename).read_bytes(), PDF)


def read_file(filename: str, data: bytes, media_type: str) -> list[Provision]:
    """The provisions of a file as the product reads it."""
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        path = Path(folder) / filename
        path.write_bytes(data)
        read = extract(path, media_type, limits=ExtractionLimits(seconds=60, memory_mb=1536, max_pages=200))
    return read_provisions(read.pages, [title for title, _ in read.outline])


if __name__ == "__main__":
    main()
