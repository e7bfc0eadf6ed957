"""Which of the four actions a message asks for, by the rules: imperatives, a few words that tell, what labelled utterances are like,
and the conversation (G2)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, cast

from pydantic import BaseModel, Field
from rapidfuzz import fuzz

from policypal.domain.requests import ActionName
from policypal.ingest.drafts import reads_as_title, request_of
from policypal.request.foreign import in_english
from policypal.request.library import Library, subject_stems
from policypal.request.material import audited_text
from policypal.request.mentions import masked
from policypal.request.said import Said
from policypal.request.scanning import GOES_ON, NEGATED, REQUESTS
from policypal.request.utterances import likeness
from policypal.request.words import NOUNS, split_words, years
from policypal.search.terms import STOP_WORDS

Confidence = Literal["high", "medium", "low"]
ACTIONS: tuple[ActionName, ...] = ("summarize", "inquire", "compare", "audit")

_TELLING = 1.0
"""What a telling word adds to an action's likeness: more than any likeness."""
_CLEAR = 0.3
"""How far the likeliest action has to be ahead to be taken without doubt."""
_OTHER = 0.3
_OTHER_THAN_ASKED = 0.5
"""How far another action has to be ahead for a question to be a request for it; the second where its words are a question's."""
_CHAT, _CHAT_ASKED, _CHAT_AHEAD = 0.35, 0.5, 0.2
"""Below this, a message is taken for a request although it resembles small talk or a call for help; the second where it is a question
or vague; a question has to be more like chat than like any action by the last."""

_MENTION = re.compile(r"@\w[\w./-]*(?:\s+(?:(?:of|and|on|for|the|to|in)\s+)?(?=[A-Z0-9(])[^\s@,;:?!]+)*")
_NAMED_RULE = re.compile(r"\b([Tt]he|[Oo]ur|[Tt]his|[Tt]hat) (?:[A-Z][\w-]* ){1,4}Rules?\b")
"""A document, where "the rules" would be a topic: "the Net Capital Rule"."""
_QUOTE = re.compile(r"@?[\"“«]([^\"”»]+)[\"”»]")
_LONG_ENOUGH = 25
"""Characters of a quotation that is a text; a shorter one is a term."""
_OPENING = re.compile(
    r"^\W*(?:(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there| all| team| everyone)?|thanks(?: a lot| so much)?"
    r"|thank you(?: (?:very|so) much)?|ok(?:ay)?|fine|but|great|cool|nice|sure|sounds good|got it|perfect|right|well|so|sorry|please|pal(?:assist)?)\b[\s,.!:;–-]+)+(?=\S+\s+\S)",
    re.IGNORECASE,
)
_POLITE = (
    r"(?:(?:please|kindly|now|then|also|first|next|finally|afterwards|can|could|would|will|you|i|we|want|need|like|d|to|let|s|us|me|help|"
    r"and|after|that|just|simply|quickly|briefly|go|ahead)\b[\s,']*)*"
)
_DOC = (
    r"(?:xdoc|documents?|docs?|files?|papers?|polic(?:y|ies)|regulations?|rulebooks?|guidelines?|guidance|directives?|acts?|circulars?|notices?|"
    r"standards?|frameworks?|codes?|handbooks?|manuals?|procedures?|editions?|versions?|reports?|statutes?|laws?|guides?|contracts?|agreements?)"
)


