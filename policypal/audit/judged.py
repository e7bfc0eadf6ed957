"""From judgements by numbers to findings, coverage and what is left to a reader; the words are those of the documents (A4, A6, C2)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from policypal.audit.checked import agreeing_figures, checked_finding, checked_row, is_concluded
from policypal.audit.findings import review_pair, theme_of
from policypal.audit.judging import Judgement, Outcome, shown
from policypal.audit.lines import Line
from policypal.audit.plan import LOOKS_AT_ONCE, AuditPlan
from policypal.audit.second_look import Charge, Look
from policypal.audit.units import Unit
from policypal.audit.verdict import Tallies, Tally
from policypal.domain.audits import (
    BETWEEN_QUOTES,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    ReviewPair,
    Severity,
)
from policypal.text.obligation_parts import obligation_parts

_GRAVE = (Severity.CRITICAL, Severity.HIGH)
_CONFIRMED, _ONCE, _UNCONFIRMED = 0.9, 0.75, 0.6
"""Confidence in a finding: after two looks, after the one it needs, and where the second could not be taken."""
_ROUND = 2
"""Sentences round those a second look is about."""
_LONGEST_QUOTE = 900


@dataclass(frozen=True, slots=True)
class Concluded:
    """What an audit found. ``contradicted`` findings count for nothing; ``not_assessed`` says what was not judged, and why."""

    findings: list[Finding] = field(default_factory=list)
    contradicted: list[Finding] = field(default_factory=list)
    coverage: tuple[CoverageRow, ...] = ()
    review: tuple[ReviewPair, ...] = ()
    tallies: Tallies = field(default_factory=dict)
    not_assessed: tuple[str, ...] = ()


def charged(judgements: Iterable[Judgement], seeks_gaps: bool) -> list[Judgement]:
    """The findings among them that are looked at again before they count: every breach, and what is gravely missing."""
    return [j for j in judgements if _counts(j, seeks_gaps) and _is_charged(j)]


def _is_charged(judgement: Judgement) -> bool:
    return judgement.verdict is Outcome.VIOLATED or judgement.severity in _GRAVE


def charge_of(number: str, judgement: Judgement, plan: AuditPlan) -> Charge:
    """A finding as the second look sees it: with the sentences round both sides."""
    return Charge(
        id=number,
        rule=judgement.obligation,
        rules=[shown(line) for line in _round(judgement.obligation, plan.rules)],
        is_gap=judgement.verdict is Outcome.GAP,
        rests_on=judgement.sentences,
        source=[shown(line) for line in _all_round(judgement.sentences, plan.source)],
        said=f"{judgement.delta} {judgement.reasoning}",
        objection=_objection(judgement, plan),
    )


def _objection(judgement: Judgement, plan: AuditPlan) -> str:
    """What the figures of both sides say against a breach; "" where they say nothing."""
    said = BETWEEN_QUOTES.join(plan.lines[number].unit.text for number in judgement.sentences)
    ruled = plan.lines[judgement.obligation].unit.text
    return agreeing_figures(said, ruled) if judgement.verdict is Outcome.VIOLATED else ""


def _twins(looked: Sequence[Judgement], looks: Sequence[Look | None]) -> Mapping[int, int]:
    """Which of them is the same breach as which earlier one, by their ids: the second look's numbers begin anew in every request."""
    found = dict[int, int]()
    for n, look in enumerate(looks):
        earlier = {f"F{i}": id(j) for i, j in enumerate(looked[n - n % LOOKS_AT_ONCE : n], 1)}
        if look is not None and (twin := earlier.get(look.same_as)):
            found[id(looked[n])] = found.get(twin, twin)
    return found


def _as_one(one: Finding, other: Finding) -> Finding:
    """One breach of two rules: both are quoted, and the graver severity counts."""
    quotes = BETWEEN_QUOTES.join([one.target_quote, other.target_quote])
    severity = min(one.severity, other.severity, key=lambda s: s.rank)
    return one.model_copy(update={"target_quote": quotes, "severity": severity})


def _round(number: str, lines: Sequence[Line]) -> Sequence[Line]:
    at = next((n for n, line in enumerate(lines) if line.id == number), 0)
    return lines[max(0, at - _ROUND) : at + _ROUND + 1]


def _all_round(numbers: Sequence[str], lines: Sequence[Line]) -> list[Line]:
    wanted = {line.id for number in numbers for line in _round(number, lines)}
    return [line for line in lines if line.id in wanted]


