"""What an audit may say as a whole, and what of earlier reports still stands (A4)."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any


class OverallStatus(StrEnum):
    """The verdict of an audit, computed from what was judged, never from the absence of findings (A4).

    COMPLIANT: every obligation in scope was judged and is covered. NO_CONFLICT_FOUND: at least one was judged, and no
    finding stands. CANNOT_BE_JUDGED: none was, or something that was to be audited was not read."""

    MAJOR_VIOLATIONS = "Major Violations"
    MINOR_ISSUES = "Minor Issues"
    COMPLIANT = "Compliant"
    NO_CONFLICT_FOUND = "No conflict found"
    CANNOT_BE_JUDGED = "Cannot be judged"


STATUS_SIGNS = {
    OverallStatus.MAJOR_VIOLATIONS: "⛔",
    OverallStatus.MINOR_ISSUES: "⚠️",
    OverallStatus.COMPLIANT: "✅",
    OverallStatus.NO_CONFLICT_FOUND: "🔍",
    OverallStatus.CANNOT_BE_JUDGED: "⊘",
}


def headline(status: OverallStatus, judged: int, obligations: int, covered: int | None, read_whole: bool) -> str:
    """A verdict with its counts: "No conflict found (12 of 82 judged)". ``covered`` is None where a text was audited, of
    which nobody asks that it covers all."""
    words = status.value
    if status is OverallStatus.CANNOT_BE_JUDGED:
        return f"{words} as a whole ({judged} of {obligations} judged)" if not read_whole else words
    if not obligations:
        return words
    if status is OverallStatus.COMPLIANT:
        return f"{words} ({judged} of {obligations} judged and covered)"
    met = "" if covered is None or status is OverallStatus.NO_CONFLICT_FOUND else f", {covered} covered"
    return f"{words} ({judged} of {obligations} judged{met})"


def with_raised(status: OverallStatus, raised: Iterable[str]) -> OverallStatus:
    """The verdict with findings of these severities that an analyst raised: never a milder one (A7)."""
    severities = set(raised)
    if status is OverallStatus.MAJOR_VIOLATIONS or severities & {"Critical", "High"}:
        return OverallStatus.MAJOR_VIOLATIONS
    return OverallStatus.MINOR_ISSUES if severities else status


_NOT_ASSESSED = "Not Assessed"
_LABELS = frozenset({*OverallStatus, _NOT_ASSESSED})
_UNREAD = ("were not read.", "not every page.", "passages were read.", "were not compared.", "engine reads.")
_UNCOUNTED = "this report is older than the count of what was judged; audit again for a verdict"


def relabelled(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a report; one from before verdicts were computed gets the label its own coverage proves. Its findings
    stay. "Compliant" used to be said where nothing was found."""
    if "judged" in stored:
        return dict(stored)
    rows = [(_field(r, "status"), bool(_field(r, "policy_quote"))) for r in stored.get("coverage") or ()]
    covered = sum(status == "Covered" and shown for status, shown in rows)
    by_rules = stored.get("engine") == "extractive"  # its "Partial" asks for a reader
    judged = sum(status in ("Conflict", "Gap") or (status == "Partial" and not by_rules) for status, _ in rows)
    counts = {"obligations": len(rows), "judged": judged + covered, "covered": covered if rows else None}
    counts["read_whole"] = not any(str(line).endswith(_UNREAD) for line in stored.get("not_assessed") or ())
    status, reason = _earlier(str(stored.get("overall_status", "")), counts)
    return {**stored, **counts, "overall_status": status, "verdict_reason": reason}


def _earlier(label: str, counts: Mapping[str, Any]) -> tuple[str, str]:
    """The label and reason that an earlier report's counts allow."""
    if label == _NOT_ASSESSED:
        return OverallStatus.CANNOT_BE_JUDGED, "nothing could be compared"
    if label != OverallStatus.COMPLIANT:
        return label, ""
    if not counts["judged"]:
        return OverallStatus.CANNOT_BE_JUDGED, _UNCOUNTED
    if not counts["read_whole"]:
        return OverallStatus.CANNOT_BE_JUDGED, "not everything was read"
    if counts["covered"] == counts["obligations"]:
        return OverallStatus.COMPLIANT, ""
    return OverallStatus.NO_CONFLICT_FOUND, ""


def _field(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name)


def relabelled_answer(payload: Mapping[str, Any]) -> tuple[dict[str, Any], str, str] | None:
    """An audit's stored answer whose report is of before verdicts were computed, as (payload with the honest label, the label
    that its text begins with, what stands there instead); None where there is nothing to correct."""
    report = payload.get("report")
    if not isinstance(report, Mapping) or "judged" in report or report.get("overall_status") not in _LABELS:
        return None  # of today, or damaged: then the message itself says so (U2e)
    honest = relabelled(report)
    was, now = str(report.get("overall_status", "")), OverallStatus(honest["overall_status"])
    if was == now:
        return {**payload, "report": honest}, "", ""
    told = headline(now, honest["judged"], honest["obligations"], honest["covered"], honest["read_whole"])
    because = f" ({honest['verdict_reason']})" if honest["verdict_reason"] else ""
    earlier = f"{'❔' if was == _NOT_ASSESSED else '✅'} **{was}**"
    shown = f"{STATUS_SIGNS[now]} **{told}**{because}"
    text = str(payload.get("response", "")).replace(earlier, shown, 1)
    weak = {"retrieval_confidence": "low", "confidence_score": 0.0}
    return {**payload, **weak, "report": honest, "response": text}, earlier, shown
