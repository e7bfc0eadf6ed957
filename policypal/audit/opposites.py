"""Words that exclude each other: what a rule wants, and what a claim must then not say (A4)."""

from __future__ import annotations

import re

OPPOSITES: list[tuple[re.Pattern[str], re.Pattern[str]]] = [
    (re.compile(a, re.I), re.compile(b, re.I))
    for a, b in [
        (r"\bencrypt", r"\b(?:unencrypted|plain ?text|clear ?text|in the clear)\b"),
        (r"\b(?:in writing|written)\b", r"\b(?:oral(?:ly)?|verbal(?:ly)?|by (?:tele)?phone|over the phone)\b"),
        (r"\b(?:confidential|secret|secrecy)", r"\b(?:disclos|reveal|shar(?:e|es|ed|ing)\b|publish|publicly|tells?\b|pass(?:es|ed)? on\b)"),
        (r"\b(?:free of (?:any )?charge|at no (?:cost|charge)|without (?:charge|cost)|for free|(?:no|not)\b.{0,40}\b(?:fees?|charges?|charged|surcharges?|costs?))\b(?!.{0,40}\b(?:exceed|more|above|higher|than|beyond))", r"\b(?:(?:is|are|be) charged|costs? (?=\S*\d)|(?:cost|price)s? of\b.{0,60}\b(?:deducted|borne by|charged|recovered|passed)|deducted|(?:a|the) (?:\w+ )?(?:fee|charge|surcharge|contribution)s? (?:of|is|applies|for)|payable|pays? (?:for|half|part)|at (?:his|her|their|your) own (?:cost|expense))\b"),
        (r"\b(?:explicit|express|affirmative|freely given|opt[- ]in)\b", r"\b(?:implied|opt[- ]?out|pre-?ticked|pre-?checked|assumed?|presumed?|deemed|by default|silence)\b"),
        (r"\b(?:segregat|separate)", r"\b(?:commingl\w+|co-?mingl\w+|mixed|pooled|(?:same|single|common|joint|one) (?:\w+ )?(?:account|container|room|file|system|place)s?|together with|alongside)\b"),
        (r"\bindependent", r"\b(?:same person|reports? to the head of|performed by the business|its own work)\b"),
        (r"\b(?:individual|unique|personal)\b.{0,20}\b(?:accounts?|credentials?|ids?|passwords?)\b", r"\b(?:shared|generic|common) (?:\w+ )?(?:accounts?|credentials?|ids?|passwords?)\b"),
        (r"\b(?:different|another|remote|separate|distant)\b", r"\bsame (?:\w+ )?(?:building|site|place|room|account|location|system|person|team|department|network|data cent(?:re|er)|premises|provider|server|address)s?\b"),
        (r"\b(?:within|inside|in) the (?:country|eu|eea|(?:european )?union|territory|jurisdiction)\b", r"\b(?:abroad|overseas|foreign|third countr\w+|outside (?:of )?the|offshore)\b"),
        (
            r"\b(?:active|switched on|enabled|operational|in operation|running)\b",
            r"\b(?:switched off|turned off|deactivated|disabled|inactive|out of operation|shut (?:down|off))\b",
        ),
        (r"\b(?:original|certified)\b", r"\b(?:uncertified|plain|simple) cop(?:y|ies)\b"),
        (r"\b(?:automatic(?:ally)?)\b", r"\b(?:manual(?:ly)?|by hand)\b"),
        (r"\b(?:in person|face[- ]to[- ]face)\b", r"\b(?:remotely|online|by (?:tele)?phone|by video|by e-?mail)\b"),
        (r"\b(?:locked|closed|sealed)\b", r"\b(?:unlocked|left open|wedged open|kept open|propped open|unsealed)\b"),
        (r"\b(?:annual|year|month|week|da(?:y|ily)|quarter)\w*\b", r"\b(?:abolished|discontinued|suspended until further notice)\b"),
        (r"\b(?:prominent|clearly|conspicuous)", r"\b(?:small print|fine print|footnotes?|hidden|buried)\b"),
    ]
]  # fmt: skip
"""(wanted by the rule, excluded in the claim)."""
