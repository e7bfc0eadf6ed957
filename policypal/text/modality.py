"""What a sentence does: oblige, prohibit, recommend, permit, define or state; and whom it binds (D11, D12).

Structure decides: modal verbs of the main clause, imperatives that somebody is addressed by, the introduction of a list. A sentence
without any of these obliges nobody, however important it sounds.
"""

import re
from functools import lru_cache

from policypal.domain.provisions import Kind
from policypal.text.lexicon import is_action, is_thing

# A modal verb right behind a relative pronoun governs the relative clause, not the sentence: "requirements that should be met".
# The first letters are looked at before anything else: these patterns try every word of every document.
_MODAL = re.compile(
    r"\b(?-i:(?=[mM][uUaA]|[sS][hH]|[oO][uU]|[wW][iI]|[iI][sS]|[aA][rRlLgG]|[bB][eE]|[hH][aA]|[nN][eE]|[uU][nN]|[cC][oO]))(?<!\bthat )(?<!\bwhich )(?<!\bwho )(?<!\bas )(?<!\bwhat )"
    r"(?P<verb>must|shall|should|ought to|(?<!\d )may|will|(?:is|are|be) (?:\w+ly )?(?:required|obliged|obligated|mandated|expected|encouraged|recommended|advised|permitted|allowed|entitled) to"
    r"|(?:has|have) to|(?<!the )(?<!a )(?<!no )needs? to|(?:is|are) (?:\w+ ){0,2}(?:responsible|accountable) for|ha(?:s|ve) (?:the|an?) (?:duty|obligation|responsibility) to|(?:is|are) (?:strictly |expressly )?(?:prohibited|forbidden|banned|not (?:allowed|permitted|acceptable|sufficient)|insufficient|unacceptable)|allows? up to"
    # what contracts and commitments promise, and what is to be done
    r"|(?:undertakes?|agrees?|covenants?|commits?) to|(?:is|are) (?!(?:un)?likely)(?:\w+ly )?to(?= be (?:\w+ly )?(?!noted|expected|hoped|found|seen|welcomed)(?:\w+ed|made|given|kept|held|drawn|set|taken|sent|put|done|shown|written|built)\b))\b"
    r"(?=(?P<rest>[^.;]{0,60}))",
    re.I | re.S,
)
_NEGATED = re.compile(
    r"\W*(?:\w+ly )?(?:not|never|under no circumstances|in no (?:case|event|way)|neither)\b(?! (?:later|less|fewer|more) than| only)",
    re.I,
)
_SUBORDINATE = re.compile(
    r"^\W*(?:where|when|whenever|if|in case|in the (?:event|case)|upon|on|once|before|after|until|unless|except|although|though|while|whilst|as|because|since|to the extent)\b[^,]*?,\s*",
    re.I | re.S,
)
_TRAILING = re.compile(
    r",?\s(?:where|if|unless|except|in case|provided that|when|whether|insofar as|to the extent|so that|in order that|such that|because|since|as well as where)\b.*$",
    re.I | re.S,
)
# What "shall" and "must" state rather than demand: what applies, what counts as what, what somebody may or need not do.
_STATES = re.compile(
    r"\W*(?:not |also |only |then |thereafter |in addition |always |nevertheless |likewise )*"
    r"(?:apply(?! (?:the|an?|its|their|such|any|all|each|every|these|this)\b)|mean|constitute|prejudice|affect|preclude|prevent|prevail|extend to|consist of|come into|enter into force|take effect|have effect|cease to|lapse|expire|remain (?:in|valid)|stand|arise|vest|exist"
    r"|be (?:\w+ly )?(?:deemed|considered|regarded|construed|treated as|entitled|in?valid|void|final|binding|applicable|without|known as|called|cited as|the sole|understood|read|interpreted|sufficient|punishable|liable|composed|vested|borne|subject to|necessary|precluded|prevented|prohibited from|lawful|eligible|free of|permitted|allowed|repealed|based on|one of|at least one)"
    r"|have (?:the )?(?:right|power|same|full|meaning|effect|force|legal|all the powers|jurisdiction|a right)\b)",
    re.I,
)
_RELEASES = re.compile(r"\W*not (?:be|been) (?:required|obliged|obligated)\b|\W*not (?:have|need) to\b", re.I)
_DENIES = re.compile(r"\W*not be (?:\w+ly )?(?:permitted|allowed)\b", re.I)
_REQUIRES = re.compile(
    r"\b(?=require)(?<=\w )(?<!which )(?<!that )(?<!who )(?<!to )(?<!not )(?<!should )(?<!shall )(?<!must )(?<!may )(?<!can )(?<!will )requires? (?P<party>[^.;:]{3,80}?) to (?:\w+ly )?[a-z]+\b",
    re.I,
)
# Most sentences hold neither, nor does their main clause then.
_STATED = re.compile(f"{_MODAL.pattern}|{_REQUIRES.pattern}", re.I | re.S)
# A permission or a state that holds under one condition only is a duty to keep to it.
_ONLY = re.compile(
    r"\bonly\s+(?:\w+ly\s+)?(?:if|where|when|under|after|upon|with|on|for|to|by|in|once|as|between|at|during|from|within|through|before|until|against)\b",
    re.I,
)
_GRANTS = re.compile(
    r"\W*(?:also |then )?(?:have (?:the |a |all (?:of )?the )?(?:following )?(?:\w+ )?(?:right|power)|be entitled)",
    re.I,
)
_NEVER = r"under no circumstances|in no (?:case|event|way)|at no time|on no account"
_NO_SUBJECT = re.compile(rf"^\W*(?:no|none of|neither|nobody|nothing|{_NEVER})\b[^,.;]{{0,120}}$", re.I)
# What may be so or not, rather than what is forbidden: "The figures may not be comparable".
_UNCERTAIN = re.compile(
    r"\W*not (?:always |necessarily |yet )*be (?:(?!responsible|accountable|liable|answerable)\w+(?:able|ible)|accurate|complete|sufficient|adequate)\b",
    re.I,
)
_DEFINES = re.compile(
    r"^\W*(?:(?:the )?(?:terms?|expressions?|words?) )?[“\"‘'«][^”\"’'»]{2,80}[”\"’'»]\W*(?:\([^)]*\)\W*)?(?:shall )?(?:also )?(?:means?|has the (?:same )?meaning|refers? to|includes?|is defined|are defined|is)\b"
    r"|^.{0,100}\b(?:shall have the (?:same )?meanings?|(?:is|are) defined (?:as|in)|for the purposes? of (?:this|these|the)\b.{0,80}\b(?:means?|includes?|refers to))\b",
    re.I | re.S,
)
_IMPERATIVE = re.compile(
    r"^\W*(?:(?:where|when|if|upon|before|after|for|in|on|at|within|prior to|as)\b[^,]{0,160},\s*)?(?:(?!only\b)(?:\w+ly|also|then|never|always|at a minimum|at least)[, ]\s*)?(?P<not>do not |never )?(?P<verb>[A-Za-z][\w-]+)\b(?P<rest>.*)",
    re.I | re.S,
)
# Behind a noun that looks like a verb: "Access of leavers is revoked", "Record keeping", "Use cases".
_NOUN_FOLLOWS = re.compile(
    r"^\s*(?:of|is|are|was|were|has|have|had|can|may|must|shall|should|will|for the purposes|\(|[–—:|]|$"
    r"|(?:to|for|by|in|on|with|and)\s(?:(?!\b(?:that|which|who|how|what|where|if|when|whether)\b)[^,;:.]){0,80}?\b(?:is|are|was|were|has|have|can|may|must|shall|should|will)\b)",
    re.I,
)
# An object behind a verb, which no noun has: "Check the vault", "Sign each page".
_OBJECT = re.compile(
    r"^(?: or \w+| and \w+)? (?:the|an?|each|every|any|all|its|their|your|this|these|those|them|it|that)\b", re.I
)
_LONE_VERB = re.compile(r"^\W*(?P<verb>[A-Z][a-z]+):$")
_PURPOSE = re.compile(
    r"\b(?:this|these|the) (?:\w+ ){0,3}(?:document|chapter|section|procedure|policy|standard|paper|guidance|annex|appendix|paragraph|article)s?\b\W*$",
    re.I,
)
# What happens to a thing rather than being done by somebody; "will" then foretells.
_HAPPENS = frozenset(
    "allow appear become be contain continue enable enhance guarantee have help improve increase need produce receive reduce remain result".split()
)
_DEPENDENT = re.compile(r"\b(?:that|which|who|how|what|whether|whose|why)\b", re.I)


