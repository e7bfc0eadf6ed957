"""What words mean in compliance prose: one concept for "notify", "inform" and "let know" (A6).

General to regulation and policy of any kind (data protection, anti-money-laundering, ICT risk, outsourcing, record
keeping, complaints, training); no concept belongs to a particular document.
"""

from __future__ import annotations

import re
from functools import lru_cache

from policypal.search.terms import terms

_PHRASES: tuple[tuple[str, str], ...] = (
    # Who
    ("datasubject", r"data subjects?|(?:natural |affected |concerned )(?:persons?|individuals?)|(?:persons?|individuals?) (?:concerned|affected)"),
    ("subprocessor", r"sub-? ?processors?|sub-? ?contractors?|sub-? ?suppliers?|(?:other|another|additional|further|third[- ]party) (?:data )?processors?|sub-?contracted processors?|sub-?service providers?"),
    ("subprocessor engage", r"sub-? ?process(?:ing|es|ed)?|sub-?contract(?:s|ed|ing)?|sub-?outsourc(?:e|es|ed|ing)"),
    ("authority", r"(?:(?:lead|national|competent|relevant|supervisory|regulatory|supervising|data protection|financial|judicial|public|responsible) )+(?:authorit(?:y|ies)|agenc(?:y|ies)|bod(?:y|ies)|regulators?|supervisors?)|data protection commissioners?|central banks?|dpas?(?= or| and the controller)|ombuds(?:man|person)? office"),
    ("fiu", r"financial intelligence units?|fius?"),
    ("board", r"management (?:body|board|committee)|(?:executive |supervisory )?board(?: of directors| of management)?|governing body|senior (?:management|managers?|executives?)|(?:top|executive) management|management level|executive (?:committee|management)|board members?"),
    ("dpo", r"data protection officers?|dpos?|privacy officers?"),
    ("provider", r"(?:external|outside|third[- ]party|ict|cloud)? ?service[- ]providers?|third[- ]party providers?"),
    ("thirdparty", r"third[- ]part(?:y|ies)"),
    ("beneficialowner", r"beneficial owners?(?:hip)?|(?:ultimately|beneficially) (?:own|control)(?:s|ed)?(?: or (?:own|control)s?)?|ultimate owners?"),
    ("pep", r"politically[- ]exposed (?:persons?|customers?|clients?)|peps?|prominent public (?:functions?|offices?|positions?)"),
    ("instruction", r"(?:documented |written |controller's |customer's )*directions?"),
    ("employee", r"(?:persons?|people|those|individuals?|employees) (?:\w+ )?(?:authori[sz]ed|who|having|with access|employed|performing|engaged|acting|processing|handling|accessing|working)|members? of (?:the )?(?:staff|personnel)|team members?|new (?:joiners?|hires?|starters?)|(?:authori[sz]ed )?personnel|staff members?"),
    # What
    ("personaldata", r"personal(?:ly identifiable)? (?:data|information)|(?:customer|client|user|subscriber|employee)(?:'?s'?)? (?:personal )?(?:data|information)|controller(?:'?s'?)? (?:personal )?data|personally identifiable"),
    ("impactassessment", r"(?:(?:data protection|privacy) )?impact (?:assessments?|analys[ei]s)|dpias?"),
    ("breach incident", r"(?:personal )?data (?:security )?(?:breach(?:es)?|leak(?:s|age)?|incidents?)|security (?:breach(?:es)?|incidents?)|breach(?:es)? of (?:data |the data )?security"),
    ("consult authority prior", r"prior consult(?:ation|ing)s?(?: (?:with|of) (?:the |a )?(?:supervisory authorit(?:y|ies)|regulators?))?"),
    ("subjectrights request datasubject", r"(?:requests?|enquir(?:y|ies)|inquir(?:y|ies)|applications?|demands?) (?:\w+ ){0,2}?(?:from|by|of) (?:\w+ )?data subjects?(?! right)"),
    ("subjectrights", r"(?:data subjects?'?s?'?|individuals?'?|privacy|their|his or her|such|these|the) rights|rights of (?:the )?(?:data subjects?|individuals?)|(?:subject )?access requests?|rights? (?:to|of) (?:access|erasure|rectification|portability|object(?:ion)?|be forgotten)|exercis(?:e|es|ing) (?:of )?(?:[\w'-]+ ){0,5}rights?"),
    ("technicalmeasure", r"(?:technical|organi[sz]ational|protective|security|safety)(?:(?: and|,| or|/|) ?(?:technical|organi[sz]ational|security|administrative|physical|protective))* (?:security )?(?:measures?|safeguards?|controls?|precautions?)|safeguards? of a technical"),
    ("security", r"information security|security of (?:the )?(?:processing|data)|data security|cyber ?security"),
    ("suspicion", r"suspicio(?:us|n)s?(?: (?:transactions?|activit(?:y|ies)|orders?))?(?: reports?)?|suspects?(?: \w+ing)?"),
    ("laundering", r"(?:anti[- ])?money[- ]laundering|launder(?:ing|ed)?|aml(?:/c[tf]+)?"),
    ("duediligence", r"(?:customer )?due diligence|know[- ]your[- ]customer|kyc|cdd"),
    ("relationship", r"business relationships?|customer relationships?|open(?:s|ed|ing)? (?:of )?(?:an? |the |new |customer )*accounts?|accounts? (?:is |are )?opened|on-?board(?:ing|ed|s)?"),
    ("continuity", r"business continuity|(?:disaster |service )?(?:continuity|contingency|recovery)(?: and recovery)? (?:plans?|arrangements?)|disaster recovery|keep (?:\w+ ){0,4}(?:functions?|services?|operations?) running"),
    ("rootcause", r"root[- ]causes?|why (?:it|this|they) (?:\w+ )?happened|causes? of|underlying causes?|lessons? learned"),
    ("vulnerability", r"vulnerabilit(?:y|ies)|(?:known )?weaknesses|penetration test(?:s|ing)?"),
    ("internet", r"internet[- ]facing|exposed to the internet|reachable from the internet|public networks?"),
    ("conflictofinterest", r"conflicts? of interests?|conflicting interests?|personal interests?"),
    ("thirdcountry transfer", r"leaves? the (?:eu|eea|european (?:economic area|union)|country|territory)|(?:international|cross-border) (?:data )?transfers?"),
    ("thirdcountry", r"third countr(?:y|ies)|outside (?:of )?(?:the |our )?(?:country|republic|jurisdiction|territory|union|eu|eea|european (?:economic area|union))|abroad|overseas|offshore"),
    ("processingrecord record", r"records? of (?:\w+ ){0,4}processing(?: activities)?|register of (?:\w+ ){0,4}processing(?: activities)?|processing (?:records?|register)"),
    ("legalrequirement", r"legal (?:requirements?|obligations?|dut(?:y|ies)|compulsion)|legally (?:obliged|required|bound|compelled)|(?:(?:union|member state|national|applicable|eu|mandatory|statutory)(?: or| and|,|) ?)+laws? (?:\w+ ){0,3}(?:requires?|obliges?|compels?)|required (?:to do so )?(?:by|under) (?:\w+ ){0,3}laws?|requires? by (?:\w+ ){0,5}laws?|compelled by law"),
    ("obligation", r"data protection (?:obligations?|duties|duty|terms)"),
    ("law", r"data protection (?:laws?|legislation|provisions?|rules?|regulations?|requirements?)|gdpr|(?:applicable|mandatory|national|union|member state)(?: or| and)?(?: \w+)? (?:laws?|legislation)|general data protection regulation"),
    ("highrisk", r"high(?:er)? risks?"),
    ("exit", r"exit (?:strateg(?:y|ies)|plans?)|(?:bring|brought|take|taken) (?:\w+ )?back in-?house|move (?:\w+ ){1,3}elsewhere"),
    ("confidential", r"non-?disclosure|professional secrecy|duty of secrecy|trade secrets?"),
    ("contract", r"legal act|data processing (?:agreements?|addend(?:um|a))|service level agreements?"),
    ("termination", r"(?:end|expiry|expiration|termination|completion|conclusion|cessation|close) of (?:the |this |these |its |any )*(?:\w+ ){0,2}?(?:services?|contracts?|agreements?|term|processing|relationships?|work|subscription|provision)|(?:services?|contracts?|agreements?|relationships?|subscription|term|work) (?:\w+ ){0,2}?(?:ends?|ended|expires?|expired|terminates?|terminated|cease|ceases)|has (?:left|ended)|no longer (?:required|needed|necessary)|at the end"),
    ("sanctionslist", r"sanctions? lists?|(?:persons? )?(?:under|subject to) sanctions|lists? of (?:\w+ ){0,2}sanction\w*|(?:embargo|watch) ?lists?"),
    ("freeofcharge", r"free of (?:any )?charge|at no (?:extra |additional )?(?:cost|charge)|without (?:any )?(?:charge|cost|fee)s?|for free|is free|(?:nobody|no one) (?:has to )?pays?|(?:never|not) (?:have to pay|charged)(?: anything)?|never pays?(?: anything)?|pays? nothing|free means"),
    ("freeform", r"free of form|any reasonable means|in any form|by (?:letter|post|e-?mail|telephone|phone)(?:,? (?:or |by )?(?:letter|post|e-?mail|telephone|phone|in person|in writing))+"),
    # Does what
    ("notify", r"(?:let|lets|letting) (?:\w+ ){1,3}know|giv(?:e|es|en|ing)(?= (?:\w+ ){0,3}notice)|writ(?:e|es|ing|ten) to(?= (?:them|the|him|her|each|all|affected|customers|clients))|(?:is|are|be) (?:told|briefed|warned)|mak(?:e|es|ing)(?= (?:\w+ ){0,3}aware)|sen(?:d|t|ds)(?= (?:\w+ ){0,4}(?:notice|notification))"),
    ("provide", r"mak(?:e|es|ing)(?= (?:[\w'’]+ ){0,8}?available)|made available|at (?:the|their) disposal|(?:is|are) available (?:through|upon|on|to|from)"),
    ("allow", r"(?:has|have) the (?:\w+ )?right to|(?:is|are|be) (?:\w+ )?entitled to"),
    ("consider risk", r"(?:with regard|appropriate|proportionate|adapted|according) to the (?:\w+ )?risks?"),
    ("consider", r"tak(?:e|es|en|ing)(?: due| particular| full)? account(?: shall be taken)?|tak(?:e|es|en|ing) into (?:account|consideration)|account (?:shall|must|will) be taken|having regard to|in (?:light|view) of"),
    ("review", r"carr(?:y|ies|ied|ying) out (?:\w+ ){0,3}(?:checks?|reviews?)|looks? into|go(?:es)? through"),
    ("engage", r"award(?:s|ed|ing)? contracts? to|pass(?:es)? on (?:\w+ ){0,3}(?:activities|tasks|functions|work) to|giv(?:e|en|ing) to a third party|entrust(?:s|ed|ing)?"),
    ("impose", r"pass(?:es|ed|ing)? on (?:the )?(?:obligations?|dut(?:y|ies))|pass(?:es|ed)? (?:\w+ ){1,5}on to|flow(?:s|ed)? down"),
    ("answerable", r"stands? in for|answers? (?:to (?:\w+ ){1,3})?for|as (?:if they were )?for its own|relieves?"),
    ("ongoing", r"on an? (?:ongoing|continuous|continual|regular) basis|around the clock|at all times|ongoing"),
    ("major", r"(?:rated|classified|classed|graded) (?:as )?(?:high|major|critical|severe|serious|significant)"),
    ("enhanced review", r"(?:stricter|enhanced|additional|heightened|closer|tighter|extra|more intensive) (?:checks?|scrutiny|controls?|measures?|monitoring|examination)"),
    ("enhanced duediligence", r"enhanced (?:customer )?due diligence|edd"),
    ("approve", r"sign(?:s|ed|ing)?[- ](?:it |them |this )?off|green light|go-ahead|(?:has|have|had) agreed|agreed (?:beforehand|to it|in advance|in writing)|give[sn]? (?:\w+ )?(?:agreement|approval|consent)"),
    ("record", r"written down|writ(?:e|es|ten) (?:it |them )?down|put (?:down )?in writing|laid down in writing|entered in|minuted"),
    ("same", r"(?:no|not) less (?:\w+ )?(?:protective|strict|stringent|onerous)|at least (?:the same|as (?:\w+)(?= as)|equivalent)"),
    ("assist provide information", r"(?:give|provide|supply|furnish)s? (?:[\w']+ ){0,4}(?:information|details|data|documents?) (?:\w+ ){0,3}(?:needs?|requires?|necessary) "),
    ("test regular", r"exercised (?:every|at least|once|annually|regularly)|(?:on a )?trial (?:basis|runs?)|dry runs?|(?:\w+ )?exercises? (?:every|each|at least)"),
    ("role", r"who does what|roles? and responsibilit(?:y|ies)|job descriptions?|responsibilities"),
    ("prior", r"prior to|in advance|ahead of|before(?:hand)?|in good time"),
    ("soon", r"without (?:undue |any |unreasonable )?delay|as soon as (?:\w+ )?(?:possible|practical|practicable)|at once|in (?:good time|a timely manner)|the same day|within (?:\S+ )?(?:\(\w+\) )?hours?|straight away|right away"),
    ("written", r"in writing|in written form|documented|in documentary form|by e-?mail|signed"),
    ("only", r"no other|not (?:\w+ )?(?:for|in) any other|nothing (?:is|but)|nobody|no one"),
    ("yearly", r"yearly|once (?:a|per|every) year|every (?:year|twelve months|12 months)|each year|twice a year|per annum"),
    ("regular", r"periodic(?:al(?:ly)?)?|from time to time|at (?:regular|fixed) intervals|once a (?:month|quarter|week)|every (?:\w+ )?(?:months|quarter|week)s?"),
    ("onsite", r"on-?site|premises|facilities|sites?"),
    ("critical", r"critical (?:or important )?|important functions?"),
    ("dataprotection", r"data (?:protection|privacy)"),
)  # fmt: skip

