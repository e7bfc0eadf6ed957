"""The wording that tells one action from another (G2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz

from policypal.ingest.drafts import reads_as_title, request_of
from policypal.request.foreign import in_english
from policypal.request.material import audited_text

LABELS = ("summarize", "inquire", "compare", "audit", "help", "small_talk")
ACTIONS = LABELS[:4]

_MENTION = re.compile(r"@\w[\w./-]*(?:\s+(?:(?:of|and|on|for|the|to|in)\s+)?(?=[A-Z0-9(])[^\s@,;:?!]+)*")
_NEGATED = re.compile(
    r"(?:\b(?:please|i)\s+)?\b(?:do(?:n't| not)|no need (?:to|for)|no more|no|instead of|rather than)\b[^.;,:!?\n–—]{0,30}?"
    r"\b(?:summar\w+|compar\w+|audit\w*|overview|recap)\b[^.;,:!?\n–—]{0,200}[.;,:!?\n–—]*",
    re.IGNORECASE,
)
"""What is asked not to be done: "don't summarize it, just tell me …"."""
_NAME_FIRST = re.compile(
    r"^\W*(?:xdoc\W+){1,5}(?=(?:what|which|who|whom|whose|when|where|why|how|does|do|is|are|must|can|may|should)\b)",
    re.IGNORECASE,
)
_NAMED_RULE = re.compile(r"\b([Tt]he|[Oo]ur|[Tt]his|[Tt]hat) (?:[A-Z][\w-]* ){1,4}Rules?\b")
"""A document, where "the rules" would be a topic: "the Net Capital Rule"."""
_QUOTE = re.compile(r"@?[\"“«]([^\"”»]+)[\"”»]")
_LONG_ENOUGH = 25
"""Characters of a quotation that is a text; a shorter one is a term."""
_OPENING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there| all| team| everyone)?|thanks(?: a lot| so much)?|thank you(?: (?:very|so) much)?"
    r"|ok(?:ay)?|fine|but|great|perfect|cool|nice|alright|right|well|so|sorry|please|pal(?:assist)?)(?:[\s,.!:;–-]+)",
    re.IGNORECASE,
)
_POLITE = (
    r"(?:(?:please|kindly|now|then|also|first|next|finally|afterwards|can|could|would|will|you|i|we|want|need|would|like|d|to|let|s|us|me|help|"
    r"and|after|that|just|simply|quickly|briefly|go|ahead)\b[\s,']*)*"
)
_DOC = (
    r"(?:xdoc|documents?|docs?|files?|papers?|polic(?:y|ies)|regulations?|rulebooks?|guidelines?|guidance|directives?|acts?|circulars?|notices?|"
    r"standards?|frameworks?|codes?|handbooks?|manuals?|procedures?|editions?|versions?|reports?|statutes?|laws?|guides?|brochures?|contracts?|agreements?)"
)
_SUMMARY_VERB = r"(?:summari[sz]e|sum up|recap|condense|outline|boil down|shorten|brief me on|(?:an? |the )?(?:\w+ ){0,2}(?:summary|overview|recap|digest|gist|rundown|abstract|outline)\s+(?:of|on|for))"
_WHOLE = (
    r"overall content|main ideas?|core topics?|most important (?:statements|parts|provisions)|headlines?|purpose|synopsis|executive summary|management summary|briefly describe|main provisions|key provisions|important bits|(?:key|main|most important|essential|central|core)\s+(?:points?|messages?|takeaways?|aspects?|ideas?|content)|highlights?|contents?|gist|takeaways?|essentials?|"
    r"whole|entire|everything|text|core messages?|substance|main obligations"
)
_TOPICAL = (
    r"requirements?|rules?|obligations?|duties|deadlines?|provisions?|penalt(?:y|ies)|fines?|sanctions?|sections?|chapters?|articles?|clauses?|"
    r"paragraphs?|definitions?|thresholds?|limits?|regime|process|treatment|approach|scope|exemptions?|exceptions?|powers|rights|controls"
)
_COMPLY = r"(?:compl(?:y|ies|ied|iant|ying)|in compliance|conform\w*|adher\w*|in (?:line|accordance|conformity)|consistent|conflicts?|contradicts?|violat\w*|breach(?:es|ing)? (?:the|our|any|xdoc)|in breach|infring\w*|satisf(?:y|ies|ied)|meets? (?:with )?(?:xdoc|the |all |its |their |every |any |[A-Z])|fulfil\w*|falls? short|contraven\w*)"
_SUBJECT = r"(?:our|my|this|these|those|it|they|we|the|that|xdoc)"


def _all(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_SUMMARIZE = _all(
    r"\bsummari[sz](?:e|ed|ing)\b", r"\bsum\b[^.?!]{0,40}\bup\b", r"\bsummar(?:y|ies)\b", r"\btl;?\s?dr\b", r"\brecap\b", r"\boverview\b",
    r"\bdigest\b", r"\bgist\b", r"\bcondensed?\b", r"\brundown\b", r"\bnutshell\b", r"\btakeaways?\b",
    r"\b(?:key|main|most important) (?:points?|messages?|takeaways?)\b", r"\b(?:the|give me|list|what are the|main) (?:highlights|essentials)\b", r"\bhighlight the essentials\b",
    r"^\W*" + _POLITE + r"(?:outline|shorten|abridge|brief)\b", r"\babstract of\b", r"\bboil\b[^.?!]{0,50}\bdown\b", r"\b(?:management|executive|board) (?:briefing|brief|summary)\b",
    r"\bbrief (?:me|us|the board)\b", r"\bshort(?:er|ened)? version\b", r"\bshorten\b", r"\bin a few sentences\b", r"\bone[- ]page(?:r)?\b",
    r"\bsynopsis\b", r"\babridged?\b", r"\b(?:\w+-(?:minute|page|sentence|paragraph)|short|brief|quick) (?:version|read|story|take|note)\b", r"\bheadline (?:messages?|points?)\b", r"\boverall content\b", r"^\W*(?:please )?describe xdoc\b(?!'s)", r"\bbig picture\b", r"\bbreak(?:ing)?\b[^.?!]{0,40}\bdown\b", r"\bcompress\b", r"\bdistil\w*\b", r"\b(?:important|relevant|interesting) (?:bits|parts|points|things|content)\b", r"\bwhat matters\b",
    r"\b(?:main|key|core) (?:provisions|obligations|content|themes|ideas)\b", r"\b(?:plain|simple|layman'?s?|everyday) (?:language|terms|words|english)\b", r"^\W*(?:in short|in brief|briefly)\b", r"\bin brief\b", r"\bwhat (?:does|do) (?:xdoc|this|it|that " + _DOC + r"|the " + _DOC + r") cover\W*$",
    r"\bwhat(?:'s| is| does) (?:in )?" + _SUBJECT + r"[^?]{0,40}?(?:about|say overall|in it|cover overall)\W*$", r"\bbriefly describe what " + _SUBJECT, r"\bwhat(?:'s| is) in (?:this|that|the|xdoc)\s?" + _DOC + r"?\W*$",
)  # fmt: skip
_COMPARE = _all(
    r"\bcompar(?:e|es|ed|ing|ison|isons)\b", r"\bcontrast(?:ing|s)?\b", r"\b(?:versus|vs)\b", r"\bside[- ]by[- ]side\b", r"\bdiffer(?:s|ed)?\b", r"\bdifferences?\b",
    r"\bdifferent(?:ly)? (?:from|than|to|in)\b", r"\bdeltas?\b", r"\bdiverg\w+", r"\bin common\b", r"\bsimilarit(?:y|ies)\b", r"\bdisagree\b",
    r"\bwhat(?:'s| is| has|'s been| was)? (?:been )?(?:changed|new|added|removed)\b(?!\W*$)", r"\bwhat(?:'s| has| is)? changed\b", r"\bwhat(?:'s| is) different\b", r"\bchanges? (?:between|since|from|introduced|compared)\b", r"\btrack (?:the )?changes\b",
    r"\b(?:stricter|tougher|stronger|weaker|looser|softer|harsher|more \w+|less \w+|higher|lower|longer|shorter|older|broader|narrower|better)\b[^.?!]{0,60}\bthan\b",
    r"\bwhich (?:of|one|" + _DOC + r")\b[^.?!]{0,60}\b(?:stricter|strictest|tougher|toughest|longer|longest|shorter|higher|highest|lower|lowest|broader|more|better)\b",
    r"\bnext to (?:xdoc|each other|the)\b", r"\b(?:line|match)(?:ed|ing)? (?:up|them up)?\b[^.?!]{0,40}\b(?:" + _DOC + r"|them|two)\b", r"\bvar(?:y|ies) (?:across|between)\b",
    r"\bhow far apart\b", r"\bstack up\b", r"\boverlaps?\b", r"\bdiscrepanc\w+", r"\binconsistenc\w+ between\b", r"\bredline\b", r"\bevol(?:ved?|ution)\b", r"\bjuxtapos\w+", r"\b(?:each other|one another)\b", r"\brelative to (?:xdoc|the (?:old|previous|earlier))",
    r"\b(?:are|do) (?:the|these|those|both|our)(?: two| three)? \w+s\b[^.?!]{0,30}\b(?:consistent|contradict|conflict|agree|match|align\w*)\W*$",
    r"\balike\b", r"\bunique (?:in|to|aspects)\b", r"\bseparates? [^.?!]{0,40} from\b", r"\bwhich (?:one|of them|of (?:the|these|those) (?:two|three|\w+s))\b", r"\bsame (?:thresholds?|rules?|requirements?|deadlines?|definitions?)\b", r"\b(?:both|the two) (?:agree|overlap)\b",
)  # fmt: skip
_AUDIT = _all(
    r"(?<!an )(?<!the )(?<!xdoc )\baudit(?:ing|ed)?\b(?!\s+(?!of|our|my|the|th[ie]s|that|those|it|its|them|both|all|against|for|and|then|xdoc|please|pls|if|whether|an?|each|every|your)[a-z])",
    r"\baudit of\b",
    r"\bnon-?compliant\b", r"\b(?:find|show|identify|any|list|flag) [^.?!]{0,20}non-?compliance\b", r"\bcompliance (?:check|review|analysis|audit|issues?|gaps?|risks?|problems?|violations?)\b", r"\bgap(?:s)? (?:analysis|assessment|in|between|relative|against|versus|vs)\b", r"\bgaps\b",
    r"\b(?:is|are|am|was|does|do|did|would|will|can|could|whether|if|that|make sure|ensure|check)\b[^.?!:]{0,20}\b" + _SUBJECT + r"\b[^.?!:]{0,60}\b" + _COMPLY + r"\b",
    r"\b(?:check|review|test|vet|validate|verify|assess|evaluate|scan|screen|measure|hold|benchmark)\b[^.?!:]{0,80}\b(?:against|versus|complian\w+|violat\w*|infring\w*|breach\w*|conform\w*|compl(?:y|ies)|meets?|satisf\w+)\b",
    r"\b(?:find|look for|flag|identify|spot|list|detect|any|are there)\b[^.?!:]{0,30}\b(?:violations?|breaches|infringements?|conflicts with|non-?complian\w*|compliance (?:risks?|issues?))\b",
    r"\b(?:complies|compliant|compliance|conformity|in line|accordance) with\b", r"\b(?:falls?|fell) short\b", r"\bget (?:us|me) (?:in|into) trouble\b", r"\bwithout (?:infringing|violating|breaching|breaking)\b",
    r"\b(?:can|may|could|ok(?:ay)?|safe|allowed) (?:we|i|to|us)?\s*(?:to )?(?:publish|send|post|release|run) (?:this|the following|that|it)\b", r"\bevaluate the compliance\b",
    r"\b(?:missing|absent|left out|omitted)\b[^.?!]{0,15}\b(?:from|in) (?:our|my|xdoc|the policy)\b", r"\bnot (?:cover(?:ed)?|address(?:ed)?|reflect(?:ed)?)\b[^.?!]{0,20}\b(?:by|in) (?:our|my|xdoc)\b",
    r"\b(?:our|my) \w+(?: \w+)? (?:does )?(?:not |n't )(?:cover|address|reflect)\b", r"\b(?:obligations?|requirements?)\b[^.?!]{0,20}\b(?:does|do|did) (?:our|my|xdoc)[^.?!]{0,30}\b(?:not cover|miss|lack|fail)\b",
    r"\bhow compliant\b", r"\b(?:is|are) [^.?!]{0,50}\bcompliant\b", r"\bwhat(?:'s| is) (?:wrong|missing|lacking) (?:with|in|from) (?:our|my|this|xdoc)", r"\b(?:regulatory|legal|compliance) (?:problems?|issues?|concerns?|exposure)\b",
    r"\b(?:our|my|this|xdoc|the (?:wording|phrase|sentence|statement|claim|slogan|ad|following(?: \w+)?|text))\b (?:(?:practice|policy|procedure|wording|text|e-?mail|ad|advert\w*|approach|process|contract|clause|post|newsletter|letter|statement|draft|claim)\b)?[^.?!:]{0,40}\b(?:ok(?:ay)?|allowed|permitted|acceptable|legal|lawful|fine)(?: (?:under|with|by|according|per|to say|to publish)\b|\W*$|\W*:)",
    r"\b(?:goes?|going|runs?) (?:counter|against)\b", r"\bmap (?:our|my|the|xdoc)\b[^.?!]{0,60}\b(?:to|against|onto)\b", r"\bcoverage (?:check|matrix|analysis|report)\b", r"\buncovered requirements\b",
    r"\b(?:our|my|xdoc)\b[^.?!]{0,40}\b(?:cover|address|implement|reflect)s?\b (?:all|every|each|the) (?:of )?(?:the )?(?:requirements?|obligations?|duties|provisions|articles)",
    r"\bwhere (?:does|do) (?:our|my|the policy|xdoc)[^.?!]{0,30}\bdeviate", r"\bdeviat\w+ from (?:the (?:regulation|law|rules?|rulebook|directive|act|guidelines?|standard)|regulatory)\b",
    r"\b(?:our|my)\b[^.?!]{0,40}\bagainst (?:the|all|both|xdoc|regulatory|[A-Z])", r"^\W*" + _POLITE + r"(?:check|verify|assess|test|evaluate|ensure)\b[^.?!]{0,20}\bcomplian\w+", r"\bxdoc against (?:xdoc|the|our|that|it)\b",
    r"\bflag\b[^.?!:]{0,30}\b(?:problems?|issues?|anything)\b",
)  # fmt: skip
_QUESTION = re.compile(
    r"^\W*"
    + _POLITE
    + r"(?:what|which|who|whom|whose|when|where|why|how|is|are|am|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|under (?:what|which))\b"
    r"|\?\s*$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*"
    + _POLITE
    + r"(?:explain|tell (?:me )?(?:how|what|when|who|which|whether|why|if|the|about)|list|find|quote|show (?:me )?(?:the|all|where|which)|clarify|define|describe|elaborate|"
    r"know|give me (?:the|all)|look up|cite|answer|state|enumerate|name|identify the|provide the|locate|extract)\b",
    re.IGNORECASE,
)
_HELP = _all(
    r"^\W*(?:please )?help(?: me)?\W*$", r"\bwhat (?:can|could) (?:you|i|this (?:app|tool|assistant)) (?:do|ask|help)\b", r"\bwhat (?:are|kind of things|sort of things|else) (?:you able|can (?:i|you))\b",
    r"\bhow (?:do|can|should|would) i (?:use|upload|tag|start|begin|add|delete|remove|export|import|share|rename|attach|create|run|ask|compare documents|audit a)\b", r"\bhow (?:does|do) (?:this|it|the \w+(?: \w+)? feature|policypal|palassist|tagging)\b[^?]{0,20}\bwork",
    r"\bhow (?:do|can|to|would|should)(?: i| we)?\b[^?]{0,30}\b(?:csv|excel|xlsx|upload|tag|tagging|the app|this app|chat|conversation|web search|api key|settings|export|sets|audit reports?)\b",
    r"\bcan you (?:do|make|handle|read|write|create|support) (?:audits|summaries|comparisons|pdfs?|word files|reports|translations|images)\W*$", r"\bdo you have (?:a |an )?(?:manual|help|user guide|tutorial|documentation|examples)\W*$",
    r"\bwhat can i do(?: here| with (?:this|you))?\W*$", r"\b(?:which|what) file (?:types?|formats?)\b", r"\bwhere (?:is|are|do i find) the [\w ]{0,15}(?:buttons?|menu|settings|sidebar|page)\b", r"\bhow many (?:documents|files|tags) can i\b", r"\bwhat you(?:'re| are) good at\b", r"\bhow does this work\b", r"\bpolicypal\b", r"\bget(?:ting)? (?:me )?started\b", r"\bwhere do i (?:start|begin|find my|find the)\b", r"\b(?:example|sample) questions?\b", r"\bexamples of (?:questions|what)\b",
    r"\b(?:which|what) (?:commands?|actions?|features?|capabilities|functions?|file types?|formats?)\b[^?]{0,30}\b(?:available|are there|exist|have|support|you|can)\b", r"\byour (?:capabilities|features|functions)\b",
    r"\bshow me what you can do\b", r"\bdo you support\b", r"\bhow to use (?:this|the (?:app|tool|assistant|chat)|you|it)\b", r"\bi(?:'m| am) new here\b", r"\bcan you help(?: me)?\W*$", r"\btagging documents works\b",
    r"\bwhat is this (?:tool|app|assistant|site|page) for\b", r"\bhow should i use you\b", r"\bwhat do you do\b", r"\bhelp me (?:get started|understand how (?:this|you))\b",
)  # fmt: skip
_SMALL_TALK = re.compile(
    r"^(?:\W*(?:(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day|night)|thanks?|thank you|thx|cheers|many thanks|bye|goodbye|ciao|farewell|see you|see ya|"
    r"ok(?:ay)?|great|perfect|cool|nice|awesome|excellent|wonderful|fantastic|brilliant|well done|good (?:job|work|one|bot)|nice (?:work|job|one|to meet you)|amazing|lovely|sorry|lol|haha+|yes|no|nope|yep|sure|"
    r"morning|evening|you rock|how do you do|what(?:'s| is) new|how are you|how(?:'s| is) (?:it going|life|everything|your day)|what(?:'s| is) up|who are you|who made you|what(?:'s| is) your name|are you (?:a |an )?(?:robot|bot|human|ai|real|person)|"
    r"have a (?:nice|good|great)|you(?:'re| are) (?:great|welcome|awesome|the best|funny|smart)|i (?:like|love) (?:you|it|this)|tell me a joke|happy \w+day|merry|welcome|got it|all good|good to know|no worries|no problem|that's all|understood|never ?mind|congrat\w+))\b"
    r"(?:[\s,.!?'’–-]+(?:there|all|team|everyone|you|so|very|a|lot|much|for|now|it|its|it's|that|that's|was|is|useful|helpful|perfect|great|good|nice|one|job|work|day|weekend|evening|morning|afternoon|week|tomorrow|later|soon|"
    r"again|ok|okay|thanks|thank|thx|bye|how|how's|are|going|doing|today|helped|of|your|the|help|today|my|friend|pal|man|made|robot|and|to|meet|me|i|appreciate|really|everything|all|done|then|please|no))*){1,4}\W*$",
    re.IGNORECASE,
)
_ABUSE = re.compile(
    r"^\W*(?:(?:you|this)\b(?:'re| are| is)?\W+)?(?:\w+\W+){0,5}(?:stupid|useless|dumb|idiot\w*|junk|garbage|crap|moron|nonsense)\b(?:\W+\w+){0,5}\W*$",
    re.IGNORECASE,
)
_OVERRIDING = re.compile(
    r"\b(?:ignore|forget|disregard|override)\b[^.?!]{0,30}\b(?:instructions?|prompts?|guardrails)\b|\b(?:system|hidden|initial) prompt\b",
    re.I,
)
"""Somebody tries to give the assistant other orders: nothing is asked of the documents."""
_VAGUE = _all(
    r"\b(?:have |take )?(?:a )?look (?:at|into)\b", r"\btell (?:me|us) (?:more |something )?about (?:this|that|these|those|it|them|both|xdoc)\b(?:\W*$|[^?]{0,12}\b" + _DOC + r"\W*$)",
    r"\btell (?:me|us) (?:more |something )?about (?:the|our|my) (?:\w+ ){0,3}" + _DOC + r"\W*$", r"^\W*" + _POLITE + r"(?:check|review|analy[sz]e|examine|read|handle|process|use|open|consider|study|go through|work on|do|take)\b\s+(?:this|that|it|them|both|these|those|xdoc|the|our|my)?(?:\s+\w+){0,3}\W*$",
    r"\bgo ahead\b", r"\bdo (?:the|your) (?:thing|magic|work|job)\b", r"\bwhat do you (?:think|make) (?:of|about)\b", r"\bthoughts\b", r"\bany (?:ideas|comments)\b", r"^\W*\w+\W*$",
)  # fmt: skip
_ELLIPTIC = re.compile(
    r"^\W*(?:and|or|what about|how about|same|also|again|now|then|this time|plus|likewise|ditto|do (?:it|that|the same)|once more|repeat|next|but)\b|\b(?:as well|too|instead|again|likewise)\W*$",
    re.IGNORECASE,
)
_TOPIC_OF_SUMMARY = _all(
    _SUMMARY_VERB + r"\s+(?:what(?! (?:we|i|you)\b)|how|when|who|which|where|why|whether)\b",
    r"\b(?:about|regarding|concerning|with (?:respect|regard) to|when it comes to|in terms of|focus(?:ing|ed)? on|related to|relating to|as to)\s+(?!this\b|it\b|that\b|them\b|\w*\s*" + _DOC + r"\W*$)\w+",
    _SUMMARY_VERB + r"\s+(?:the |all |its |their |our |any )(?!(?:\w+ ){0,3}?(?:" + _DOC + r"|changes|differences)\b)(?:[\w-]+ ){1,4}?(?:in|from|of|under|within|described in|set out in|contained in|laid down in) (?:the |our |this |that |each |both )?(?:\w+ ){0,2}" + _DOC + r"\b",
    r"xdoc(?:'s)?\s+(?:on|about|for)\s+\w+", r"\bsays?\s+(?:on|about)\b",
    _SUMMARY_VERB + r"\s+(?:the |all |its |their |our |any )?(?:[\w-]+ ){0,4}(?:" + _TOPICAL + r")\b(?!\s*" + _DOC + r")",
    r"xdoc'?s?\s+(?:" + _TOPICAL + r")\b", r"\b(?:section|article|chapter|annex|clause|paragraph|part)\s+\d",
)  # fmt: skip
_WHOLE_OF_DOCUMENT = re.compile(rf"\b(?:{_WHOLE})\b", re.IGNORECASE)
_BETWEEN_EQUALS = re.compile(
    r"\b(?:each other|one another)\b|\bare (?:the|these|both) (?:two )?\w+s (?:consistent|in line)\b|\bdiscrepanc|\baudit committee\b(?!.*compl)",
    re.IGNORECASE,
)
_ASKS_DUTY = re.compile(
    r"\W*(?:(?:please )?(?:tell|explain|show)(?: me)? )?(?:who|when|why|which (?!of our|requirements|obligations)\w+ (?:must|should|need|have)|how (?:do|does|can|should|must|would|long|many|often|much)\b|where is|"
    r"what (?:is|are|happens|does|should|steps?|must|do|can|if|counts|constitutes|would)\b)",
    re.IGNORECASE,
)
_FINE_AS_NOUN = re.compile(
    r"^\W*(?:what|which|how)\b.*\bfines?\b|\b(?:a|an|any|no|the|max(?:imum)?|min(?:imum)?|highest|xdoc) fines?\b(?! (?:with|under)\b)",
    re.IGNORECASE,
)
"""In "what is the maximum fine?" nobody asks whether something is fine."""
_OWN_GAP = re.compile(
    r"\b(?:gaps? (?:in|between|of) (?:our|my|the|xdoc)|non-?compliant|violations? in|falls? short|missing (?:from|in)|wrong with|how compliant|(?:are|is) (?:the|our) gaps?)\b",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"^\W*"
    + _POLITE
    + r"(?:is|are|was|were|has|have|had|does|do|when)\b[^.?!:]{1,80}\b(?:enforced|enforceable|(?:in(?:to)?|out of) (?:force|effect)|(?:take|takes|took) effect|valid|applicable|applies|apply|"
    r"effective|outdated|up[- ]to[- ]date|repealed|superseded|withdrawn|amended|replaced|revoked|suspended)\b",
    re.IGNORECASE,
)
"""Whether and since when a document holds: a question about the document, not a check of another one against it."""
_ABSTRACT_DIFFERENCE = re.compile(
    r"\b(?:differences?|distinction) between (?:an? |the )?(?!xdoc|these|those|them|both|two|our|documents?|\d{4}|versions?|editions?)[a-z][\w-]*(?: [a-z][\w-]*){0,3}? and (?:an? |the )?(?!xdoc|our|\d{4})[a-z][\w -]*\W*$"
)
_BY_NOW = re.compile(r"\b(?:what is|what's) [^?]{0,40} about\b[^?]{0,20}$", re.IGNORECASE)

_IMPERATIVES = {
    "summarize": re.compile(
        r"^\W*" + _POLITE + r"(?:(?:give|provide|write|prepare|make|create|produce|draft|get)\s+(?:me\s+|us\s+)?)?(?:an?\s+|the\s+)?(?:\w+\s+)?(?:\w+\s+)?"
        r"(?:summari[sz]e|summary|overview|recap|digest|tl;?dr|key points|sum\b.{0,30}\bup|condense|outline|brief me|rundown|gist)\b", re.IGNORECASE),
    "compare": re.compile(
        r"^\W*" + _POLITE + r"(?:compare|contrast|(?:list|show|highlight|give|tell|find|identify|spot)\b.{0,30}\bdifferences?|(?:do|run|make|give me)\b.{0,20}\bcomparison|(?:differences|comparison)\b)", re.IGNORECASE),
    "audit": re.compile(
        r"^\W*" + _POLITE + r"(?:audit\b(?! (?:committee|report|trail))|(?:run|do|conduct|perform|make|carry out)\b.{0,25}\b(?:audit|compliance|gap analysis)|(?:check|review|test|vet|verify|assess|validate|evaluate)\b.{0,80}"
        r"\b(?:complian\w+|compl(?:y|ies)|against|violations?|conform\w*|breach\w*|in line)|(?:find|flag|identify|list)\b.{0,30}\b(?:gaps|violations|breaches|non-complian\w+))", re.IGNORECASE),
    "inquire": re.compile(
        r"^\W*" + _POLITE + r"(?:(?:tell me|answer|explain|let me know)\s+(?:what|how|when|who|which|whether|why|where|if)|explain (?:section|article|chapter|clause)|(?:list|name|quote|cite|define|enumerate)\s+(?:the|all|every|each|any)\b)\b", re.IGNORECASE),
}  # fmt: skip
_BARE_VERB = re.compile(r"\b(?:please|kindly|can|could|would|you|first|just)\b", re.IGNORECASE)
_TYPED = re.compile(r"\b[A-Za-z]{6,}\b")
_ACTION_WORDS = ("summary", "summarize", "summarise", "compare", "comparison", "overview")
_MISSPELT = 85.0
_HEAD = re.compile(r"[.;,:!?\n]")
_BORDER = re.compile(r"[.;,!?\n]+\s*|\b(?:and|then|plus|afterwards)\b\s*", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;!?\n]|\b(?:then|plus|afterwards)\b", re.IGNORECASE)
_JOINT = re.compile(r"[\s,;]*(?:\b(?:and|then|also|afterwards|plus)\b[\s,]*)+$", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;,!?\n]+|\b(?:and|then|plus|as well as|afterwards)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cues:
    """What the wording alone says: a score in [0, 1] per label, actions asked for in so many words, the one the message begins
    with as an imperative, and whether it is vague or leans on what came before."""

    scores: dict[str, float] = field(default_factory=dict)
    requested: tuple[str, ...] = ()
    leading: str | None = None
    vague: bool = False
    elliptic: bool = False


@lru_cache(maxsize=2_000)
def request_text(message: str) -> str:
    """The request itself: tags as "xdoc" (a word, so that word boundaries hold), no greeting, no long quotation,
    ’ as '."""
    text = _QUOTE.sub(_quoted, in_english(request_of(message)).replace("’", "'"))
    text = re.sub(
        r"(?<!\w)w/(?!\w)", "with", re.sub(r"\b(what|who|where|when|how)s\b", r"\1's", text, flags=re.IGNORECASE)
    )
    text = _TYPED.sub(_spelled, _MENTION.sub("xdoc", text))
    text = _NAMED_RULE.sub(r"\1 xdoc", text)
    text = _NEGATED.sub(" ", text) if re.search(r"\w", _NEGATED.sub(" ", text)) else text
    text = _NAME_FIRST.sub("", text)
    for _ in range(3):
        shorter = _OPENING.sub("", text, count=1)
        if len(shorter.split()) < 2:
            break
        text = shorter
    return " ".join(text.split())