def norm_of(text: str) -> Kind | None:
    """What the modal verbs of the main clause make of a sentence; None where there is none that counts."""
    flat = " ".join(text.split())
    if not _STATED.search(flat):
        return None
    main = main_clause(flat)
    conditional = bool(_ONLY.search(text))
    found = {_of_modal(main, match, conditional=conditional) for match in _MODAL.finditer(main)}
    if _REQUIRES.search(main):
        found.add(Kind.OBLIGATION)
    by_weight = (Kind.PROHIBITION, Kind.OBLIGATION, Kind.RECOMMENDATION, Kind.PERMISSION)
    return next((kind for kind in by_weight if kind in found), None)


def _of_modal(main: str, match: re.Match[str], *, conditional: bool) -> Kind | None:
    verb, rest, before = match["verb"].lower(), match["rest"], main[: match.start()]
    if re.fullmatch(r"(?:is|are) (?:\w+ly )?to|(?:undertake|agree|covenant|commit)s? to", verb) and _DEPENDENT.search(
        before
    ):
        return None
    if verb.startswith("be ") and before.endswith("not "):
        return None  # said by the "not" before it
    if re.search(
        r"prohibited|forbidden|banned|not (?:allowed|permitted|acceptable|sufficient)|insufficient|unacceptable", verb
    ):
        return Kind.PROHIBITION
    if verb in ("must", "shall", "may") and _NO_SUBJECT.match(before.rsplit(",", 1)[-1]) and not _STATES.match(rest):
        return Kind.PROHIBITION
    if verb == "may":
        if re.match(r"\s+only\b", rest):
            return Kind.OBLIGATION
        if _UNCERTAIN.match(rest):
            return None
        if _NEGATED.match(rest):
            return Kind.PROHIBITION
        return Kind.OBLIGATION if conditional else Kind.PERMISSION
    if verb == "should" or re.search(r"ought|expected|encouraged|recommended|advised", verb):
        return Kind.RECOMMENDATION
    if re.search(r"permitted|allow|entitled", verb):
        return Kind.PERMISSION
    if verb == "will":
        first = re.match(r"\s+(?:also |then |\w+ly )*(?:not )?([a-z]+)", rest)
        acts = first and is_action(first[1]) and first[1] not in _HAPPENS
        return Kind.OBLIGATION if acts and not _PURPOSE.search(before) and not _DEPENDENT.search(before) else None
    if _GRANTS.match(rest):
        return Kind.PERMISSION
    if _DENIES.match(rest):
        return Kind.PROHIBITION
    if _RELEASES.match(rest) or (_STATES.match(rest) and not conditional):
        return None
    return Kind.PROHIBITION if _NEGATED.match(rest) and verb in ("must", "shall") else Kind.OBLIGATION


