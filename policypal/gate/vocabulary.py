"""One word per concept, so that "clients" and "data subjects" or "tell" and "notify" meet (A4).

The groups are general to compliance; none belongs to a particular regulation.
"""

from __future__ import annotations

import re
from functools import lru_cache

from policypal.search.terms import terms

_PHRASES: dict[str, str] = {
    "personaldata": r"(?:personal|customers?'?|clients?'?|users?'?|consumers?'?) (?:data|information)|(?:customer|client|user|consumer)s?'? records|data (?:of|about|on) (?:our )?(?:customers|clients|users|individuals)",
    "subjectrequest request customer": r"(?:data )?subject (?:access )?requests?|access requests?|requests? (?:for|of) access(?: to (?:personal |their |his or her )*data)?|requests? (?:under|pursuant to) articles? 1[5-9](?: (?:to|and|or) \d\d)?|requests? (?:from|by|of) (?:a |the )?(?:data subjects?|individuals?)",
    "customer": r"data subjects?|policy ?holders?|account holders?|end users?",
    "authority": r"(?:supervisory|competent|regulatory|data protection|supervising) authorit(?:y|ies)|central bank|the regulators?|the supervisor",
    "fiu": r"financial intelligence unit|fiu",
    "duediligence": r"(?:customer )?due diligence|know your customer|kyc|cdd",
    "aml": r"(?:anti[- ])?money[- ]laundering|aml(?:/cft)?",
    "suspicioustransaction": r"suspicious (?:transactions?|activit(?:y|ies))(?: reports?)?",
    "pep": r"politically exposed (?:persons?|customers?|clients?)|peps?",
    "mfa": r"(?:multi|two)[- ]factor authentication|mfa|2fa|strong(?: customer)? authentication",
    "dpia": r"(?:data protection|privacy) impact assessments?|dpias?",
    "dpo": r"data protection officers?|dpo",
    "cet1": r"common equity tier (?:1|one)|cet ?1",
    "ltv": r"loan[- ]to[- ]value(?: ratios?)?|ltv(?: ratios?)?",
    "vendor": r"service providers?|third[- ]part(?:y|ies)(?: providers?)?",
    "onboard": r"open(?:s|ed|ing)? (?:of )?(?:an? |the |new |customer )*accounts?|accounts? (?:is |are |was |were )?open(?:ed|ing|s)?|establish(?:es|ed|ing|ment of)? (?:an? |the )*(?:business|customer) relationships?|(?:business|customer) relationships? (?:(?:has|have|is|are|was|were|being|been) )+(?:established|begun|started|entered into)|on-?boarding|onboard(?:ed|s)?",
    "board": r"board of directors|management body|governing body|supervisory board",
    "continuity": r"business continuity|disaster recovery",
    "unsolicited telephone": r"cold[- ]call(?:s|ing|ed)?",
    "unsolicited": r"unsolicited|unrequested|uninvited|without (?:a |any |their |his or her )?(?:prior |previous )?(?:request|invitation|being asked)",
    "suboutsource": r"sub-?outsourc\w+|sub-?contract\w*|sub-?processors?|(?:engag\w+ )?(?:other|another) processors?",
    "abroad": r"abroad|overseas|offshore\w*|cross-border|outside (?:of )?(?:the |our )?(?:(?:republic|kingdom|commonwealth|state|principality) of \w+|country|union|eu|eea|republic|jurisdiction|territory)\w*|third countr(?:y|ies)|foreign countr(?:y|ies)|in (?:another|other) countr(?:y|ies)",
    "ownfunds": r"own funds|regulatory capital|capital base",
    "riskweighted": r"risk[- ]weighted (?:assets|exposures?(?: amounts?)?)|rwas?",
    "not charged": r"free of (?:any )?charge|at no (?:extra |additional )?(?:cost|charge)|without (?:any )?(?:charge|cost|fee)s?|for free|free of cost",
    "charge": r"costs? (?=(?:EUR|USD|GBP|€|\$|£)|\d)",
    "preticked": r"pre-?(?:ticked|checked|selected)",
    "necessary": r"no longer (?:needed|required|necessary|relevant)|(?:as|than) (?:is |are )?(?:necessary|needed|required)|strictly necessary",
    "confidential": r"non-?disclosure|confidentiality",
    "handle": r"deal(?:s|t|ing)? with|look(?:s|ed)? into|attend(?:s|ed)? to|take(?:s|n)? care of",
    "continuous": r"on an ongoing basis",
}  # fmt: skip
_PHRASE = re.compile("|".join(rf"\b(?P<g{i}>{p})\b" for i, p in enumerate(_PHRASES.values())), re.I)
_PHRASE_NAMES = list(_PHRASES)