def _counts(judgement: Judgement, seeks_gaps: bool) -> bool:
    return judgement.verdict is Outcome.VIOLATED or (judgement.verdict is Outcome.GAP and seeks_gaps)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How an audit's judgements become findings. ``titles`` of the targets by document id."""

    plan: AuditPlan
    seeks_gaps: bool
    source_title: str
    source_document_id: str | None
    titles: Mapping[str, str]

    def reach(
        self, judgements: Sequence[Judgement], looks: Sequence[Look | None], reasons: Mapping[str, str]
    ) -> Concluded:
        """The findings that stand, those that do not, and every obligation with what became of it. ``looks`` are of the charged
        judgements, in their order, None where the second look was not taken; ``reasons`` say by obligation why it was not judged."""
        looked = charged(judgements, self.seeks_gaps)
        look_of = {id(judgement): look for judgement, look in zip(looked, looks, strict=True)}
        twins = _twins(looked, looks)
        standing, set_aside = dict[int, Finding](), list[Finding]()
        unsure = set[str]()
        for judgement in judgements:
            if not _counts(judgement, self.seeks_gaps):
                continue
            key = id(judgement)
            finding = self._finding(judgement, look_of.get(key))
            same = standing.get(twins.get(key, key))
            if finding.support.startswith(_NOT_COUNTED):
                set_aside.append(finding)
                unsure.add(judgement.obligation)
            elif same and (same.kind, same.target_document_id) == (finding.kind, finding.target_document_id):
                standing[twins[key]] = _as_one(same, finding)
            else:
                standing[key] = finding
        by_rule = {j.obligation: j for j in judgements}
        rows = [self._row(line, by_rule.get(line.id), reasons, line.id in unsure) for line in self.plan.asked]
        review = [*self._unclear(judgements), *self._disagreements(by_rule)]
        tallies = {target: self._tally(rows, by_rule, target) for target in self.titles}
        shown_rows = tuple(rows) if self.seeks_gaps else ()
        return Concluded([*standing.values()], set_aside, shown_rows, tuple(review), tallies, tuple(_unjudged(rows)))

    def _finding(self, judgement: Judgement, look: Look | None) -> Finding:
        rule = self.plan.lines[judgement.obligation].unit
        source = [self.plan.lines[s].unit for s in judgement.sentences]
        severity = Severity(judgement.severity)
        finding = Finding(
            id=str(uuid4()),
            kind=FindingKind.GAP if judgement.verdict is Outcome.GAP else FindingKind.CONFLICT,
            target_document=self.titles[rule.document],
            target_document_id=rule.document,
            theme=theme_of(rule),
            severity=min(severity, look.severity, key=lambda s: -s.rank) if look else severity,
            consequence=judgement.reasoning,
            **self._quoted(source),
            target_quote=rule.text,
            target_page=max(rule.page, 1),
            target_start=rule.start if rule.page else None,
            target_end=rule.end if rule.page else None,
            suggestion=judgement.suggestion or "Bring the source in line with the requirement as quoted.",
            confidence=_CONFIRMED if look else _UNCONFIRMED if _is_charged(judgement) else _ONCE,
            delta=judgement.delta,
            target_label=rule.label,
        )
        return self._checked(finding, judgement, look)

    def _checked(self, finding: Finding, judgement: Judgement, look: Look | None) -> Finding:
        """Without invented figures, and with what speaks against it."""
        units = [self.plan.lines[number].unit for number in (judgement.obligation, *judgement.sentences)]
        labels = [self.titles[units[0].document], self.source_title]
        labels += [words for unit in units for words in (unit.label, unit.heading, unit.introduction)]
        checked = checked_finding(finding, labels)
        quotes = [finding.source_quote, finding.target_quote]
        told = ""
        if look is not None and not look.stands:
            why = look.reasoning if is_concluded(look.reasoning, quotes, labels) else ""
            told = f"{_NOT_COUNTED}: a second look does not confirm it. {why}".strip()
        elif look is not None and look.severity != judgement.severity:
            told = f"The first look called it {judgement.severity}, the second one {look.severity.value}."
        elif look is None and _is_charged(judgement):
            against = _objection(judgement, self.plan)
            told = (
                f"{_NOT_COUNTED}: contradicted by its quotations; {against}."
                if against
                else "A second look could not be taken."
            )
        return checked.model_copy(update={"support": " ".join(filter(None, (told, checked.support)))})

    def _quoted(self, source: Sequence[Unit]) -> dict[str, Any]:
        """The source's sentences, as they stand there, the first one's place first."""
        if not source:
            return {"source_quote": "", "source_verified": True}
        first = source[0]
        quote = BETWEEN_QUOTES.join(line.text for line in source)
        return {
            "source_quote": quote if len(quote) <= _LONGEST_QUOTE else first.text, "source_verified": True,
            "source_page": first.page if self.source_document_id else None, "source_document_id": self.source_document_id,
            "source_start": first.start, "source_end": first.end, "source_label": first.label,
        }  # fmt: skip

    def _row(self, line: Line, judgement: Judgement | None, reasons: Mapping[str, str], is_unsure: bool) -> CoverageRow:
        named = [self.plan.lines[s].unit for s in judgement.sentences] if judgement else []
        status = _status(judgement, self.seeks_gaps)
        told = judgement.reasoning if judgement else reasons.get(line.id, "It was not judged.")
        if is_unsure and judgement:
            status, told = CoverageStatus.PARTIAL, f"Judged {judgement.verdict.value}, which is disputed: {told}"
        rule, parts = line.unit, obligation_parts(line.unit.full)
        row = CoverageRow(
            obligation=rule.text, target_document_id=rule.document, target_document=self.titles[rule.document],
            heading=rule.heading, page=max(rule.page, 1), start=rule.start if rule.page else None,
            end=rule.end if rule.page else None, bound_party=rule.party, modality=rule.kind.value,
            condition=parts.condition, deadline=parts.deadline, threshold=parts.threshold, exception=parts.exception,
            status=status, policy_quote=named[0].text if named else "", policy_page=named[0].page if named else None,
            reason=told,
        )  # fmt: skip
        labels = [row.target_document, rule.label, rule.heading, rule.introduction, *(unit.text for unit in named)]
        return checked_row(row, labels) if judgement else row

    def _unclear(self, judgements: Iterable[Judgement]) -> list[ReviewPair]:
        unclear = (j for j in judgements if j.verdict is Outcome.UNCLEAR and j.sentences)
        return [self._pair(j.obligation, j.sentences[0], j.reasoning) for j in unclear]

    def _disagreements(self, by_rule: Mapping[str, Judgement]) -> list[ReviewPair]:
        """Conflicts that the rule engine sees and the model does not."""
        found = []
        for opinion in self.plan.opinions:
            judgement = by_rule.get(opinion.rule)
            if judgement is not None and not judgement.verdict.is_finding:
                by_rules = f"The rule engine: {opinion.said} The model ({judgement.verdict.value}):"
                found.append(self._pair(opinion.rule, opinion.sentence, judgement.reasoning, by_rules))
        return found

    def _pair(self, rule: str, sentence: str, told: str, by_rules: str = "") -> ReviewPair:
        ruled, said = self.plan.lines[rule].unit, self.plan.lines[sentence].unit
        labels = [self.titles[ruled.document], self.source_title, ruled.label, ruled.heading, said.label, said.heading]
        if not is_concluded(told, [said.text, ruled.full], labels):
            told = ""
        return review_pair(said, ruled, self.titles[ruled.document], reason=f"{by_rules} {told}".strip())

    def _tally(self, rows: Sequence[CoverageRow], by_rule: Mapping[str, Judgement], target: str) -> Tally:
        """What was judged of what is in scope of one target: the register's obligations, as in the coverage. What only the model calls one is a finding
        and changes no count."""
        asked = {line.id for line in self.plan.asked if line.unit.document == target}
        in_scope = [r for r in rows if r.target_document_id == target and r.status is not CoverageStatus.NOT_APPLICABLE]
        judged = [r for r in in_scope if r.status in _JUDGED]
        related = sum(bool(j.sentences) and j.verdict is not Outcome.GAP for i, j in by_rule.items() if i in asked)
        return Tally(
            obligations=len(in_scope),
            judged=len(judged),
            covered=sum(r.status is CoverageStatus.COVERED for r in in_scope),
            related=related,
            rated=len(judged),
            seeks_gaps=self.seeks_gaps,
        )


_NOT_COUNTED = "Not counted"
_JUDGED = frozenset({CoverageStatus.COVERED, CoverageStatus.CONFLICT, CoverageStatus.GAP})


def _status(judgement: Judgement | None, seeks_gaps: bool) -> CoverageStatus:
    if judgement is None:
        return CoverageStatus.NOT_JUDGED
    if judgement.verdict in (Outcome.BINDS_OTHER, Outcome.NOT_IN_FOCUS):
        return CoverageStatus.NOT_APPLICABLE
    if judgement.verdict.is_met:
        return CoverageStatus.COVERED
    if judgement.verdict is Outcome.VIOLATED:
        return CoverageStatus.CONFLICT
    return CoverageStatus.GAP if judgement.verdict is Outcome.GAP and seeks_gaps else CoverageStatus.PARTIAL


def _unjudged(rows: Iterable[CoverageRow]) -> Iterator[str]:
    """How many obligations were not judged, for each reason."""
    reasons = Counter(row.reason for row in rows if row.status is CoverageStatus.NOT_JUDGED)
    for reason, number in reasons.items():
        yield f"{number} {'obligation' if number == 1 else 'obligations'}: {reason}"