def _one_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WORDS: dict[str, re.Pattern[str]] = {
    "summarize": _one_of(r"\b(?:summar\w+|boil(?:ed)?\b[^.?!]{0,50}\bdown|overview|gist|nutshell)\b"),
    "compare": _one_of(
        r"\b(?:compar\w+|contrast\w*|versus|vs|diffs?|differ\w*|diverg\w+|overlaps?|deltas?|redline|side[- ]by[- ]side|in common|similarit\w+"
        r"|each other|one another)\b", r"\bwhat(?:'s| is| has|'s been| was)? (?:been )?(?:changed|new|added|removed)\b(?!\W*$)",
    ),
    "audit": _one_of(
        r"^\W*(?:(?:and|now|then)\s+)?against\b", r"(?<!an )(?<!the )(?<!xdoc )\baudit(?:ing|ed)?\b(?! (?:committee|report|trail))",
        r"\b(?:gaps?|non-?complian\w+|(?:falls?|falling) short)\b",
        r"\b(?:is|are|does|do|did|would|whether|if|check|ensure|make sure)\b[^.?!:]{0,20}\b(?:our|my|this|these|those|it|they|we|the|that|xdoc)\b"
        r"[^.?!:]{0,60}\b(?:compl(?:y|ies|iant|ying)|conform\w*|adher\w*|in (?:line|accordance)|consistent|conflicts?|contradicts?|violat\w*"
        r"|breach(?:es|ing)? (?:the|our|any|xdoc)|in breach|infring\w*|satisf(?:y|ies|ied)|meets? (?:with )?(?:xdoc|the |all |its |every |any |[A-Z])"
        r"|fulfil\w*|contraven\w*)\b",
        r"\b(?:check|review|test|vet|validate|verify|assess|evaluate|scan|screen|measure)\b[^.?!:]{0,80}"
        r"\b(?:against|complian\w+|violat\w*|breach\w*|conform\w*|compl(?:y|ies)|consisten\w+|alignment)\b",
        r"\b(?:our|my|this|xdoc)\b[^.?!:]{0,40}\b(?:ok(?:ay)?|allowed|permitted|acceptable|legal|lawful)(?: (?:under|with|by)\b|\W*$|\W*:)",
        r"\bfine (?:under|with|by)\b", r"\b(?:xdoc|our|my|this|these)\b[^.?!:]{0,60}\b(?:against|past)\b[^.?!:]{0,30}\bxdoc\b",
    ),
}  # fmt: skip
"""Words that tell an action wherever they stand."""
_IMPERATIVES = {
    "summarize": _one_of(
        r"^\W*" + _POLITE + r"(?:(?:give|provide|write|prepare|make|create|produce|draft|get)\s+(?:me\s+|us\s+)?)?(?:an?\s+|the\s+)?(?:\w+\s+){0,2}"
        r"(?:summari[sz]e|summary|overview|recap|digest|tl;?dr|key points|sum\b.{0,30}\bup|condense|outline|brief me|rundown|gist)\b"),
    "compare": _one_of(
        r"^\W*" + _POLITE + r"(?:compare|contrast|(?:list|show|highlight|give|tell|find|identify|spot)\b.{0,30}\bdifferences?"
        r"|(?:do|run|make|give me)\b.{0,20}\bcomparison|(?:differences|(?:an? )?comparison)\b)"),
    "audit": _one_of(
        r"^\W*" + _POLITE + r"(?:audit\b(?! (?:committee|report|trail))|an audit of\b|a gap analysis\b|(?:run|do|conduct|perform|make|carry out)\b.{0,25}\b(?:audit|compliance|gap analysis)"
        r"|(?:check|review|test|vet|verify|assess|validate|evaluate)\b.{0,80}\b(?:complian\w+|compl(?:y|ies)|against|violations?|conform\w*|breach\w*|in line)"
        r"|(?:find|flag|identify|list)\b.{0,30}\b(?:gaps|violations|breaches|non-complian\w+))"),
    "inquire": _one_of(
        r"^\W*" + _POLITE + r"(?:(?:tell me|answer|explain|let me know)\s+(?:what|how|when|who|which|whether|why|where|if)|explain (?:section|article|chapter|clause)"
        r"|(?:list|name|quote|cite|define|enumerate)\s+(?:the|all|every|each|any)\b)\b"),
}  # fmt: skip
_TOPIC_OF_SUMMARY = _one_of(
    r"\b(?:summari[sz]e|sum up|recap|outline|summary of|overview of)\s+(?:what(?! (?:we|i|you)\b)|how|when|who|which|where|why|whether)\b",
    r"\b(?:about|regarding|concerning|with (?:respect|regard) to|when it comes to|in terms of|focus(?:ing|ed)? on|relat(?:ed|ing) to|as to)\s+"
    r"(?!this\b|it\b|that\b|them\b|\w*\s*" + _DOC + r"\W*$)\w+",
    r"xdoc(?:'s)?\s+(?:on|about)\s+\w+", r"\bsays?\s+(?:on|about)\b", r"\b(?:section|article|chapter|annex|clause|paragraph|part)\s+\d",
    r"\b(?:requirements?|rules?|obligations?|duties|deadlines?|provisions?|penalt(?:y|ies)|fines?|sanctions?|definitions?|thresholds?|limits?"
    r"|exemptions?|exceptions?|powers|rights|controls)\b(?!\s*" + _DOC + r")",
)  # fmt: skip
_BETWEEN_THINGS = _one_of(
    r"\bdifferences?\s+between\s+(?:(?!xdoc|the\b|both\b|old\b|new|current|latest|previous|edition|version)[a-z][\w-]*\s+){1,4}and\s+"
    r"(?:(?!xdoc|the\b|edition|version)[a-z][\w-]*\W*){1,3}?(?:\b(?:under|in|within|according|per|for|as)\b|$)",
)
"""What is the difference between two things a document speaks of: a question, no comparison of documents."""
_QUESTION = _one_of(
    r"\s*(?:xdoc\W+)?(?:who|whom|whose|what|which|when|where|why|how)(?:'s|'re)?\b|[^.:]*\b(?:who|what|which|when|where|how)\b[^.:]*\?\s*$"
    r"|\s*(?:(?:please|pls|(?:can|could) you)\s+){0,2}(?:check|see|verify|find out|confirm|look up)\s+(?:if|whether)\b",
)
"""A whole question is a question, however strange its subject."""
_VAGUE = _one_of(
    r"\b(?:have |take )?(?:a )?look (?:at|into)\b", r"\btell (?:me|us) (?:more |something )?about (?:this|that|these|those|it|them|both|the|our|my|xdoc)\b[^?]{0,25}$",
    r"^\W*" + _POLITE + r"(?:check|review|analy[sz]e|examine|read|handle|process|use|open|consider|study|go through|work on|do|take)\b\s+"
    r"(?:this|that|it|them|both|these|those|xdoc|the|our|my)?(?:\s+\w+){0,3}\W*$", r"\bwhat do you (?:think|make) (?:of|about)\b", r"^\W*\w+\W*$",
)  # fmt: skip
_THANKED = re.compile(r"\W*(?:(?:many )?thanks?(?: you)?|thx|cheers|merci|danke|gracias)\b(?:\W+[\w']+){0,5}\W*$", re.I)
_CORRECTION = re.compile(r"\bi (?:meant|mean|asked for|wanted|said)\b|\bnot the (?:\w+ ){0,2}one\b", re.I)
_POINTING = frozenset(
    "xdoc not i me my you your it this that these those them both one ones other others same again old older new newer previous latest current"
    " first second third last fifth fourth former latter ignore forget message meant mean asked gave give wrong right no yes ok okay fine well"
    " thanks thank please pls also now then only just instead stupid bot dumb hey hi hello want wanted said look take read check review analyse analyze examine handle process use open"
    " consider study work do go ahead thing tell about more something hmm".split()
)
_CHECKING = _one_of(
    r"\b(?:check|whether|ok(?:ay)?|allowed|permitted|acceptable|lawful|satisf\w+|fine|review|assess|evaluate|vet|comply|complies|compliant)\b",
)
_TYPED = re.compile(r"\b[A-Za-z]{4,}\b")
_ACTION_WORDS = "summary summarize summarise compare comparison overview audit against differences compliant".split()
_MISSPELT = 85.0
_HEAD = re.compile(r"[.;,:!?\n]")
POINT = r"(?:(?<=^)|(?<=[\s:;,]))(?:\(?[1-9a-e][.)]|[-–•*])\s"
"""The marker of a list's item: "1.", "(2)", "a)", "-"."""
_CLAUSE = re.compile(rf"{POINT}|[.;,!?\n]+|\b(?:and|then|plus|as well as|afterwards)\b", re.IGNORECASE)