def _spelled(word: re.Match[str]) -> str:
    """ "summery" as "summary"."""
    near = [w for w in _ACTION_WORDS if fuzz.ratio(word[0].lower(), w) >= _MISSPELT]
    return near[0] if near and word[0].lower() not in _ACTION_WORDS else word[0]


def _quoted(quote: re.Match[str]) -> str:
    if reads_as_title(quote[1]):
        return "xdoc"
    return quote[0] if len(quote[1]) < _LONG_ENOUGH else " "


def read_cues(message: str) -> Cues:
    """Read the message's wording."""
    text = request_text(message)
    scores = scores_of(message)
    explicit = max(scores["summarize"], scores["compare"], scores["audit"]) >= 0.9
    vague = (bool(_VAGUE.search(text)) and not explicit) or not re.sub(r"xdoc|\W|\band\b", "", text)
    requested = requested_actions(text)
    elliptic = bool(_ELLIPTIC.search(text))
    leading = requested[0] if len(requested) == 1 and not elliptic and requested_actions(_HEAD.split(text)[0]) else None
    if leading == "inquire" and (explicit or audited_text(message)[1]):
        leading = None  # "tell me whether our policy complies with …"
    return Cues(scores, requested, leading, vague, elliptic)


def split_requests(message: str, actions: Sequence[str]) -> list[str]:
    """The words of each of ``actions``, in the message's order; the whole message for one that has no clause of its own."""
    starts: list[int] = []
    borders = [0, *(m.end() for m in _BORDER.finditer(message))]
    for action in actions:
        after = starts[-1] if starts else -1
        found = next((b for b in borders if b > after and requested_actions(request_text(_CLAUSE_END.split(message[b:])[0]))[:1] == (action,)), None)  # fmt: skip
        if found is None:
            return [message] * len(actions)
        starts.append(found)
    ends = [*starts[1:], len(message)]
    parts = [message[a:b].strip() for a, b in zip([0, *starts[1:]], ends, strict=True)]
    parts = [_JOINT.sub("", part) for part in parts]
    return [
        part if len(_BARE_VERB.sub("", part).split()) > 1 else message for part in parts
    ]  # "Summarize and audit @A"


