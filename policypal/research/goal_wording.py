"""The wording of research goals: what says what to do, about whom, when, how deep and what for (W2)."""

from __future__ import annotations

import re

from policypal.request.words import NOUNS, ONLY_IN_NAMES

_TASK_WORDS = frozenset(
    "compare comparison contrast differ difference summarize summarise summary analyse analyze analysis assess assessment evaluate evaluation "
    "review identify list explain describe outline examine investigate research report write draft prepare create produce "
    "make give show tell find look get help want need know learn understand discuss explore study check do use include in-depth deep "
    "detailed comprehensive exhaustive thorough short brief overview briefing page compile map focus advise "
    "change changed cover update say require demand expect lay meet also between within since during over under please against "
    "january february march april june july august september october november december".split()
)  # fmt: skip
_VAGUE_WORDS = frozenset(
    "thing stuff info information everything anything something all topic subject area matter issue question point detail best good practice time "
    "latest new newest recent current relevant important various general different regulator supervisor authority regulatory "
    "legal law rule regulation requirement obligation compliance policy procedure document library company internal own e-mail email letter".split()
)  # fmt: skip
NOT_SUBJECT = _TASK_WORDS | _VAGUE_WORDS | (NOUNS.keys() - ONLY_IN_NAMES)
DEFINITE = re.compile(
    r"\b(?:compar(?:e|es|ing|ison)|contrast|versus|vs\.?|differ(?:s|ences?)?|identify|list|assess|evaluate|explain|outline|map|summari[sz]e|check|"
    r"gap analysis|gaps? between|determine|recommend|draft|calculate|rank|trace|verify|quantify|which|whether|"
    r"how (?:do|does|did|must|should|shall|can|may|is|are|was|were|has|have|long|soon|often|much|many|quickly|far)|"
    r"(?:what|who|whom|when|where|why) (?:[\w’'-]+ ){0,6}?(?:must|should|shall|may|can|do|does|did|is|are|was|were|has|have|had|will|would|"
    r"requires?|changed|changes|applies|apply|happens|counts?|says?))\b|^(?:does|do|did|is|are|was|were|must|may|can|should|has|have)\b.*\?",
    re.IGNORECASE,
)
OURS = re.compile(
    r"\b(?:our|my|the (?:company|group|bank)['’]s)\s+(?:\w+\s+){0,3}?(?:regulators?|supervisors?|authorit(?:y|ies)|polic(?:y|ies)|rules?|procedures?|documents?|"
    r"library|regulations?|e-?mails?|contracts?|standards?)\b",
    re.IGNORECASE,
)
WHOM = re.compile(
    r"\b(?:banks?|insurers?|insurance (?:companies|undertakings)|fintechs?|brokers?|asset managers?|fund managers?|payment (?:institutions?|firms?)|"
    r"investment firms?|credit institutions?|credit unions?|lenders?|controllers?|processors?|hospitals?|universit(?:y|ies)|(?:public|government) (?:bodies|agencies)|"
    r"companies|small businesses|mid-?size\w*|smes?|subsidiar(?:y|ies)|manufacturers?|retailers?|suppliers?|operators?)\b",
    re.IGNORECASE,
)
COMPARES = re.compile(r"\b(?:compar\w+|contrast|differ\w*)\b", re.IGNORECASE)
COMPARED = re.compile(r"\b(?:and|with|to|against|versus|vs|between|from|than)\b", re.IGNORECASE)
TOPIC_ACRONYMS = frozenset(
    "AI AML API BCM BCP CDD CEO CFT CISO CTF DPIA DPO ESG HR ICT IP IT KYC MFA ML NDA OK PDF PEP PII RPO RTO SLA TPRM".split()
)
DEPTH = re.compile(
    r"\b(?:overview|summar(?:y|i[sz]e)|brief(?:ly)?|short|concise|in[- ]depth|deep[- ]dive|detail(?:s|ed)?|comprehensive|exhaustive|thorough|"
    r"(?:one|two|three|\d+)[- ]pages?r?|compar(?:e|ison)|differ(?:s|ences?)?|tables?|matrix|list|checklist|step[- ]by[- ]step|clause[- ]by[- ]clause|"
    r"gap analysis|every|each)\b",
    re.IGNORECASE,
)
USE = re.compile(
    r"\b(?:for (?:the|our|my|a|an)\s+(?:\w+\s+){0,2}?(?:board|management|committee|training|audit|inspection|examination|meeting|presentation|customers?|staff|"
    r"workshop|team|client|decision|regulator|update|revision)|so that (?:we|i)|in order to|(?:to|can) (?:update|revise|decide|prepare|train|brief|present|"
    r"implement|comply|convince)|(?:change|update|revise|amend|improve|adapt)\w* (?:in |to )?(?:our|its|my|the|their) (?:\w+ ){0,3}(?:polic|procedure|framework|process)|"
    r"presentation|board paper|training material|prepar(?:e|ing) for)",
    re.IGNORECASE,
)
BREAK = re.compile(
    r"\n+\s*(?:[-*•]|\d+[.)])?\s*|(?<=[.?!;])\s+|,?\s+(?:and|but) also\s+|,?\s+as well as\s+|,?\s+plus\s+|"
    r",?\s+and\s+(?=(?:what|how|which|when|who|why|where|compare|find|list|tell|write|explain|describe|summari[sz]e|research|analy[sz]e)\b)",
    re.IGNORECASE,
)
CONTINUES = re.compile(
    r"^(?:please\s+)?(?:in[- ]depth|in detail|since|until|include|focus|limit|restrict|format|present|keep|exclude|cite|consider|cover|concentrate|add|with|without|only|no|"
    r"the report|for each|where|use|as of|for (?:the|our))\b|^(?:\S+\s+){0,4}?(?:they|them|their|it|its|these|those|this|such)\b",
    re.IGNORECASE,
)
LISTED = re.compile(
    r"\b(?:about|on|regarding|concerning|covering|of)\s+((?:[^,;.?!\n]+,){2,}[^,;.?!\n]+)",
    re.IGNORECASE,
)
BROAD = re.compile(
    r"\b(?:everything|anything|all (?:\w+ ){0,2}(?:rules|laws|regulations|countries|jurisdictions|requirements|aspects|topics|areas)|every (?:country|jurisdiction|law|rule|"
    r"regulation|aspect)|worldwide|global(?:ly)?|around the world|(?:complete|full|entire) (?:history|picture|body)|exhaustive|comprehensive)\b",
    re.IGNORECASE,
)  # fmt: skip
