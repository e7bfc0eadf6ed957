"""Research reports: what is asked, planned, found, written, and what is wrong with it (section W)."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from policypal.domain.citations import Citation
from policypal.domain.provisions import Kind

Mode = Literal["auto", "plan"]
Aspect = Literal["scope", "timeframe", "depth", "use"]


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True)


class PlanQuestion(_Plain):
    """A question of Plan mode with its four options; "Custom" is added where it is shown. ``all_of_the_above`` says
    that several may hold (W2)."""

    aspect: Aspect
    question: str
    options: list[str]
    all_of_the_above: bool = False


class PlanAnswer(_Plain):
    """What was answered: options as they were written, or the person's own words."""

    aspect: Aspect
    question: str
    values: list[str]


class Plan(_Plain):
    """What a run is going to do. ``queries`` are searched for in the library and on the web; ``document_ids`` are the
    documents of the library it may use, all of them if empty."""

    goal: str
    constraints: list[str] = Field(default_factory=list)
    deliverable: str
    steps: list[str]
    queries: list[str]
    document_ids: list[str] = Field(default_factory=list)
    since: str = ""  # ISO date: older web pages are out of date for this report; empty without a limit
    estimated_pages: int = 0
    estimated_cost_usd: float = 0.0


class Gate(_Plain):
    """Whether a prompt is clear and cheap enough to run at once, at ``usd`` dollars. ``auto`` is the
    recommendation, ``reasons`` why not, ``missing`` what the prompt leaves open; the person's switch wins (W2)."""

    usd: float
    auto: bool
    reasons: list[str] = Field(default_factory=list)
    missing: list[Aspect] = Field(default_factory=list)


class Source(_Plain):
    """Something read for the report: a document of the library, or a web page. ``key`` is stable: the document's id, or the
    page's normalised address. ``score`` in [0, 1] is what it was ranked by; ``why_used`` says it in words."""

    key: str
    source_type: Literal["document", "web"]
    title: str
    host: str = ""  # of a web page; the version of a document
    published: str = ""  # ISO date, or empty
    url: str | None = None
    document_id: str | None = None
    snippet: str = ""
    score: float = 0.0
    why_used: str = ""


class SourcePassage(_Plain):
    """A passage of a source that the report may quote. Of a document: its chunk's id and page; of a page: the harvested
    text from ``start`` on. ``provision``, ``label``, ``introduction`` and ``kinds`` are those of the provision that it is a part of, 0 and
    empty for other passages."""

    source: str  # Source.key
    text: str
    start: int = 0
    chunk_id: str = ""
    page: int | None = None
    heading: str | None = None
    score: float = 0.0
    is_excerpt: bool = False
    provision: int = 0
    label: str = ""
    introduction: str = ""
    kinds: list[Kind] = Field(default_factory=list)


class Statement(_Plain):
    """A sentence of the report as Markdown with its markers, the numbers of its citations, and whether they carry it."""

    text: str
    citations: list[int] = Field(default_factory=list)
    verified: bool = False


class ReportTable(_Plain):
    """A table of the report; cells are Markdown."""

    columns: list[str]
    rows: list[list[str]]


class ReportSection(_Plain):
    heading: str
    statements: list[Statement]
    table: ReportTable | None = None


class Contradiction(_Plain):
    """Two claims of different sources that cannot both be followed, by the numbers of their citations."""

    left: int
    right: int
    subject: str
    explanation: str


class Report(_Plain):
    """A version of a report. ``origin``: written by a run, or edited by hand from the version before. ``markdown`` is
    what is shown and exported; ``issues`` is what the red-team gate still holds against it."""

    id: str
    thread_id: str
    version: int
    title: str
    markdown: str
    sections: list[ReportSection] = Field(default_factory=list)
    citations: list[Citation] = Field(default_factory=list)
    sources: list[Source] = Field(default_factory=list)
    contradictions: list[Contradiction] = Field(default_factory=list)
    issues: list[str] = Field(default_factory=list)
    origin: Literal["written", "edited"] = "written"
    engine: str = ""
    created_at: datetime | None = None


class Step(_Plain):
    """A checkpoint of a research thread, in plain words (W6). ``node`` is the stage that had just ended; ``can_edit``
    names what a fork from here may change."""

    checkpoint_id: str
    node: str
    title: str
    told: list[str]
    at: datetime
    can_edit: list[Literal["goal", "plan", "sources", "draft"]] = Field(default_factory=list)


class ResearchThread(_Plain):
    """A research run as lists show it. ``status``: running, waiting (a question is open), finished, failed, stopped."""

    thread_id: str
    goal: str
    title: str
    mode: Mode
    status: Literal["running", "waiting", "finished", "failed", "stopped"]
    created_at: datetime
    parent_thread_id: str | None = None
    parent_checkpoint_id: str | None = None
    forked_at: str = ""  # the title of the step it was forked from


class StepValues(_Plain):
    """What stood at a step: a fork's form is filled with it. ``excluded`` are the keys of sources that must not be used;
    ``draft`` is Markdown, empty before there is one."""

    goal: str
    plan: Plan | None = None
    sources: list[Source] = Field(default_factory=list)
    excluded: list[str] = Field(default_factory=list)
    draft: str = ""
