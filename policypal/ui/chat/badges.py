"""Small marks: confidence, severity, status, cost. All return HTML; what others wrote is escaped (X2)."""

from collections.abc import Iterable, Mapping
from typing import Any

from policypal.application import processing
from policypal.domain.audits import CoverageStatus, OverallStatus, Severity
from policypal.domain.confidence import badge_words
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.ui.markup import text

_CONFIDENCE = {
    "high": (
        "pp-green",
        "check_circle",
        "Right at least 95 times in 100 on labelled questions; for other actions, every quotation was found",
    ),
    "medium": ("pp-yellow", "warning", "Please read what is shown before you rely on it"),
    "low": ("pp-red", "error", "What is shown is the nearest there is; do not rely on it without checking"),
}
SEVERITY_CLASS = {
    Severity.CRITICAL: "pp-red",
    Severity.HIGH: "pp-orange",
    Severity.MEDIUM: "pp-yellow",
    Severity.LOW: "pp-blue",
}
_STATUS = {
    OverallStatus.COMPLIANT: ("pp-green", "check_circle"),
    OverallStatus.MINOR_ISSUES: ("pp-yellow", "warning"),
    OverallStatus.MAJOR_VIOLATIONS: ("pp-red", "report"),
    OverallStatus.NO_CONFLICT_FOUND: ("pp-blue", "search"),
    OverallStatus.CANNOT_BE_JUDGED: ("", "help"),
}
COVERAGE_CLASS = {
    CoverageStatus.COVERED: "pp-green",
    CoverageStatus.PARTIAL: "pp-yellow",
    CoverageStatus.CONFLICT: "pp-red",
    CoverageStatus.GAP: "pp-orange",
    CoverageStatus.NOT_APPLICABLE: "pp-muted",
    CoverageStatus.NOT_JUDGED: "pp-muted",
}
_DOCUMENT_STATUS = {
    DocumentStatus.QUEUED: "Waiting",
    DocumentStatus.EXTRACTING: "Reading",
    DocumentStatus.RECOGNISING: "Recognising text",
    DocumentStatus.CHUNKING: "Dividing into passages",
    DocumentStatus.EMBEDDING: "Indexing",
    DocumentStatus.READY: "Ready",
    DocumentStatus.FAILED: "Failed",
}
ENGINE_LABELS = {"extractive": "Extractive engine: quotations and templates only", "openai": "OpenAI engine"}


def pal_assist(words: str = "") -> str:
    """The sign of PalAssist."""
    return f"{icon('support_agent')} {words}"


def icon(name: str) -> str:
    """A sign of the one family of icons that buttons have, too (U10)."""
    return f'<span class="pp-icon" aria-hidden="true" translate="no">{name}</span>'


def badge(label: str, css_class: str = "", tooltip: str = "", sign: str = "") -> str:
    """A rounded mark, with an icon by its name; ``label`` and ``tooltip`` are escaped."""
    title = f' title="{text(tooltip)}"' if tooltip else ""
    return f'<span class="pp-badge {css_class}"{title}>{f"{icon(sign)} " if sign else ""}{text(label)}</span>'


def limited_to(focus: str) -> str:
    """What an audit was limited to; nothing where it was of everything."""
    return badge(f"Only {focus}") if focus else ""


def confidence(level: str, action: str) -> str:
    """How sure an answer is (C4); anything unknown counts as low."""
    css_class, sign, tooltip = _CONFIDENCE.get(level, _CONFIDENCE["low"])
    return badge(badge_words(level, action), css_class, tooltip, sign)


def severity(value: Severity) -> str:
    return badge(value.value, SEVERITY_CLASS[value])


def verdict(status: OverallStatus, headline: str) -> str:
    """An audit's verdict with its counts (A4)."""
    css_class, sign = _STATUS[status]
    return badge(headline, css_class, sign=sign)


def coverage(value: CoverageStatus) -> str:
    return badge(value.value, COVERAGE_CLASS[value])


def document_type(value: DocumentType) -> str:
    """Gold for regulatory sources, green for company policies (D3)."""
    return badge(value.label, "pp-gold" if value is DocumentType.REGULATORY else "pp-green")


def document_status(document: Document) -> str:
    """Where the document stands (D4)."""
    if processing.is_cancelled(document):
        return badge("Cancelled")
    colour = {DocumentStatus.READY: "", DocumentStatus.FAILED: "pp-red"}.get(document.status, "pp-blue")
    return badge(_DOCUMENT_STATUS[document.status], colour)


def cost(tokens: int, dollars: float, *, is_priced: bool = True) -> str:
    """ "125 tokens · $0.001"; the smallest amounts are rounded up to be visible. Not ``is_priced``: the price of some of
    the tokens is unknown."""
    amount = "$0.00" if not dollars else "<$0.001" if dollars < 0.001 else f"${dollars:.3f}"
    if not is_priced:
        amount = f"at least {amount}, other prices unknown" if dollars else "price unknown"
    return f"{tokens:,} tokens · {amount}"


def made_by(told: Mapping[str, Any]) -> str:
    """The engine of an answer, and what it cost where it cost anything (R4, U2d)."""
    tokens = int(told.get("tokens_used", 0))
    parts = [engine(str(told.get("engine", ""))), *([cost(tokens, float(told.get("cost_usd", 0)))] if tokens else [])]
    return " · ".join(part for part in parts if part)


def engine(name: str) -> str:
    return ENGINE_LABELS.get(name, name)


def meter(share: float, label: str, colour: str = "var(--pp-blue)", *, role: str = "meter") -> str:
    """A bar that is filled to ``share`` (1 is all of it) in a CSS colour."""
    percent = min(100, max(0, round(share * 100)))
    return (
        f'<div class="pp-progress" role="{role}" aria-label="{text(label)}" aria-valuenow="{percent}" aria-valuemin="0"'
        f' aria-valuemax="100"><span style="width:{percent}%;background:{colour}"></span></div>'
    )


def severity_bar(counts: Mapping[Severity, int], most: int = 0) -> str:
    """A stacked bar of findings by severity, as long as their number is of ``most`` where bars are compared; nothing without findings."""
    total = sum(counts.values())
    if not total:
        return ""
    length = f' style="width:{total / most:.1%}"' if most else ""
    parts = "".join(
        f'<span class="{SEVERITY_CLASS[s]}" style="flex:{counts[s]}" title="{s.value}: {counts[s]}"></span>'
        for s in Severity
        if counts.get(s)
    )
    return f'<div class="pp-bar"{length} role="img" aria-label="{text(severity_words(counts))}">{parts}</div>'


def severity_words(counts: Mapping[Severity, int]) -> str:
    return ", ".join(f"{counts[s]} {s.value}" for s in Severity if counts.get(s)) or "No findings"


def severity_counts(severities: Iterable[Severity]) -> dict[Severity, int]:
    counts = dict.fromkeys(Severity, 0)
    for value in severities:
        counts[value] += 1
    return counts
