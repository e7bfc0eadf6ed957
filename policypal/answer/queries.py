"""The words to search with, by the rules: in the library (A2), and on the web, where they leave the company (G3)."""

import re
from collections.abc import Sequence

from policypal.answer.questions import is_generic, without_source
from policypal.domain.users import Profile
from policypal.request.subject import without_document_names
from policypal.request.web_need import without_web_wish
from policypal.search.terms import terms

ENOUGH_TERMS = 3
"""From so many content terms on, a message is searched for by itself."""

_OVERVIEW = "purpose scope definitions main requirements"
_MENTION = re.compile(r"(?<!\w)@(?:\[[^\]]*\]|[\w-]+)")
_MARKDOWN = re.compile(r"[*_`#>~]+|\[([^\]]*)\]\([^)]*\)")
_COURTESY = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|please|kindly|could you|can you|would you|will you|"
    r"i (?:want|need|would like) (?:you )?to(?: know)?|i'd like to know|tell me|show me|let me know|help me(?: to)?|do you know)"
    r"\b[\s,!.]*)+",
    re.IGNORECASE,
)
_THANKS = re.compile(r"[\s,.!]*(?:thanks|thank you|please|cheers)(?: in advance| very much)?[\s.!]*$", re.IGNORECASE)
_FOLLOW_UP = re.compile(
    r"^(?:and\b|what about|how about|explain\b|elaborate|more\b|why\b|what else|then\b)\s*", re.IGNORECASE
)
_VERSION = re.compile(r"\s*\([^)]*\)\s*$")
MAX_QUERY_CHARACTERS = 200
_READING_WORDS = re.compile(
    r"\b(?:summari[sz]e|summary|overview|audit|review|check|compare|explain|give|tell|me|us|our|my|this|the|an?|of|with|and|"
    r"against|for|including|include|document|documents|policy|policies|e-?mail|letter|text|draft|attached|latest|recent|current|news|please|also|now|today)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:\s+(?:at|of|for|in|by|with|and|the|from|on))+[\s?.,;:]*$", re.IGNORECASE)
_NEWS = {"summarize": "latest amendments and enforcement", "audit": "current rules and enforcement"}


def search_query(words: str, titles: Sequence[str], names: Sequence[str] = (), history: Sequence[str] = ()) -> str:
    """A question's ``words`` without courtesies and markup; a bare follow-up is completed from the latest question of the
    ``history`` ("user: …" lines, oldest first, from which the ``names`` of documents are cut), or from what any document of this
    kind contains. Unchanged where no document is named (A2: ``titles``)."""
    if not titles:
        return words
    query = without_source(clean(words))
    if len(_subject(query)) >= ENOUGH_TERMS:
        return query
    previous = _last_question(words, names, history)
    if previous and (_FOLLOW_UP.match(query) or not _subject(query)):
        return f"{previous.rstrip('?. ')} {_FOLLOW_UP.sub('', query).strip('?. ')}".strip()
    return query if _subject(query) else " ".join([*_undated(titles), _OVERVIEW])


def clean(message: str) -> str:
    """The message without mentions, markdown, greetings and courtesies, on one line."""
    text = _MARKDOWN.sub(lambda m: m.group(1) or "", _MENTION.sub(" ", message))
    text = _THANKS.sub("", _COURTESY.sub("", " ".join(text.split())))
    return text.strip(" ,;") or " ".join(message.split())


def _subject(query: str) -> list[str]:
    return [term for term in terms(query) if not is_generic(term)]


def _undated(titles: Sequence[str]) -> list[str]:
    return [_VERSION.sub("", title) for title in titles]


def _last_question(words: str, names: Sequence[str], history: Sequence[str]) -> str:
    """The latest earlier user message that has a subject of its own."""
    for line in reversed(history):
        speaker, _, said = line.partition(":")
        if speaker.strip().lower() != "user":
            continue
        said = without_document_names(clean(said), names)
        if said != clean(words) and _subject(said):
            return said
    return ""


def web_query(message: str, action: str, regulations: Sequence[str], profile: Profile) -> str:
    """The words of a ``message`` without document names; the public ``regulations`` in scope and, where there is none, the user's
    country and industry narrow it. Empty where there is no subject to search for."""
    words = outgoing(without_web_wish(clean(message)), profile)
    if action in _NEWS:
        words = _READING_WORDS.sub(" ", words)
    words = _DANGLING.sub("", " ".join(words.split())).strip(" ?.,;:")
    named = _undated(regulations)
    if not named and all(is_generic(t) for t in terms(words)):
        return ""
    parts = [words, *(named or [profile.industry, profile.country]), _NEWS.get(action, "")]
    return outgoing(" ".join(_unrepeated(parts)), profile)


def outgoing(query: str, profile: Profile) -> str:
    """``query`` on one line of at most 200 characters without the company's name. Whether it leaves is not decided here
    (:func:`policypal.research.disclosure.public_query`)."""
    if profile.company.strip():
        query = re.sub(rf"(?<!\w){re.escape(profile.company.strip())}(?!\w)", " ", query, flags=re.IGNORECASE)
    words = " ".join(query.split())
    if len(words) <= MAX_QUERY_CHARACTERS:
        return words
    return words[: MAX_QUERY_CHARACTERS + 1].rpartition(" ")[0][:MAX_QUERY_CHARACTERS] or words[:MAX_QUERY_CHARACTERS]


def _unrepeated(parts: Sequence[str]) -> list[str]:
    """The parts in order, without those whose terms all stand in the parts before."""
    kept: list[str] = []
    for part in filter(None, parts):
        known = set(terms(" ".join(kept)))
        if not set(terms(part)) <= known:
            kept.append(part)
    return kept