def scores_of(message: str) -> dict[str, float]:
    """How strongly the wording points to each label, in [0, 1]."""
    text = request_text(message)
    scores = {"summarize": _summary_score(text), "compare": _compare_score(text), "audit": _audit_score(text)}
    scores["inquire"] = _inquire_score(text, max(scores.values()))
    scores["help"] = 1.0 if _HELP.search(text) and "xdoc" not in text else 0.0
    aside = " ".join(message.split())
    chats = _SMALL_TALK.match(aside) or _ABUSE.match(aside) or (_OVERRIDING.search(aside) and "xdoc" not in aside)
    scores["small_talk"] = 1.0 if chats else 0.0
    return scores


def requested_actions(text: str) -> tuple[str, ...]:
    """Actions asked for in imperative clauses, in order: "Summarize and audit this" asks for two (G2)."""
    found: list[str] = []
    for clause in _CLAUSE.split(text):
        for label, pattern in _IMPERATIVES.items():
            if pattern.search(clause):
                label = "inquire" if label == "summarize" and _is_topical_summary(clause) else label
                found += [label] if label not in found else []
                break
    found = [f for f in found if not (f == "inquire" and "compare" in found)]  # "compare and tell me which is stricter"
    if found == ["summarize"] and _is_topical_summary(text):
        return ("inquire",)
    return tuple(found)