_WORDS: dict[str, str] = {
    # Duties: verbs and the nouns made of them
    "notify": "notify notification inform report advise alert communicate tell warn announce disclose escalate brief reveal signal flag submit submission file",
    "assist": "assist assistance support help contribute cooperate cooperation aid collaborate facilitate",
    "delete": "delete deletion erase erasure destroy destruct dispose disposal purge wipe shred remove removal",
    "return": "return hand yield surrender restitution export",
    "engage": "engage appoint use hire commission recruit enlist outsource delegate involve",
    "designate": "designate nominate name designation appointment",
    "approve": "approve approval authorise consent permission sanctioned endorse",
    "impose": "impose bind bound flow subject accept",
    "answerable": "liable liability accountable accountability responsible answerable",
    "allow": "allow permit let enable grant tolerate entitle contribute submit",
    "audit": "audit auditor inspect inspection",
    "review": "review assess assessment evaluate evaluation appraise analyse analyze analysis study examine examination check determine verify verification rate classify classification investigate investigation reassess test",
    "monitor": "monitor watch track oversee supervise supervision surveillance observe",
    "train": "train training course educate education teach learn",
    "retain": "retain retention keep preserve archive store storage hold",
    "record": "record register log inventory document documentation",
    "demonstrate": "demonstrate prove evidence show substantiate evidencing proof attest certify certificate certification",
    "respond": "respond response answer reply deal",
    "infringe": "infringe infringement violate violation contravene breaks contrary conflict unlawful incompatible",
    "comply": "comply compliance adhere adherence observe conform fulfil fulfill meet",
    "consult": "consult consultation",
    "provide": "provide supply furnish deliver",
    "transfer": "transfer export transmission",
    "publish": "publish website",
    "implement": "implement adopt introduce maintain establish",
    "identify": "identify identification establish particulars",
    "screen": "screen compare match",
    "prevent": "prevent mitigate avoid reduce",
    "restore": "restore restoration recover recovery",
    "test": "test rehearse",
    "change": "change add addition replace replacement new amend exchange modify",
    "object": "object objection oppose",
    "refer": "refer referral",
    "receive": "receive receipt acknowledge acknowledgement confirm",
    "commit": "commit commitment undertake undertook pledge",
    "charge": "charge fee cost",
    # Who and what
    "controller": "controller principal",
    "processor": "processor",
    "authority": "authority regulator supervisor watchdog",
    "employee": "employee staff personnel worker workforce colleague",
    "customer": "customer client consumer",
    "provider": "provider vendor supplier contractor",
    "board": "board director executive",
    "datasubject": "individual",
    "breach": "breach leak",
    "incident": "incident event disruption outage",
    "complaint": "complaint complain complainant grievance",
    "instruction": "instruction instructed told",
    "confidential": "confidential confidentiality secrecy secret",
    "security": "security secure protect protection safeguard safety",
    "measure": "measure safeguard precaution",
    "contract": "contract agreement addendum arrangement",
    "obligation": "obligation duty",
    "law": "law legislation legal statute statutory regulation provision gdpr lawful",
    "risk": "risk threat exposure danger",
    "request": "request enquiry inquiry demand query",
    "access": "access enter entry",
    "information": "information",
    "backup": "backup",
    "function": "function activity task",
    "role": "role assign assigned deputy",
    "plan": "plan procedure strategy",
    "policy": "policy",
    "loss": "loss lose lost",
    "describe": "describe description list contain mention explain explanation detail",
    "telephone": "telephone phone call",
    "message": "message communication correspondence",
    "extend": "extend extension prolong prolongation lengthen",
    "child": "child parent guardian",
    "dismiss": "dismiss dismissal demote disadvantage retaliate retaliation reprisal",
    "refuse": "refuse refusal decline reject rejection deny",
    "correct": "correct correction rectify rectification error",
    "separate": "separate separately segregate segregation apart",
    "major": "major serious significant severe material grave",
    "enhanced": "enhanced heightened strengthened intensified",
    "detect": "detect recognise recognize spot discover uncover",
    "impact": "impact consequence effect affect hit touch",
    "resolve": "resolve remedy settle close",
    "recurring": "recurring recurrent repeated pattern",
    "figure": "figure number statistic",
    "copy": "copy copies duplicate",
    "gift": "gift hospitality benefit inducement",
    "password": "password credential",
    "encrypt": "encrypt encryption encrypted encipher",
    "accident": "accidental accidentally inadvertent inadvertently",
    "unauthorised": "unauthorised unauthorized",
    "alteration": "alteration alternation altered modification tamper",
    "disclosure": "disclosure",
    "decision": "decision final outcome",
    "remuneration": "remuneration salary bonus pay",
    "withdraw": "withdraw withdrawal revoke revocation cancel",
    "destruct": "destruction",
    "termination": "termination terminate expiry expire end cessation",
    "same": "same equivalent equal comparable",
    "purpose": "purpose",
    "identity": "identity passport",
    "transaction": "transaction payment",
    # How
    "prior": "prior previous advance before beforehand",
    "written": "written",
    "soon": "immediately promptly forthwith instantly delay",
    "only": "only solely exclusively unless",
    "ongoing": "continuously continuous constantly",
    "independent": "independent independently impartial",
    "yearly": "annual annually",
    "regular": "regularly quarterly monthly weekly daily",
}  # fmt: skip

