"""What a run tells the outside, in order: statuses, then exactly one of response, interrupt, error (G12)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from policypal.domain.audits import AuditReport, CoverageRow
from policypal.domain.changes import ChangeList
from policypal.domain.citations import Citation
from policypal.domain.interrupts import InterruptType
from policypal.domain.requests import Request
from policypal.domain.research import Report
from policypal.errors import PolicyPalError

Confidence = Literal["high", "medium", "low"]


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True)


class DocumentReference(_Event):
    id: str
    title: str


COUNTED = frozenset(
    ("queries", "hits", "pages", "read", "unreadable", "kept", "copies", "sections", "written", "statements", "verified",
     "repaired", "removed", "contradictions", "issues")
)  # fmt: skip
"""What research counts. A node's trace holds the numbers under the same names, so that another process can tell them."""


class StatusEvent(_Event):
    """A node is at work (PalReasoning). ``counts`` of research so far, by the names of :data:`COUNTED`. ``said`` is the beginning of the
    answer, as Markdown, while it is written; the response may leave out what is not supported."""

    type: Literal["status"] = "status"
    node: str
    message: str
    docs_found: list[DocumentReference] | None = None
    web_query: str | None = None
    counts: dict[str, int] | None = None
    said: str | None = None


class ResponseEvent(_Event):
    """The answer. ``confidence_score`` is in [0, 1]; ``cost_usd`` in dollars, without tokens of models of unknown price where it
    is not ``is_priced``; ``notices`` are short remarks to show
    above the answer; ``engine`` says who answered (R4); ``title`` is what the conversation may be called after it, if it is about
    anything (U2b)."""

    type: Literal["response"] = "response"
    response: str
    citations: list[Citation] = Field(default_factory=list)
    action: str
    inference_confidence: Confidence = "low"
    retrieval_confidence: Confidence = "low"
    confidence_score: float = 0.0
    tokens_used: int = 0
    cost_usd: float = 0.0
    is_priced: bool = True
    thread_id: str
    title: str = ""
    documents: list[DocumentReference] = Field(default_factory=list)
    engine: str = ""
    notices: list[str] = Field(default_factory=list)
    cancelled: bool = False
    report: AuditReport | None = None
    coverage: list[CoverageRow] | None = None
    changes: ChangeList | None = None
    request: Request | None = None
    research: Report | None = None


class Option(_Event):
    id: str
    label: str


class InterruptEvent(_Event):
    """A question for the person (PalAssist, G7). ``interrupt_id`` is what an answer refers to."""

    type: Literal["interrupt"] = "interrupt"
    interrupt_type: InterruptType
    message: str
    options: list[Option] | None = None
    allow_multiple: bool = False
    expects: Literal["document", "text"] | None = None
    interrupt_id: str = ""
    thread_id: str = ""


class ErrorEvent(_Event):
    """A typed failure (X4)."""

    type: Literal["error"] = "error"
    code: str
    title: str
    message: str
    retryable: bool
    thread_id: str = ""


Event = StatusEvent | ResponseEvent | InterruptEvent | ErrorEvent


def error_event(error: PolicyPalError, thread_id: str) -> ErrorEvent:
    return ErrorEvent(
        code=error.code, title=error.title, message=error.message, retryable=error.retryable, thread_id=thread_id
    )


STATUS_MESSAGES: dict[str, str] = {
    "remember": "Recalling the conversation...",
    "intent_resolver": "Clarifying intent...",
    "confirm_intent": "Confirming the action...",
    "doc_resolver": "Finding documents...",
    "confirm_documents": "Confirming the documents...",
    "validate_inputs": "Validating request...",
    "confirm_inputs": "Completing the request...",
    "retrieve": "Retrieving passages...",
    "web_search": "Searching the web...",
    "web_supplement": "Adding what the web reports...",
    "check_retrieval_confidence": "Weighing the evidence...",
    "confirm_retrieval": "Confirming how to proceed...",
    "summarize": "Summarizing documents...",
    "inquire": "Researching your question...",
    "compare": "Comparing documents...",
    "plan_audit": "Reading the obligations...",
    "confirm_audit": "Confirming the audit...",
    "audit": "Auditing against regulations...",
    "format_response": "Formatting response...",
    "assess": "Reading your goal...",
    "ask_questions": "Finding out what to ask...",
    "confirm_question": "Taking your answer...",
    "make_plan": "Making the plan...",
    "confirm_plan": "Taking your decision on the plan...",
    "look_up": "Preparing the searches...",
    "search_library": "Searching your library...",
    "search_web": "Searching the web...",
    "weigh_harvest": "Choosing the pages to read...",
    "confirm_harvest": "Taking your decision on the pages...",
    "harvest_page": "Reading web pages...",
    "choose_sources": "Choosing the sources...",
    "outline": "Outlining the report...",
    "write_section": "Writing the sections...",
    "assemble": "Checking every quotation...",
    "read_statements": "Reading every statement beside its sources...",
    "check_claims": "Checking the facts...",
    "red_team": "Reviewing the draft...",
    "publish": "Publishing the report...",
}
"""What PalReasoning shows per node (feature specification, PalReasoning), and the progress of research."""
