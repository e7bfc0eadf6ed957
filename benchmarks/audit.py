"""What the keyless audit finds of planted conflicts, and what it reports wrongly (A4).

    python benchmarks/audit.py [--cases FILE ...] [--skip-samples]

Prints one JSON line: {"samples": {"found", "planted", "false", "findings"}, "<name of a case file>": {"cases", "planted",
"recall", "precision", "clean_twins_with_finding", "missed", "wrong"}}. ``--cases`` replaces the two files of the test
data (``tests/data/audit_cases_tuning.json``, ``audit_cases_heldout.json``).

Everything goes through the product's own task (:data:`policypal.audit.task.AUDIT`, without a model), the
samples also through its extraction and chunking.

A case file is a JSON list of {"id", "industry", "kind", "mode": "text" | "policy", "rules": [paragraph, …], "source":
text, "planted": [{"kind", "rule": sentence, "source": sentence or null}, …], "clean": the source changed to comply}.

Metric: a finding is right if its rule quote and the planted rule sentence contain one another (white space aside), and
its source quote and the planted source sentence do too. A planted omission of a whole duty has no source sentence; the
finding must then be a gap. A planted conflict is found once: a second finding on it is wrong, and so is every finding
on a clean twin. recall = right / planted; precision = right / findings, those on the clean twins included;
clean_twins_with_finding = share of twins with at least one finding.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from policypal.audit.task import AUDIT, AuditInput, AuditOutput, FindingDraft, SourcePassage, TargetPassage
from policypal.config import Settings
from policypal.domain.audits import FindingKind
from policypal.ingest.extract import ExtractionLimits, extract
from policypal.ingest.sniff import PDF
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.text.chunks import Chunk, chunk_pages

_DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
CASE_FILES = [_DATA / f"audit_cases_{name}.json" for name in ("tuning", "heldout")]
Planted = dict[str, Any]


def main() -> None:
    given = _arguments()
    context = TaskContext(WordLlamaEmbedder())
    results: dict[str, Any] = {}
    if not given.skip_samples:
        results["samples"] = measure_samples(context)
    for path in given.cases:
        name = path.stem.removeprefix("audit_cases_")
        results[name] = measure_cases(json.loads(path.read_text(encoding="utf-8")), context)
    print(json.dumps(results, ensure_ascii=False))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )  # fmt: skip
    parser.add_argument("--cases", type=Path, nargs="+", default=CASE_FILES, metavar="FILE")
    parser.add_argument("--skip-samples", action="store_true")
    return parser.parse_args()


@dataclass(slots=True)
class Tally:
    """Counts over the cases of a file; ``missed`` and ``wrong`` name the cases."""

    right: int = 0
    planted: int = 0
    findings: int = 0
    cases: int = 0
    dirty_twins: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def count(self, name: str, findings: Sequence[FindingDraft], planted: Sequence[Planted]) -> None:
        open_ones = list(planted)
        for finding in findings:
            hit = next((p for p in open_ones if points_at(finding, p)), None)
            if hit is None:
                self.wrong.append(name)
            else:
                open_ones.remove(hit)
        self.right += len(planted) - len(open_ones)
        self.planted += len(planted)
        self.findings += len(findings)
        self.missed += [name] * len(open_ones)


def measure_cases(cases: Sequence[dict[str, Any]], context: TaskContext) -> dict[str, Any]:
    """Recall, precision and the share of clean twins with a finding; see the module's metric."""
    tally = Tally(cases=len(cases))
    for case in cases:
        tally.count(case["id"], audit_case(case, context), case["planted"])
        twin = audit_case(case, context, clean=True)
        tally.count(f"{case['id']} (clean)", twin, [])
        tally.dirty_twins += bool(twin)
    return {
        "cases": tally.cases,
        "planted": tally.planted,
        "recall": round(tally.right / max(tally.planted, 1), 3),
        "precision": round(tally.right / max(tally.findings, 1), 3),
        "clean_twins_with_finding": round(tally.dirty_twins / max(tally.cases, 1), 3),
        "missed": tally.missed,
        "wrong": tally.wrong,
    }


def audit_case(case: dict[str, Any], context: TaskContext, clean: bool = False) -> list[FindingDraft]:
    """The findings on the source of a case, or on its clean twin."""
    mode = case.get("clean_mode", case["mode"]) if clean else case["mode"]
    rules = [case["rules"]] if isinstance(case["rules"], str) else case["rules"]
    given = AuditInput(
        mode=mode,
        source_title="the text",
        source=[SourcePassage(number=0, page=None, text=case["clean" if clean else "source"])],
        targets=["rules"],
        titles=["Rulebook"],
        passages=[TargetPassage(number=i, target="rules", page=i + 1, text=rule) for i, rule in enumerate(rules)],
        complete=True,
    )
    return AUDIT.extractive(given, context).findings