SILENT = frozenset(
    terms(
        "must shall should may will might cannot not no all any each every this these those other such way manner through "
        "under within upon after during per against between both either whether only where set out two one take make carry"
    )
)
"""Words that say nothing about a duty's subject; they are left out."""

_LIGHT = frozenset(
    terms(
        "ensure take put carry perform conduct undertake have keep provide give maintain "
        "implement establish obtain apply set accordance according pursuant respect regard relation connection concern "
        "appropriate relevant applicable necessary reasonable reasonably adequate sufficient certain particular specific general "
        "include including following each every all any other only whether either both own well also case event "
        "party organisation organization institution firm company bank entity undertaking group business "
        "article paragraph section clause annex appendix schedule chapter point referred under within upon after during "
        "set out one two part process processing handle data thing matter way manner basis order possible where not no "
        "measure purpose need require further new full fully against through between per so far extent subject "
        "dataprotection available aware notice behalf themselves itself result way more financial another mandate remain intend absence union member state ground interest "
        "level mean likely kind nature scope performance provision service relate whole specify set force therefore otherwise "
        "himself herself them selves shall least five three seven ten twelve months years days hours become aware able want wish "
        "sure act back initial approach good proper duly deem carefully normally least latest current existing various several "
        "user data public personal ict basis reliable person persons reason manage manager member whom related based follow start begin done come give gives receive side"
    )
)
"""Words that say little about which duty it is; they count, but little."""