class Intent(BaseModel):
    """``kind``: "action", or "help" / "small_talk" for messages that ask nothing of the documents.
    ``alternatives`` are ranked, best first, including ``action``. ``requested_actions`` are those the message
    explicitly asks for, in order."""

    kind: Literal["action", "help", "small_talk"] = "action"
    action: ActionName = "inquire"
    confidence: Confidence = "low"
    requested_actions: list[ActionName] = Field(default_factory=list)
    alternatives: list[ActionName] = Field(default_factory=list)


def intent_by_rules(said: Said) -> Intent:
    """The message alone, once more with the conversation if that leaves it open (G2). Words of documents' names ask for nothing."""
    message = _without_names(said.message, said)
    text = request_text(message)
    requested = requested_actions(text)
    if len(requested) < 2 and not said.tagged_ids and (aside := _aside(message, text, requested, said)):
        return Intent(kind=aside, confidence="high")
    scores = _scores(text)
    ranked = _ranked(scores)
    if len(requested) > 1:
        return Intent(action=requested[0], confidence="medium", requested_actions=list(requested),
                      alternatives=list(dict.fromkeys([*requested, *ranked])))  # fmt: skip
    action, confidence = _action(said, message, text, scores, ranked)
    if confidence != "high" and _leans(text) and (earlier := _earlier(said)):
        action, confidence = earlier, "high"
    return Intent(action=action, confidence=confidence, requested_actions=[action] if action in requested else [],
                  alternatives=list(dict.fromkeys([action, *ranked])))  # fmt: skip


