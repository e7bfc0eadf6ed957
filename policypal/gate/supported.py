"""The gate: the only maker of a supported statement (C2b).

Every sentence that leaves an engine passes :func:`judge` or :func:`completed`, what is concluded from two sides :func:`conclusion`. Without a model its floor decides; with one, a second reading of the same
sentences may overrule it (:func:`second_reading`). Nothing else can make a :class:`Supported`: its constructor asks for a seal that
stays in this room, which ``tests/architecture`` checks.
"""

import re
from dataclasses import InitVar, dataclass

from policypal.domain.support import Degree
from policypal.gate.absence import NOT_FOUND
from policypal.gate.evidence import Cited
from policypal.gate.floor import lacking_exception, objection, verdict
from policypal.gate.verbatim import IN_MARKS, is_quoted, page_text
from policypal.gate.words import words_of

_SEAL = object()
_MARKED = re.compile(r"[“”\"„»«]|\s*\[?…\]?\s*")
_FEWEST_WORDS = 3
CITES_NOTHING = "It cites nothing that stands in the documents."
CITES_UNKNOWN = "It cites a sentence that does not exist."


@dataclass(frozen=True, slots=True)
class Supported:
    """A statement with its degree, and the reason where it is not supported."""

    text: str
    degree: Degree
    reason: str
    seal: InitVar[object]

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("Only the gate makes supported statements.")

    @property
    def passes(self) -> bool:
        return self.degree is not Degree.NOT_SUPPORTED


def judge(text: str, cited: Cited) -> Supported:
    """A statement against the sentences it cites, by structure and figures alone."""
    if not cited.texts:
        return Supported(text, Degree.NOT_SUPPORTED, CITES_NOTHING, _SEAL)
    if _is_verbatim(text, cited) or _only_quotes(text, cited):
        return Supported(text, Degree.QUOTED, "", _SEAL)
    reason = verdict(text, cited)
    return Supported(text, Degree.NOT_SUPPORTED if reason else Degree.SUPPORTED, reason, _SEAL)


def completed(text: str, cited: Cited) -> Supported:
    """A statement as :func:`judge` judges it; where it lacks nothing but the exception of the sentence it cites, the statement with that exception
    behind it, in the sentence's words: "…, unless …"."""
    first = judge(text, cited)
    exception = "" if first.passes else lacking_exception(text, cited)
    if not exception:
        return first
    whole = judge(f"{text.rstrip().rstrip('.')}, {exception[0].lower()}{exception[1:]}.", cited)
    return whole if whole.passes else first


def conclusion(text: str, cited: Cited, *, of_sides: bool = False) -> Supported:
    """What is concluded from quotations, which need not say it: it may name no figure, nobody and nothing by name that stands in none of them.
    ``of_sides``: from a source and a rule, in this order, of which it may restate only what each says."""
    reason = objection(text, cited, of_sides=of_sides) if text.strip() else ""
    return Supported(text, Degree.NOT_SUPPORTED if reason else Degree.SUPPORTED, reason, _SEAL)


def searched(text: str, words: str = "", place: str = "") -> Supported:
    """A statement that the documents do not say something, after a search for it, which found ``words`` at ``place``, or nothing."""
    if words:
        return Supported(text, Degree.NOT_SUPPORTED, f"To review: a search found “{words}” ({place}).", _SEAL)
    return Supported(f"{text.rstrip().rstrip('.')} {NOT_FOUND}.", Degree.SUPPORTED, "", _SEAL)


def quotation(text: str) -> Supported:
    """A sentence that code made of quotations that were found, or a template around them."""
    return Supported(text, Degree.QUOTED, "", _SEAL)


def unfounded(text: str, reason: str = CITES_NOTHING) -> Supported:
    """A sentence none of whose quotations was found."""
    return Supported(text, Degree.NOT_SUPPORTED, reason, _SEAL)


def second_reading(first: Supported, carries: bool, reason: str) -> Supported:
    """The statement after a model read it beside what it cites. A quotation stays one."""
    if first.degree is Degree.QUOTED:
        return first
    degree = Degree.SUPPORTED if carries else Degree.NOT_SUPPORTED
    return Supported(first.text, degree, "" if carries else reason, _SEAL)


def _is_verbatim(text: str, cited: Cited) -> bool:
    """Whether the statement is a whole cited sentence, or a stretch of one that leaves nothing out."""
    said = " ".join(_MARKED.sub(" ", text).split()).rstrip(".;")
    if len(said.split()) < _FEWEST_WORDS:
        return False
    return any(_stands_whole(said, t.text) for t in cited.texts)


def _only_quotes(text: str, cited: Cited) -> bool:
    """Whether the statement is nothing but quotations and what names their sources."""
    quoted = " \n ".join(t.quoted for t in cited.texts)
    marked = [m[1] or m[2] for m in IN_MARKS.finditer(text)]
    around = set(words_of(IN_MARKS.sub(" ", text))) - set(words_of(cited.named))
    return bool(marked) and not around and all(is_quoted(words, quoted) for words in marked)


def _stands_whole(said: str, sentence: str) -> bool:
    found = next(iter(page_text(sentence).same_words(said)), None)
    if found is None:
        return False
    before, after = sentence[: found[0]], sentence[found[1] :]
    return not any(c.isalpha() for c in re.sub(r"^\W*\(?\w{1,6}[.)]?\s", "", before)) and not any(
        c.isalpha() for c in after
    )