_RELATED: dict[tuple[str, str], float] = {
    ("audit", "review"): 0.5,
    ("breach", "incident"): 0.9,
    ("security", "confidential"): 0.3,
    ("technicalmeasure", "measure"): 1.0,
    ("technicalmeasure", "security"): 0.6,
    ("security", "measure"): 0.3,
    ("delete", "return"): 0.3,
    ("review", "test"): 0.6,
    ("review", "monitor"): 0.4,
    ("audit", "test"): 0.4,
    ("respond", "request"): 0.4,
    ("subjectrights", "request"): 0.5,
    ("subjectrights", "datasubject"): 0.5,
    ("record", "retain"): 0.5,
    ("engage", "designate"): 0.9,
    ("designate", "engage"): 0.9,
    ("law", "legalrequirement"): 0.5,
    ("demonstrate", "record"): 0.4,
    ("consider", "review"): 0.4,
    ("commit", "impose"): 0.5,
    ("commit", "contract"): 0.5,
    ("demonstrate", "review"): 0.5,
    ("prior", "soon"): 0.2,
    ("duediligence", "review"): 0.5,
    ("duediligence", "identify"): 0.5,
    ("role", "obligation"): 0.5,
    ("board", "approve"): 0.2,
    ("suspicion", "laundering"): 0.4,
    ("relationship", "customer"): 0.3,
    ("impact", "review"): 0.2,
    ("change", "engage"): 0.3,
    ("identity", "identify"): 0.8,
    ("allow", "approve"): 0.5,
    ("engage", "subprocessor"): 0.5,
    ("review", "identify"): 0.4,
    ("allow", "assist"): 0.3,
    ("provide", "notify"): 0.3,
    ("provide", "assist"): 0.3,
    ("information", "record"): 0.6,
    ("information", "demonstrate"): 0.4,
    ("customer", "complaint"): 0.2,
    ("yearly", "regular"): 0.5,
    ("ongoing", "regular"): 0.5,
    ("risk", "highrisk"): 0.6,
    ("obligation", "law"): 0.4,
    ("subprocessor", "provider"): 0.3,
    ("provider", "thirdparty"): 0.8,
    ("controller", "customer"): 0.5,
    ("processor", "provider"): 0.5,
    ("infringe", "breach"): 0.3,
    ("comply", "obligation"): 0.2,
    ("loss", "delete"): 0.3,
}
"""Concepts near enough to count in part, in both directions."""