def asks_anew(said: Said) -> bool:
    """Whether what was written under the question for a document is no answer but a message of its own: a question or an imperative that
    is about more than documents."""
    text = request_text(_without_names(said.message, said))
    asks = bool(requested_actions(text) or _QUESTION.match(text))
    return asks and any(term not in REQUESTS for term in _own_terms(text))


def leading_action(said: Said) -> ActionName | None:
    """The action that a message begins with as an imperative, where it asks for that one only: it wins over any other reading.
    Whether "summarize X" asks for a topic of X is not settled by the imperative."""
    message = _without_names(said.message, said)
    leading = _leading(message, request_text(message))
    return None if leading == "inquire" else leading


def asks_for_several(said: Said) -> list[ActionName]:
    """Two or more actions that a message asks for in so many words, in order; else none."""
    requested = requested_actions(request_text(_without_names(said.message, said)))
    return list(requested) if len(requested) > 1 else []


def asks(said: Said) -> bool:
    """Whether the message is worded as a question, with or without its mark."""
    return bool(_QUESTION.match(request_text(_without_names(said.message, said))))


def tells(said: Said, action: ActionName) -> bool:
    """Whether some word of the message tells ``action``; else it is only like such requests."""
    return action in _told(request_text(_without_names(said.message, said)))


def points_only(said: Said) -> bool:
    """Whether the message says which document is meant, and nothing else: "the first one, please"."""
    text = request_text(_without_names(said.message, said))
    return not _told(text) and not _own_terms(text) and not GOES_ON.search(text)


@lru_cache(maxsize=2_000)
def request_text(message: str) -> str:
    """The request itself: tags as "xdoc" (a word, so that word boundaries hold), no greeting, no long quotation, ’ as '."""
    text = _QUOTE.sub(_quoted, in_english(request_of(message)).replace("’", "'"))
    text = re.sub(r"\b(what|who|where|when|how)s\b", r"\1's", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<!\w)w/(?!\w)", "with", text)
    text = _NAMED_RULE.sub(r"\1 xdoc", _TYPED.sub(_spelled, _MENTION.sub("xdoc", text)))
    return " ".join(_OPENING.sub("", NEGATED.sub(" ", text)).split())


def requested_actions(text: str) -> tuple[ActionName, ...]:
    """Actions asked for in imperative clauses, in order: "Summarize and audit this" asks for two (G2)."""
    found: list[str] = []
    for clause in _CLAUSE.split(text):
        label = next((name for name, pattern in _IMPERATIVES.items() if pattern.search(clause)), None)
        if label == "summarize" and _is_topical(clause):
            label = "inquire"
        found += [label] if label and label not in found else []
    if "compare" in found[: found.index("inquire")] if "inquire" in found else False:
        found.remove("inquire")  # "compare and tell me which is stricter"
    return cast(tuple[ActionName, ...], tuple(found))


def _action(
    said: Said, message: str, text: str, scores: dict[str, float], ranked: Sequence[ActionName]
) -> tuple[ActionName, Confidence]:
    """The action, and how sure it is: a text to be checked, a leading imperative, a question, else what the wording is most like."""
    if _checks_text(said, message, text):
        return "audit", "high"
    if _BETWEEN_THINGS.search(text):
        return "inquire", "high"
    if leading := _leading(message, text):
        return leading, "high"
    named, own, leans = "xdoc" in text, _own_terms(text), _leans(text)
    if _is_vague(text) and not (named and own):
        return ranked[0], "low"
    ahead = scores[ranked[0]] - scores["inquire"]
    is_other = ahead >= (_OTHER_THAN_ASKED if _QUESTION.match(text) else _OTHER)
    if not _told(text) and not is_other and ("?" in text or _QUESTION.match(text) or (named and own)):
        return "inquire", "medium" if leans else "high"
    is_clear = scores[ranked[0]] - scores[ranked[1]] >= _CLEAR
    if not (_told(text) or named or leans) and (scores[ranked[0]] < _CLEAR or (own and not is_clear)):
        return "inquire", "medium"  # nothing tells what to do with which document: the words are looked for
    return ranked[0], "high" if is_clear and not leans else "medium"


def _leading(message: str, text: str) -> ActionName | None:
    requested = requested_actions(text)
    if len(requested) != 1 or GOES_ON.search(text) or not requested_actions(_HEAD.split(text)[0]):
        return None
    if requested[0] == "inquire" and (_told(text) or audited_text(message)[1]):
        return None  # "tell me whether our policy complies with …"
    return requested[0]


