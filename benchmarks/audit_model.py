"""What an audit by a played model finds of planted violations (A4): recordings of a model's answers, replayed.

    python benchmarks/audit_model.py [--cases FILE | --agreements FILE] [--recordings FOLDER] [--only ID ...] [--requests FOLDER]

Prints one JSON line: {"cases", "played", "stale", "recall", "precision", "clean_accused", "missed", "wrong"}. Cases whose answers are not all
recorded are counted as stale and not scored. ``--requests`` writes the requests that have no answer, for whoever plays the model, and takes
their answers in (benchmarks/played.py).

With ``--agreements`` the agreements of coverage.py's file are audited, and how well "missing" is told is measured as there; wrong ones are
on stderr. Without both the sample documents are audited, and right is what was planted in them.

Metric: a finding is right if its quotation of the text contains the case's source_key and its quotation of the rule the rule_key; recall over
the planted violations, precision over all findings, clean_accused the share of clean texts with one. Everything goes through the product's own
plan, validation, second look and conclusion.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.ceilings import READING_TOKENS, SAMPLES, flat, planned, read_file, read_sample, sample_truths
from benchmarks.coverage import measures
from benchmarks.played import Recordings, Unplayed, recordings_of
from policypal.audit.judged import Concluded, Conclusion, charge_of, charged
from policypal.audit.judging import JUDGE, Judgement, accepted
from policypal.audit.plan import LOOKS_AT_ONCE, AuditPlan
from policypal.audit.second_look import SECOND_LOOK, Look, LookInput
from policypal.audit.units import read_text
from policypal.domain.audits import CoverageStatus, Finding
from policypal.domain.provisions import Provision
from policypal.domain.users import Profile
from policypal.ingest.sniff import TEXT
from policypal.llm.prompting import messages_of
from policypal.llm.response_schema import closed_schema
from policypal.llm.task import Task

Flags = NDArray[np.bool_]


@dataclass
class Player:
    """Answers the requests of an audit from recordings."""

    recordings: Recordings

    def answers(self, task: Task[Any, Any], all_given: Sequence[Any]) -> list[Any]:
        """The recorded answers to several requests.

        Raises:
            Unplayed: one is missing; all that are have been written down.
        """
        found, missing = [], list[Unplayed]()
        for given in all_given:
            try:
                found.append(self.answer(task, given))
            except Unplayed as unplayed:
                missing.append(unplayed)
        if missing:
            raise missing[0]
        return found

    def answer(self, task: Task[Any, Any], given: Any) -> Any:
        """The recorded answer.

        Raises:
            Unplayed: there is none.
        """
        messages = messages_of(task.prompt(given), Profile())
        content = self.recordings.answer(messages, task.output.__name__, closed_schema(task.output))
        return task.output.model_validate(content)


@dataclass(slots=True)
class Score:
    """Counts over the cases that were played."""

    played: int = 0
    stale: int = 0
    planted: int = 0
    hit: int = 0
    findings: int = 0
    clean: int = 0
    accused: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def count(self, case: dict[str, Any], findings: Sequence[Finding]) -> None:
        """Score one case."""
        violations = case["violations"]
        right = [[_is_right(f, v) for v in violations] for f in findings]
        found = [any(row[i] for row in right) for i in range(len(violations))]
        self.played += 1
        self.planted += len(violations)
        self.hit += sum(found)
        self.findings += len(findings)
        self.clean += not violations
        self.accused += bool(findings) and not violations
        self.missed += [f"{case['id']}: {v['source_key']}" for v, hit in zip(violations, found, strict=True) if not hit]
        self.wrong += [
            f"{case['id']}: {f.target_quote[:60]}" for f, row in zip(findings, right, strict=True) if not any(row)
        ]

    def told(self, cases: int) -> dict[str, Any]:
        right = self.findings - len(self.wrong)
        return {
            "cases": cases, "played": self.played, "stale": self.stale, "planted": self.planted,
            "recall": round(self.hit / max(self.planted, 1), 3), "precision": round(right / max(self.findings, 1), 3),
            "clean": self.clean, "clean_accused": round(self.accused / max(self.clean, 1), 3), "missed": self.missed, "wrong": self.wrong,
        }  # fmt: skip


def _is_right(finding: Finding, violation: dict[str, str]) -> bool:
    said, ruled = flat(finding.source_quote), flat(finding.target_quote)
    return flat(violation["source_key"]) in said and flat(violation["rule_key"]) in ruled


def audit(plan: AuditPlan, player: Player) -> Concluded:
    """What one audit finds.

    Raises:
        Unplayed: an answer is missing.
    """
    seeks_gaps = any(given.seeks_gaps for given in plan.requests.values())
    judgements: list[Judgement] = []
    for given, answer in zip(plan.requests.values(), player.answers(JUDGE, list(plan.requests.values())), strict=True):
        taken, problems = accepted(given, answer)
        judgements += taken
        if problems:
            rules = [r.model_copy(update={"asked": r.id in problems}) for r in given.rules]
            told = [f"{number}: {problem}" for number, problem in problems.items()]
            again = given.model_copy(update={"rules": rules, "problems": told})
            judgements += accepted(again, player.answer(JUDGE, again), may_add=False)[0]
    found = charged(judgements, seeks_gaps)
    looks: list[Look | None] = []
    for n in range(0, len(found), LOOKS_AT_ONCE):
        part = found[n : n + LOOKS_AT_ONCE]
        charges = [charge_of(f"F{i}", j, plan) for i, j in enumerate(part, 1)]
        told_of = {look.finding: look for look in player.answer(SECOND_LOOK, LookInput(charges=charges)).looks}
        looks += [told_of.get(f"F{i}") for i in range(1, len(part) + 1)]
    conclusion = Conclusion(plan, seeks_gaps, "The source", None, {"target": "The rules"})
    return conclusion.reach(judgements, looks, {})


Pair = tuple[dict[str, Any], list[Provision], list[Provision]]
"""A case with its violations, the source, and the rules."""


def _cases(file: Path) -> Iterator[Pair]:
    data = json.loads(file.read_text(encoding="utf-8"))
    rules = {n: read_file("rules.txt", r["text"].encode(), TEXT) for n, r in data["regulations"].items()}
    for case in data["cases"]:
        yield case, read_text(case["text"]), rules[case["regulation"]]


def _samples() -> Iterator[Pair]:
    for (source, target), truths in sample_truths().items():
        planted = [{"source_key": t.get("source_phrase") or "", "rule_key": t["target_phrase"]} for t in truths]
        case = {"id": f"{source}-{target}", "violations": planted}
        yield case, read_sample(SAMPLES[source]), read_sample(target)


def missing(file: Path, player: Player) -> dict[str, Any]:
    """Of agreements beside what they have to hold: how well "missing" is told, over those that were played (A6)."""
    data, labels, said, stale = json.loads(file.read_text(encoding="utf-8")), list[Flags](), list[Flags](), 0
    wanted = {" ".join(r["text"].split()): r["id"] for r in data["requirements"]}
    rules = read_text("\n\n".join(wanted))
    for agreement in data["agreements"]:
        plan = planned(read_text("\n\n".join(agreement["sentences"])), rules, READING_TOKENS)
        try:
            rows = audit(plan, player).coverage
        except Unplayed:
            stale += 1
            continue
        told = {" ".join(row.obligation.split()): row.status for row in rows}
        labels.append(np.array([i in agreement["missing"] for i in wanted.values()]))
        said.append(np.array([told.get(text) is not CoverageStatus.COVERED for text in wanted]))
        for n in np.flatnonzero(labels[-1] != said[-1]):
            text, number = list(wanted.items())[n]
            print(f"{agreement['id']} {number}: told {told.get(text)}", file=sys.stderr)
    told_of = measures(labels, said) if labels else {}
    return {"agreements": len(data["agreements"]), "stale": stale, **told_of}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, metavar="FILE")
    parser.add_argument("--agreements", type=Path, metavar="FILE")
    parser.add_argument("--recordings", type=Path, default=recordings_of("audit"), metavar="FOLDER")
    parser.add_argument("--requests", type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID")
    given = parser.parse_args()
    player = Player(Recordings(given.recordings, given.requests))
    if given.agreements:
        print(json.dumps(missing(given.agreements, player)))
        return
    pairs = [
        (c, s, t)
        for c, s, t in (_cases(given.cases) if given.cases else _samples())
        if c["id"] in given.only or not given.only
    ]
    score = Score()
    for case, source, target in pairs:
        try:
            score.count(case, audit(planned(source, target, READING_TOKENS), player).findings)
        except Unplayed:
            score.stale += 1
    print(json.dumps(score.told(len(pairs)), ensure_ascii=False))


if __name__ == "__main__":
    main()