_PHRASE = re.compile("|".join(rf"\b(?P<g{i}>{p})(?!\w)" for i, (_, p) in enumerate(_PHRASES)))


_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_APART = {
    "unauthorised": r"unauthori[sz]ed",
    "authoris": r"authori[sz](?!ed personnel)\w*",
    "controller": r"controllers?",
    "information": r"information",
    "union": r"union",
    "responsible": r"responsib\w+",
    "disclosure": r"disclosures?",
}
"""Words whose stem another word has too ("authorisation" and "authority")."""
_APART_WORD = re.compile("|".join(f"(?P<{name}>{p})" for name, p in _APART.items()))


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """The stem of one word in lower case; "" for stop words, numbers and single letters."""
    plain = word.removesuffix("'s").rstrip("'")
    if apart := _APART_WORD.fullmatch(plain):
        return str(apart.lastgroup)
    found = terms(plain)
    return "" if not found or found[0][0].isdigit() or len(found[0]) < 2 else found[0]


def _by_term() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for concept, words in _WORDS.items():
        for term in dict.fromkeys(_term(w) for w in words.split()):
            found.setdefault(term, []).append(concept)
    return {term: tuple(concepts) for term, concepts in found.items()}


_CONCEPTS = _by_term()


Reading = tuple[tuple[str, tuple[str, ...]], ...]
"""The words of a text that mean something, each with its concepts, chief meaning first."""