_GROUPS: dict[str, str] = {
    "retain": "retain retention keep kept store stored storage host hosted hosting hold held holding preserve archive maintain maintained",
    "notify": "notify notification inform report reported tell told disclose disclosure reveal share shared communicate announce submit submission file filed mention advise alert state stated escalate divulge",
    "respond": "respond response reply answer",
    "delete": "delete deletion erase erasure destroy destruction purge dispose disposal shred",
    "customer": "customer client consumer individual investor borrower",
    "staff": "staff employee personnel worker colleague workforce",
    "vendor": "vendor supplier processor provider",
    "authority": "authority regulator",
    "breach": "breach incident",
    "train": "train training trained course refresher",
    "review": "check checked review assess assessment evaluate evaluation reassess appraise reviewed",
    "verify": "verify verification confirm validate",
    "approve": "approve approval authorise authorisation authorize authorization permission",
    "complain": "complaint complainant complain grievance",
    "register": "register inventory log",
    "appoint": "appoint designate nominate appointment",
    "contract": "contract agreement",
    "charge": "charge charged fee",
    "publish": "publish publication published release",
    "personaldata": "pii",
    "encrypt": "encrypt encryption encrypted",
    "gift": "gift hospitality voucher bonus inducement",
    "telephone": "telephone phone call",
    "contractor": "contractor freelancer consultant",
    "anonymous": "anonymous anonymise anonymised anonymize anonymisation",
    "consent": "consent",
    "refer": "refer referral",
    "offer": "offer",
    "pay": "pay payment paid remit",
    "restore": "restore restoration recover recovery",
    "accept": "accept acceptance accepted",
    "policy": "policy",
    "advert": "advertisement advertising advert marketing promotion promotional promote",
    "complete": "complete completion completed undergo",
    "grant": "grant granted lend lent",
    "outsource": "outsource outsourcing outsourced",
    "withdraw": "withdraw withdrawal cancel cancellation",
    "copy": "copy copies",
    "end": "end termination terminate expiry expire",
    "backup": "backup backups",
    "leave": "leaver departure leave left",
    "use": "use used usage apply applied application",
    "perform": "perform conduct carry carried undertake undertaken execute",
    "independent": "independent independence independently",
    "warn": "warn warning disclaimer",
    "separate": "separate segregate segregated segregation separately",
    "write": "written writing",
    "restrict": "restrict limit limited restriction",
    "install": "install installed deploy applied",
    "handle": "process processing processed handle handled",
    "document": "document documented documentation",
    "deviate": "deviate deviation exception",
    "return": "return yield",
    "person": "person people",
    "sign": "sign signed signature signatory",
    "test": "test tested testing",
    "label": "label labelled labelling mark marked marking",
    "screen": "screen screened screening",
    "secure": "secure secured security",
    "supervis": "supervise supervised supervision",
    "licenc": "licence license licensed licensing unlicensed",
    "show": "show shown display displayed present presented exhibit",
    "remove": "remove removed detach dismantle",
    "allow": "allow allowed permit permitted let",
    "buy": "buy bought purchase purchased acquire procure procurement",
    "start": "start begin began begun commence commencement",
    "stop": "stop stopped cease halt discontinue suspend",
    "recruit": "recruit recruitment hire hired candidate applicant",
    "dismiss": "dismiss dismissal sack",
    "operate": "operate drive driven driver operation operator",
    "discharge": "discharge emit dump",
    "mix": "mix mixed commingle pool pooled combine",
    "trade": "trade trading",
    "repair": "repair fix mend rectify rectification",
    "examine": "inspect inspection examine examination",
    "reimburse": "refund reimburse reimbursement repay repayment",
    "guarantee": "guarantee guaranteed promise promised",
}  # fmt: skip
_IRREGULAR = (
    "wear worn wore|break broken broke|choose chosen chose|throw thrown threw|bring brought|seek sought|teach taught|build built|"
    "meet met|lose lost|spend spent|speak spoken spoke|steal stolen stole|draw drawn drew|bear borne bore|lay laid|lead led|"
    "feed fed|know known knew|see seen saw|find found|win won|drink drunk|eat eaten|wake woken|send sent|take taken took|"
    "make made|give given gave|run ran|rise risen rose|say said|think thought|put|set|cut|shut|let"
)
"""Verbs whose forms no stemmer joins, those in no group above."""
_CONCEPT: dict[str, str] = {}
for _name, _words in _GROUPS.items():
    for _term in terms(_words):
        _CONCEPT.setdefault(_term, _name)

for _forms in _IRREGULAR.split("|"):
    _base, *_others = terms(_forms) or ["", ""]
    for _term in _others:
        _CONCEPT.setdefault(_term, _base)


@lru_cache(maxsize=20_000)
def concepts(text: str) -> tuple[str, ...]:
    """The concepts of ``text`` in order, stop words left out. "unencrypted" yields "encrypt" (see negations)."""
    named = _PHRASE.sub(_name_of, text.replace("’", "'"))
    return tuple(_concept(t) for t in terms(named) if not t[0].isdigit())


def _name_of(match: re.Match[str]) -> str:
    return f" {_PHRASE_NAMES[int((match.lastgroup or 'g0')[1:])]} "


def _concept(term: str) -> str:
    if term in _CONCEPT:
        return _CONCEPT[term]
    for prefix in ("un", "non"):
        base = term.removeprefix(prefix)
        if base != term and base in _CONCEPT and len(base) > 4:
            return _CONCEPT[base]
    return term