def _is_topical_summary(text: str) -> bool:
    """ "Summarize X about topic Y" is a question about Y (G2)."""
    return bool(_TOPIC_OF_SUMMARY.search(text)) and not _WHOLE_OF_DOCUMENT.search(text) and not _BY_NOW.search(text)


def _summary_score(text: str) -> float:
    if not _SUMMARIZE.search(text):
        return 0.0
    if _is_topical_summary(text):
        return 0.3
    factual = re.match(r"\W*(?:does|do|is|are|when|who|must|should|how (?:many|long|often))\b", text, re.IGNORECASE)
    return 0.4 if factual else 1.0


def _compare_score(text: str) -> float:
    if not _COMPARE.search(text):
        return 0.0
    if _is_abstract_difference(text):
        return 0.3
    by_versus = not _COMPARE.search(re.sub(r"\b(?:versus|vs)\b", " ", text, flags=re.IGNORECASE))
    if by_versus and _audit_score(text) >= 1.0:
        return 0.5  # "gap analysis of A versus B" is an audit
    inside = re.search(
        r"\bsays?\b[^.?!]{0,30}\b(?:about|on) compar|\bcompar(?:ison|ing) (?:of )?(?:products|prices|offers)",
        text,
        re.IGNORECASE,
    )
    return 0.3 if inside else 1.0


def _is_abstract_difference(text: str) -> bool:
    """ "the difference between a controller and a processor" is a question about terms, not a comparison of documents."""
    found = _ABSTRACT_DIFFERENCE.search(text)
    return found is not None and not re.search(rf"\b{_DOC}\b", found.group(), re.IGNORECASE)


def _audit_score(text: str) -> float:
    if _FINE_AS_NOUN.search(text):
        text = re.sub(r"\bfines?\b", "penalty", text, flags=re.IGNORECASE)
    if not _AUDIT.search(text) or _BETWEEN_EQUALS.search(text):
        return 0.0
    return 0.35 if _ASKS_DUTY.match(text) and not _OWN_GAP.search(text) else 1.0


def _inquire_score(text: str, strongest_other: float) -> float:
    if _SUMMARIZE.search(text) and _is_topical_summary(text):
        return 1.0 if strongest_other < 0.9 else 0.6
    if strongest_other < 0.9 and _STANDING.search(text):
        return 1.0
    asked = bool(_QUESTION.search(text) or _ASKS.search(text))
    if not asked:
        return 0.2
    return 0.6 if strongest_other < 0.9 else 0.3
