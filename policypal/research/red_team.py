"""The gate before a report is published: what still speaks against it, in plain words (W3)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from policypal.domain.citations import Citation
from policypal.domain.research import ReportSection, Source
from policypal.domain.text import counted
from policypal.domain.web import host_of
from policypal.research.draft import citations_in, is_template, texts_of

FEWEST_CITATIONS = 2
"""Per section, tables included."""
_REPORT = "Report"


@dataclass(frozen=True, slots=True)
class Standards:
    """What a report is held against. ``since``: an ISO date, older web pages are out of date, empty without a limit;
    ``offered``: the keys of the sources that each section, by heading, was given to write from; ``by_rules``: one provision may be
    all that there is to quote."""

    today: date
    since: str = ""
    by_rules: bool = False
    offered: Mapping[str, Collection[str]] | None = None


def review(
    sections: Sequence[ReportSection], citations: Sequence[Citation], sources: Sequence[Source], standards: Standards
) -> list[str]:
    """The issues of a draft, each naming its section; none where it can be published as it is.

    Checked: something is said; at least two citations per section; two sources where a section was given several, and in the
    report; no statement without a marker but templates, none unverified; no web page older than the plan allows, without a
    date where it sets a limit, or dated in the future.
    """
    if not any(section.statements or section.table for section in sections):
        return [f"{_REPORT}: no section has a statement."]
    known = {c.id: c for c in citations}
    keys = {_key(c) for section in sections for c in _cited(section, known)}
    is_single = len(keys) == 1 and len(sources) > 1 and not standards.by_rules
    whole = [f"{_REPORT}: it rests on a single source although {len(sources)} were selected."] if is_single else []
    issues = [issue for section in sections for issue in _of_section(section, known, sources, standards)]
    return list(dict.fromkeys([*whole, *issues]))


def issues_of(heading: str, issues: Sequence[str]) -> list[str]:
    """Those of the issues that are about one section, for the writer who repairs it."""
    return [issue for issue in issues if issue.startswith(f"{_section(heading)}:")]


def _section(heading: str) -> str:
    return f"Section “{heading}”"


def _of_section(
    section: ReportSection, known: Mapping[int, Citation], sources: Sequence[Source], standards: Standards
) -> Iterator[str]:
    name = _section(section.heading)
    if not section.statements and section.table is None:
        yield f"{name}: nothing in it could be supported by the sources."
        return
    if section.table is None and all(is_template(s.text) for s in section.statements):
        return  # what the sources do not answer nothing can be cited for
    cited = _cited(section, known)
    if len(cited) < (1 if standards.by_rules else FEWEST_CITATIONS):
        yield f"{name}: it has {counted(len(cited), 'citation')}; at least {FEWEST_CITATIONS} are needed."
    offered = (standards.offered or {}).get(section.heading, ())
    if len({_key(c) for c in cited}) == 1 and len(set(offered)) > 1:
        yield f"{name}: it rests on a single source although several speak of its subject."
    if unmarked_count := sum(not citations_in(s.text) and not is_template(s.text) for s in section.statements):
        yield f"{name}: {_statements(unmarked_count)} without a citation."
    if unverified := sum(not s.verified and bool(citations_in(s.text)) for s in section.statements):
        yield f"{name}: {_statements(unverified)} not fully supported by the cited passages."
    yield from (f"{name}: {told}" for told in _dated(cited, sources, standards))


def _cited(section: ReportSection, known: Mapping[int, Citation]) -> list[Citation]:
    numbers = dict.fromkeys(n for text in texts_of(section) for n in citations_in(text))
    return [known[n] for n in numbers if n in known]


def _key(citation: Citation) -> str:
    return citation.document_id or citation.url or citation.title


def _statements(number: int) -> str:
    return "1 statement is" if number == 1 else f"{number} statements are"


def _dated(cited: Sequence[Citation], sources: Sequence[Source], standards: Standards) -> Iterator[str]:
    """Recency: of web pages only, because which edition of a document is in force is known in the library."""
    published = {s.url: s.published for s in sources if s.url}
    since = _day(standards.since)
    for citation in {c.url: c for c in cited if c.source_type == "web"}.values():
        told = published.get(citation.url or "") or citation.version
        day, name = _day(told), _label(citation, told)
        if day is None and since is not None:
            yield f"it cites “{name}”, which bears no date; the plan asks for pages since {since.isoformat()}."
        elif day is not None and day > standards.today:
            yield f"it cites “{name}”, which is dated in the future."
        elif day is not None and since is not None and day < since:
            yield f"it cites “{name}”, which is older than the plan allows ({since.isoformat()})."


def _label(citation: Citation, published: str = "") -> str:
    """How the evidence of the writer names a web page: "Title (example.org, 2025-03-04)"."""
    origin = ", ".join(filter(None, (host_of(citation.url or ""), published)))
    return f"{citation.title} ({origin})" if origin else citation.title


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


DISCLAIMER = (
    "This report is not legal, tax or investment advice. It organises and quotes the sources listed below as they were read on the day of "
    "the report; figures are theirs and may have changed. Whether and how they apply requires review by a qualified person."
)