def points_at(finding: FindingDraft, planted: Planted) -> bool:
    """Whether a finding names the planted rule and the planted source sentence."""
    if not overlap(finding.target_quote, planted["rule"]):
        return False
    if planted["source"] is None:
        return finding.kind is FindingKind.GAP
    return overlap(finding.source_quote, planted["source"])


def overlap(quote: str, sentence: str) -> bool:
    """Whether one of the two contains the other, white space and final punctuation aside."""
    a, b = (" ".join(text.split()).strip(" .;,").casefold() for text in (quote, sentence))
    return bool(a and b) and (a in b or b in a)


_SOURCES = {"policy": "policy-2025.pdf", "email": "email-2025.pdf"}
_TEXT_MODE_WORDS = 1000


def measure_samples(context: TaskContext) -> dict[str, Any]:
    """The shipped sample documents against what was planted in them (R9)."""
    truths = json.loads((resources.files("policypal.samples") / "truths.json").read_text(encoding="utf-8"))["truths"]
    found = false = findings = 0
    for source, target in sorted({(t["source"], t["target"]) for t in truths}):
        planted = [t for t in truths if (t["source"], t["target"]) == (source, target)]
        ours, theirs = _sample(_SOURCES[source]), _sample(target)
        output = _audit_documents(ours, theirs, context)
        right = [[_is_truth(f, t, ours, theirs) for t in planted] for f in output.findings]
        found += sum(any(row[i] for row in right) for i in range(len(planted)))
        false += sum(not any(row) for row in right)
        findings += len(right)
    return {"found": found, "planted": len(truths), "false": false, "findings": findings}


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample document as the product reads it. ``pages``: text by page number."""

    chunks: list[Chunk]
    pages: dict[int, str]


def _sample(filename: str) -> Sample:
    data = (resources.files("policypal.samples") / "pdf" / filename).read_bytes()
    settings = Settings()
    limits = ExtractionLimits(
        seconds=settings.extraction_seconds, memory_mb=settings.extraction_memory_mb, max_pages=settings.max_pages
    )
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        path = Path(folder) / filename
        path.write_bytes(data)
        read = extract(path, PDF, limits=limits)
    chunks = chunk_pages(read.pages, [entry.title for entry in read.outline])
    return Sample(chunks, {p.number: p.text for p in read.pages})


def _audit_documents(source: Sample, target: Sample, context: TaskContext) -> AuditOutput:
    words = sum(len(c.text.split()) for c in source.chunks)
    given = AuditInput(
        mode="text" if words < _TEXT_MODE_WORDS else "policy",
        source_title="the sample",
        source=[SourcePassage(number=c.ordinal, page=c.page, text=c.text, heading=c.heading) for c in source.chunks],
        targets=["target"],
        titles=["the target"],
        passages=[
            TargetPassage(number=c.ordinal, target="target", page=c.page, text=c.text, heading=c.heading)
            for c in target.chunks
        ],
        complete=True,
    )
    return AUDIT.extractive(given, context)


def _is_truth(finding: FindingDraft, truth: dict[str, Any], source: Sample, target: Sample) -> bool:
    """As for the cases, but by neighbourhood on the page: phrases of truths are not whole sentences."""
    rule = target.pages[target.chunks[finding.passage].page]
    if not _around(rule, finding.target_quote, truth["target_phrase"]):
        return False
    if truth["kind"] == "gap" or finding.kind is FindingKind.GAP:
        return bool(truth["kind"] == finding.kind.value)
    if finding.source is None:
        return False
    policy = source.pages[source.chunks[finding.source].page]
    return _around(policy, finding.source_quote, truth["source_phrase"])


_NEAR = 60
"""Characters between a quote and a planted phrase that still count as the same place."""


def _around(page: str, quote: str, phrase: str) -> bool:
    flat, said, wanted = (" ".join(text.split()) for text in (page, quote, phrase))
    at, begin = flat.find(wanted), flat.find(said)
    return at >= 0 and begin >= 0 and begin < at + len(wanted) + _NEAR and at < begin + len(said) + _NEAR


if __name__ == "__main__":
    main()