@lru_cache(maxsize=50_000)
def read_words(text: str) -> Reading:
    """The words and phrases of ``text`` in order with the concepts they stand for; stop words left out."""
    found: list[tuple[str, tuple[str, ...]]] = []
    plain = " ".join(text.replace("’", "'").replace("”", '"').split()).lower()
    position = 0
    for match in _PHRASE.finditer(plain):
        found += _single_words(plain[position : match.start()])
        found.append((match[0], tuple(_PHRASES[int((match.lastgroup or "g0")[1:])][0].split())))
        position = match.end()
    return (*found, *_single_words(plain[position:]))


def read_concepts(text: str) -> tuple[tuple[str, ...], ...]:
    """The concepts of ``text`` in order; an ambiguous word gives several, its chief meaning first."""
    return tuple(concepts for _, concepts in read_words(text))


def _single_words(text: str) -> list[tuple[str, tuple[str, ...]]]:
    found = ((word, _term(word)) for word in _WORD.findall(text))
    return [(word, _CONCEPTS.get(term, (term,))) for word, term in found if term]


_KNOWN = frozenset(_WORDS) | {c for names, _ in _PHRASES for c in names.split()}


def is_known(concept: str) -> bool:
    """Whether the thesaurus knows the concept, so that other words for it were looked for."""
    return concept in _KNOWN


QUALIFIERS = frozenset(
    "soon prior written only ongoing regular yearly same major independent freeform enhanced impact critical".split()
)
"""How, when and how much; a duty's subject is something else."""


SCAFFOLD = frozenset(("comply", "obligation", "measure"))
"""What duties are made of whatever they are about."""


def is_light(concept: str) -> bool:
    return concept in _LIGHT


def related(concept: str) -> dict[str, float]:
    """Concepts that a mention of ``concept`` also counts for in part."""
    return _NEAR.get(concept, {})


def _near() -> dict[str, dict[str, float]]:
    near: dict[str, dict[str, float]] = {}
    for (one, other), credit in _RELATED.items():
        near.setdefault(one, {})[other] = credit
        near.setdefault(other, {})[one] = credit
    return near


_NEAR = _near()
