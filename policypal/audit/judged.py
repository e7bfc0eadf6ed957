"""From judgements by numbers to findings, coverage and what is left to a reader; the words are those of the documents (A4, A6, C2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from policypal.audit.checked import checked_finding, checked_row, contradiction
from policypal.audit.findings import theme_of
from policypal.audit.judging import Judgement, Outcome, shown
from policypal.audit.lines import Line
from policypal.audit.plan import AuditPlan
from policypal.audit.second_look import Charge, Look
from policypal.audit.units import Unit
from policypal.audit.verdict import Tally
from policypal.domain.audits import CoverageRow, CoverageStatus, Finding, FindingKind, ReviewPair, Severity
from policypal.gate.claims import missing_figures
from policypal.text.obligation_parts import obligation_parts

GRAVE = (Severity.CRITICAL, Severity.HIGH)
"""Looked at twice before they count."""
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
    tally: Tally = field(default_factory=Tally)
    not_assessed: tuple[str, ...] = ()


def grave(judgements: Iterable[Judgement], seeks_gaps: bool) -> list[Judgement]:
    """The findings among them that are looked at again."""
    return [j for j in judgements if _counts(j, seeks_gaps) and j.severity in {s.value for s in GRAVE}]


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
    )


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
        """The findings that stand, those that do not, and every obligation with what became of it. ``looks`` are of the grave judgements,
        in their order, None where the second look was not taken; ``reasons`` say by obligation why it was not judged."""
        told = list(judgements)
        looked = dict(zip(map(id, grave(told, self.seeks_gaps)), looks, strict=True))
        findings, set_aside = list[Finding](), list[Finding]()
        unsure = set[str]()
        for judgement in told:
            if not _counts(judgement, self.seeks_gaps):
                continue
            finding = self._finding(judgement, looked.get(id(judgement)), is_grave=id(judgement) in looked)
            stands = not finding.support.startswith(_NOT_COUNTED)
            (findings if stands else set_aside).append(finding)
            unsure |= set() if stands else {judgement.obligation}
        broken = {j.obligation for j in told if _counts(j, self.seeks_gaps)} - unsure
        by_rule = {j.obligation: j for j in told}
        rows = [self._row(line, by_rule.get(line.id), reasons, line.id in unsure) for line in self.plan.asked]
        review = [*self._unclear(told), *self._disagreements(by_rule)]
        tally = self._tally(rows, by_rule, broken)
        return Concluded(
            findings, set_aside, tuple(rows) if self.seeks_gaps else (), tuple(review), tally, tuple(_unjudged(rows))
        )

    def _finding(self, judgement: Judgement, look: Look | None, *, is_grave: bool) -> Finding:
        rule = self.plan.lines[judgement.obligation].unit
        source = [self.plan.lines[s].unit for s in judgement.sentences]
        severity = Severity(judgement.severity)
        finding = Finding(
            id=str(uuid4()),
            kind=FindingKind.GAP if judgement.verdict is Outcome.GAP else FindingKind.CONFLICT,
            target_document=self.titles[rule.document],
            target_document_id=rule.document,
            theme=theme_of(rule, []),
            severity=min(severity, look.severity, key=lambda s: -s.rank) if look else severity,
            consequence=judgement.reasoning,
            **self._quoted(source),
            target_quote=rule.text,
            target_page=max(rule.page, 1),
            target_start=rule.start if rule.page else None,
            target_end=rule.end if rule.page else None,
            suggestion=judgement.suggestion or "Bring the source in line with the requirement as quoted.",
            confidence=_CONFIRMED if look else _UNCONFIRMED if is_grave else _ONCE,
            delta=judgement.delta,
            target_label=rule.label,
        )
        return self._checked(finding, rule, source, severity, look, is_grave=is_grave)

    def _checked(
        self,
        finding: Finding,
        rule: Unit,
        source: Sequence[Unit],
        first: Severity,
        look: Look | None,
        *,
        is_grave: bool,
    ) -> Finding:
        """Without invented figures, and with what speaks against it."""
        labels = [self.titles[rule.document], self.source_title, rule.label, rule.heading, rule.introduction]
        labels += [words for line in source for words in (line.label, line.heading, line.introduction)]
        checked = checked_finding(finding, labels)
        if missing_figures(finding.delta, [finding.source_quote, finding.target_quote, *labels]):
            checked = checked.model_copy(update={"delta": ""})
        told = ""
        if look is not None and not look.stands:
            told = f"{_NOT_COUNTED}: a second look does not confirm it. {look.reasoning}"
        elif against := contradiction(finding):
            told = f"{_NOT_COUNTED}: contradicted by its quotations; {against}."
        elif is_grave and look is None:
            told = "A second look could not be taken."
        elif look is not None and look.severity is not first:
            told = f"The first look called it {first.value}, the second one {look.severity.value}."
        return checked.model_copy(update={"support": " ".join(filter(None, (told, checked.support)))})

    def _quoted(self, source: Sequence[Unit]) -> dict[str, Any]:
        """The source's sentences, as they stand there, the first one's place first."""
        if not source:
            return {"source_quote": "", "source_verified": True}
        first = source[0]
        quote = " … ".join(line.text for line in source)
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
            end=rule.end if rule.page else None, bound_party=rule.party or parts.bound_party, modality=rule.kind.value,
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
                told = f"The rule engine: {opinion.said} The model ({judgement.verdict.value}): {judgement.reasoning}"
                found.append(self._pair(opinion.rule, opinion.sentence, told))
        return found

    def _pair(self, rule: str, sentence: str, reason: str) -> ReviewPair:
        ruled, said = self.plan.lines[rule].unit, self.plan.lines[sentence].unit
        placed: dict[str, Any] = (
            {"source_page": said.page, "source_document_id": said.document, "source_start": said.start, "source_end": said.end}
            if said.document else {}
        )  # fmt: skip
        return ReviewPair(
            source_quote=said.text, source_label=said.label, target_document=self.titles[ruled.document],
            target_document_id=ruled.document, target_quote=ruled.text, target_introduction=ruled.introduction,
            target_page=max(ruled.page, 1), target_start=ruled.start, target_end=ruled.end, target_label=ruled.label,
            relation=1.0, reason=reason, **placed,
        )  # fmt: skip

    def _tally(self, rows: Sequence[CoverageRow], by_rule: Mapping[str, Judgement], broken: set[str]) -> Tally:
        """What was judged of what is in scope, and of what only the model calls an obligation."""
        asked = {line.id for line in self.plan.asked}
        beyond = len(broken - asked)
        in_scope = [r for r in rows if r.status is not CoverageStatus.NOT_APPLICABLE]
        judged = [r for r in in_scope if r.status in _JUDGED]
        related = sum(bool(j.sentences) and j.verdict is not Outcome.GAP for i, j in by_rule.items() if i in asked)
        return Tally(
            obligations=len(in_scope) + beyond,
            judged=len(judged) + beyond,
            covered=sum(r.status is CoverageStatus.COVERED for r in in_scope),
            related=related + beyond,
            rated=len(judged) + beyond,
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