@lru_cache(maxsize=1_024)
def main_clause(text: str) -> str:
    """A sentence without the conditions before and behind its main clause, in one line."""
    main = without_condition(" ".join(text.split()))
    cut = _TRAILING.sub("", main)
    return cut if cut == main or _MODAL.search(cut) else main


def without_condition(text: str) -> str:
    """The text without the condition it begins with: "Where an incident is serious, the bank …"."""
    while (shorter := _SUBORDINATE.sub("", text, count=1)) != text:
        text = shorter
    return text


def after_modal(text: str) -> str | None:
    """What follows the last modal verb of a text; None where it has none."""
    verbs = [match.end("verb") for match in _MODAL.finditer(text)]
    return text[verbs[-1] :] if verbs else None


def defines(text: str) -> bool:
    """Whether a sentence gives a term its meaning."""
    return bool(_DEFINES.match(text))


def is_imperative(text: str, *, addressed: bool = True) -> bool:
    """Whether a sentence begins with a verb in its base form, so that it tells whoever is addressed what to do. Where nobody is
    ``addressed`` (no list, no line of scope), only what cannot be a noun counts: "Do not …", "Check the …", "Verify that …"."""
    match = _IMPERATIVE.match(text)
    if not match or not is_action(match["verb"]) or _NOUN_FOLLOWS.match(match["rest"]):
        return False
    return addressed or bool(match["not"]) or bool(_OBJECT.match(match["rest"]))