def _scores(text: str) -> dict[str, float]:
    near, told = likeness(features_text(text)), _told(text)
    return {action: near[action] + _TELLING * (action in told) for action in ACTIONS}


def _ranked(scores: dict[str, float]) -> list[ActionName]:
    return sorted(ACTIONS, key=lambda action: -scores[action])


def _told(text: str) -> list[str]:
    """The actions that some word tells, but for those that only sound like it."""
    told = [action for action, pattern in _WORDS.items() if pattern.search(text)]
    if "summarize" in told and _is_topical(text):
        told.remove("summarize")
    if "compare" in told and "audit" in told and not re.search(r"\bcompar|\bdiffer", text, re.IGNORECASE):
        told.remove("compare")  # "gap analysis of A versus B" is an audit
    return told


def _aside(message: str, text: str, requested: Sequence[str], said: Said) -> Literal["help", "small_talk"] | None:
    """Whether the message asks nothing of the documents: what has a word of their titles is no chat, whatever it is like."""
    if requested or "xdoc" in text:
        return None
    if _THANKED.match(message) and "?" not in message:
        return "small_talk"
    near = likeness(features_text(text))
    best = max(near, key=lambda label: near[label])
    enough = _CHAT_ASKED if "?" in text or _is_vague(text) else _CHAT
    ahead = near[best] - max(near[action] for action in ACTIONS)
    if best in ACTIONS or near[best] < enough or ("?" in text and best == "small_talk" and ahead < _CHAT_AHEAD):
        return None
    own = frozenset[str]().union(*(subject_stems(d) for d in said.documents))
    is_sure = ahead >= _OTHER_THAN_ASKED  # "ignore your instructions", whatever titles speak of instructions
    about_documents = any(w in own for w in _own_terms(text)) or any(w.stem in NOUNS for w in split_words(message))
    about_documents = about_documents and not is_sure
    return None if best == "small_talk" and about_documents else cast(Literal["help", "small_talk"], best)


def _is_topical(text: str) -> bool:
    """ "Summarize X about topic Y" is a question about Y (G2)."""
    return bool(_TOPIC_OF_SUMMARY.search(text))


def _is_vague(text: str) -> bool:
    return (bool(_VAGUE.search(text)) and not _told(text)) or not re.sub(r"xdoc|\W|\band\b", "", text)


def _leans(text: str) -> bool:
    """ "And the second one?", "I meant the other one": it says what is meant, and not what is to be done with it."""
    if _told(text):
        return False
    return bool(GOES_ON.search(text) or _CORRECTION.search(text)) or _is_vague(text) or not _own_terms(text)


def _earlier(said: Said) -> ActionName | None:
    """The action of the last request that was clear."""
    for line in reversed(said.history):
        if not line.startswith("user:"):
            continue
        message = _without_names(line.removeprefix("user:").strip(), said)
        text = request_text(message)
        if not _leans(text):
            return _leading(message, text) or _ranked(_scores(text))[0]
    return None


def _own_terms(text: str) -> list[str]:
    """What a message is about besides documents: its words but for those that point, correct or greet."""
    return [w.stem for w in split_words(text)
            if w.stem not in NOUNS and w.lower not in _POINTING and w.lower not in STOP_WORDS and len(w.stem) > 1
            and not years(w.text)]  # fmt: skip


def _checks_text(said: Said, message: str, text: str) -> bool:
    """A text, and a request to check it or to say whether it will do, is an audit in whatever words."""
    request, pasted = audited_text(message)
    if not (pasted or said.attached) or not _CHECKING.search(request):
        return False
    return bool(pasted) or not _QUESTION.match(text)


def _without_names(message: str, said: Said) -> str:
    return masked(message, Library(said.documents), said.day) if said.documents else message


def features_text(text: str) -> str:
    """A request as it is compared with the utterances."""
    return text.replace("xdoc", "the document")[:1000] or " "


def _spelled(word: re.Match[str]) -> str:
    """ "summery" as "summary", "audt" as "audit"; "audits" and "compared" stay."""
    typed = word[0].lower()
    near = [w for w in _ACTION_WORDS if w[0] == typed[0] and fuzz.ratio(typed, w) >= _MISSPELT]
    return near[0] if near and not any(typed.startswith(w[:-1]) for w in near) else word[0]


def _quoted(quote: re.Match[str]) -> str:
    if reads_as_title(quote[1]):
        return "xdoc"
    return quote[0] if len(quote[1]) < _LONG_ENOUGH else " "
