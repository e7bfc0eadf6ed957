"""What a statement says the documents do not say: a search confirms it, or shows where they do (C2b).

English. Of one provision ("Article 33 names no fine") the sentences it cites decide, as of any other statement.
"""

import re
from collections.abc import Iterable

from policypal.gate.figures import check_figures
from policypal.gate.words import content_of, covered_by
from policypal.text.sentences import split_sentences

NOT_FOUND = "(not found by a search)"
_DOCUMENT = (
    r"(?:polic(?:y|ies)|documents?|rulebooks?|regulations?|rules|texts?|agreements?|standards?|procedures?|act|"
    r"directives?|guidelines?|contracts?|library|sources?)"
)
_SAYS = (
    r"(?:mentions?|address(?:es)?|says?|states?|contains?|covers?|discuss(?:es)?|describes?|defines?|specif(?:y|ies)|"
    r"includes?|refers? to|speaks? of|deals? with|names?|sets? out|provides? for|lays? down)"
)
_SAID = r"(?:mentioned|addressed|covered|discussed|described|defined|specified|referred to|dealt with|named|set out)"
_NONE = r"(?:nothing|no (?:provision|passage|clause|section|sentence|part|rule|document))"
_ABSENT = [
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b{_DOCUMENT}\b[^.;,]{{0,40}}? (?:(?:do|does|did)(?:n['’]t| not)|never|nowhere) {_SAYS}\b(?P<what>[^.;]+)",
        rf"\b{_DOCUMENT}\b[^.;,]{{0,40}}? (?:(?:is|are) silent (?:on|about)|says? nothing (?:of|on|about)|makes? no mention of|contains? no|"
        rf"contains? nothing (?:on|about)|has no (?:provision|rule|clause)s? (?:on|about|for|of)) (?P<what>[^.;]+)",
        rf"\b{_NONE} (?:in|of) (?:any of )?(?:the|these|your|this) (?:\w+ )?{_DOCUMENT} {_SAYS}\b(?P<what>[^.;]+)",
        rf"^(?P<what>[^.;]+?) (?:is|are) (?:not|nowhere) {_SAID}\b",
        r"\bthere (?:is|are) no (?:provision|mention|rule|clause|definition|passage|section)s? (?:on|of|about|for) (?P<what>[^.;]+)",
    )
]
_IN_IT = re.compile(rf"\b(?:in|by) (?:any of )?(?:the|these|your|this) (?:\w+ )?{_DOCUMENT}\b.*$", re.I)
_SAID_THERE = 0.8
"""The likeness from which a word stands there, and not something like it."""


def said_absent(statement: str) -> str:
    """What a statement says no document has, in its words; "" where it says nothing of the kind, or nothing that could be looked for."""
    found = next((match["what"] for pattern in _ABSENT if (match := pattern.search(statement))), "")
    what = _IN_IT.sub("", found).strip()
    return what if content_of(what) else ""


def found_after_all(what: str, texts: Iterable[str], cited: Iterable[str] = ()) -> tuple[int, str] | None:
    """The first sentence of ``texts`` that has every word and figure of ``what`` and is none of the ``cited`` ones, behind the number of its
    text from 0; None where there is none."""
    known, content = " ".join(" ".join(cited).split()), content_of(what)
    for number, text in enumerate(texts):
        for sentence in split_sentences(text):
            has_words = min(covered_by(content, sentence.text).values()) >= _SAID_THERE
            if (
                has_words
                and " ".join(sentence.text.split()) not in known
                and not check_figures(what, [sentence.text]).missing
            ):
                return number, sentence.text
    return None