def norm_of_cell(cell: str) -> Kind | None:
    """What a cell of a table makes of its row. One that tells somebody what to do demands; a title of few words ("Review log") does not."""
    told = len(cell.split()) >= _CELL_WORDS and is_imperative(cell)
    return norm_of(cell) or (Kind.OBLIGATION if told else None)


def is_lone_verb(text: str) -> bool:
    """Whether an introduction is a verb in its base form and nothing else ("Specify:")."""
    match = _LONE_VERB.match(text)
    return bool(match and is_action(match["verb"]))


_MARKED = re.compile(r"^\W*(?:\(?\w{1,4}[.)]\s*)*")
_RELATIVE = re.compile(r"\s*,?\s\b(?:which|who|that|whose|to whom|referred to|as referred)\b.*$", re.I | re.S)
_PASSIVE = re.compile(
    r"\s+(?:not |also |only |\w+ly )*be (?:\w+ly )?(?:\w+ed|made|given|kept|held|drawn|set|taken|sent|put|done|shown|written|built|in)\b",
    re.I,
)
_AGENT = re.compile(
    r"\bby (?P<agent>(?:the|an?|each|every|any) (?:(?!of|in|on|for|within|at|after|before|to|with|who|that|which)\w[\w’'/-]*\s?){1,6}|it\b)",
    re.I,
)
_ARTICLE = re.compile(r"^(?:no|the|an?|each|every|any|all|such|that|this|those|these|its|their|his|her)\s+", re.I)


# What a thing does, not a party: "That record shall contain …".
_CONTENT = re.compile(
    r"\W*(?:also |at least |only |not |in particular |\w+ly )*(?:contain|include|enable|describe|specify|state|indicate|comprise|cover|set out|show|receive|relate|take place|reflect|consist|correspond|occur|last|meet|have)\b|\W*(?:at least|in particular)\W*$",
    re.I,
)
_LEAD_IN = re.compile(
    r"^\W*(?:taking|having|without|notwithstanding|in|for|on|upon|by|with|where|when|if|to|at|as|under|subject to|following|prior|before|after|during|within|unless|except|based|pursuant|according|further)\b[^;]*,\s+(?=(?:the|an?|each|every|any|all|no|such|its?|they|we)\s|[A-Z])",
    re.I | re.S,
)
_RESPONSIBLE = re.compile(r"^(?P<who>.{2,160}?)\s+(?:has|have|is|are|perform|include)\b", re.I | re.S)
_VERIFY = re.compile(
    r"^\W*(?:\w+ly )?(?:verify|ensure|check|confirm)(?:,? [^,]{0,40},)? that (?:only )?(?P<what>(?:(?!(?:is|are|can|does|do|has|have|must|will|when|if|where|that|which|for|in|on|there|it)\b)[\w’'-]+ ){1,4})",
    re.I,
)
_ADDRESSED = re.compile(r"^\W*(?:the|all|each|every)\s+(?P<who>[A-Za-z][\w ’'/-]{2,60}):$", re.I)
_SAYS_NOTHING = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|can|could|do|does|did|to|that|which|who|includes?|following|follows|means?|\w+ing)\b",
    re.I,
)
_PHRASE_WORDS = 6
_CELL_WORDS = 4
_THING = re.compile(r"^\W*(?:that|this|such|these|those)\b", re.I)


