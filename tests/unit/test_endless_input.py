"""Text that never comes to a point, as long as a message may be, is read in moments (bad input).

A pattern that tries every beginning against all that follows needs half a minute for some of these, and holds the interpreter
for everybody meanwhile.
"""

from __future__ import annotations

import time

import pytest

from policypal.application.answer_checks import MAX_MESSAGE_CHARACTERS
from policypal.audit.engine import audit
from policypal.audit.register import entries_of
from policypal.audit.units import claims_of, read_text, rules_of
from policypal.ingest.drafts import request_of, split_audit_request
from policypal.request import conversation_titles
from policypal.request.focus import focus_of
from policypal.request.intent import intent_by_rules
from policypal.request.material import audited_text, own_statement
from policypal.request.said import Said
from policypal.request.web_need import asks_for_web, without_web_wish
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.text.sentences import MAX_SENTENCE_CHARACTERS, split_sentences

RULES = (
    "Banks must keep records of every complaint for five years. A bank must notify the competent authority within 24 hours of "
    "an incident and must state the cause, the customers affected and the measures taken. Advertising must not promise returns."
)
ENDLESS = [
    "“", "«", '"a', "[", "[a](", "<a ", "; ", "A. ", "a.", "1.", "1 ", "12 days ", "€1", "-", "- ", "( ", "must ", "and ", "or ",
    "the ", "at least a ", "not until ", "competent ", "of ", "\t ", "\n ", "a", ": ", "only on ", "don't ",
]  # fmt: skip
SECONDS = 40.0
"""At most six on an idle machine; it was between half a minute and ten minutes."""


@pytest.mark.parametrize("endless", ENDLESS, ids=repr)
def test_x4_endless_text_is_read_in_moments(endless: str) -> None:
    text = (endless * MAX_MESSAGE_CHARACTERS)[:MAX_MESSAGE_CHARACTERS]
    began = time.perf_counter()
    request_of(text)
    split_audit_request(text)
    audited_text(text)
    own_statement(text)
    focus_of(text)
    intent_by_rules(Said(message=text))
    asks_for_web(text)
    without_web_wish(text)
    conversation_titles.title_of_words(text)
    sentences = split_sentences(text)
    assert time.perf_counter() - began < SECONDS / 10
    assert all(len(s.text) <= MAX_SENTENCE_CHARACTERS and text[s.start : s.end] == s.text for s in sentences)
    assert "".join("".join(s.text for s in sentences).split()) == "".join(text.split()), "nothing is lost"
    rules = rules_of("rules", entries_of(read_text(RULES), {}))
    audit("text", claims_of("", read_text(text)), rules, {"rules": "Rules"}, WordLlamaEmbedder())
    assert time.perf_counter() - began < SECONDS