_OF = re.compile(r"\s(?:of|for|in|on|to|with|under|between|that|which|who)\s", re.I)
_PRONOUNS = frozenset({"it", "they", "he", "she", "this", "that", "these", "those", "he or she"})


def subject_of(text: str) -> tuple[str, bool]:
    """The words before the modal verb of the main clause, without its articles, and whether they are who acts (False for the passive
    and for what contains or states something). ("", False) where there is no modal verb."""
    main = _MARKED.sub("", main_clause(text))
    match = _governing_modal(main)
    if match is None:
        required = _REQUIRES.search(main)
        return (_ARTICLE.sub("", required["party"]).strip(), True) if required else ("", False)
    passive = _PASSIVE.match(match["rest"])
    if passive and (agent := _AGENT.search(main[match.end("verb") :])) and agent["agent"].lower() != "it":
        return _ARTICLE.sub("", agent["agent"]).strip(), True
    words = re.split(r";|\. |—|–", main[: match.start()])[-1]
    words = _LEAD_IN.sub("", words) if _LEAD_IN.match(words) else words
    acts = not passive and not _CONTENT.match(match["rest"]) and not _THING.match(words)
    words = _RELATIVE.sub("", " ".join(words.split())).strip(" ,")
    if re.fullmatch(_NEVER, words, re.I):
        return "", False
    return _ARTICLE.sub("", words)[:160], acts and words.lower() not in _PRONOUNS and not is_thing(head_noun(words))


def _governing_modal(main: str) -> re.Match[str] | None:
    """The first modal verb of the first clause that binds: "An inspector may ask; the operator must answer" is about the operator."""
    first = None
    begins = 0
    for match in _MODAL.finditer(main):
        if match.start() == 0:
            continue
        if first is None or ";" in main[begins : match.start()]:
            first, begins = first or match, match.start()
            kind = _of_modal(main, match, conditional=False)
            if kind is not None and kind.binds:
                return match
    return first


def head_noun(words: str) -> str:
    """The noun a subject turns on: "access of a person" is about access."""
    nouns = _OF.split(words, maxsplit=1)[0].split()
    return nouns[-1] if nouns else ""


def is_phrase(text: str) -> bool:
    """Whether an introduction has no verb of its own ("The branch clerk:", "Every Friday:"), so that its items speak for themselves."""
    bare = _MARKED.sub("", text)
    words = bare.split()
    return (
        0 < len(words) <= _PHRASE_WORDS
        and not is_action(words[0].strip(":"))
        and not _SAYS_NOTHING.search(bare)
        and not _MODAL.search(bare)
    )


def addressee_of(text: str) -> str:
    """Whom a sentence without a modal verb names: who "has the following responsibilities", "The branch clerk:", what is to be verified;
    else ""."""
    bare = _MARKED.sub("", " ".join(text.split()))
    if match := _VERIFY.match(bare):
        return _OF.split(_ARTICLE.sub("", match["what"]), maxsplit=1)[0].strip()
    if (match := _ADDRESSED.match(bare)) and is_phrase(bare) and not is_thing(head_noun(match["who"])):
        return match["who"].strip()
    if re.search(r"\bresponsibilit|\bduties\b|\btasks\b", bare, re.I) and (match := _RESPONSIBLE.match(bare)):
        return _ARTICLE.sub("", match["who"])
    return ""
