"""What a summary says about the user's own company: only what can be quoted (A1, U9)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import CitedSentence
from policypal.domain.users import Profile
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.summary.relevance import RELEVANT
from policypal.summary.task import SUMMARIZE, SummarizeInput
from tests.support.readings import readings

EMBEDDER = WordLlamaEmbedder()
TEXT = """1. A bank must appoint a data officer before it processes personal data.
2. An insurer must keep its policy register for at least ten years.
3. A branch in Malaysia must report to the local supervisor within 3 days of an incident.
4. Issuers of prepaid cards must hold client money in a separate account at all times.
5. The supervisor of Singapore may exempt a branch from the duty to publish its accounts.
6. An investment firm must record telephone orders and keep the records for five years.
7. Management must approve the internal control system of the service provider every year.
8. Kinara Bank Berhad is licensed to take deposits under the conditions of this annex."""


def relevance(profile: Profile) -> list[CitedSentence]:
    given = SummarizeInput(request="Summarize", titles=["Rules"], readings=readings({"Rules": (TEXT,)}))
    return SUMMARIZE.extractive(given, TaskContext(EMBEDDER, profile)).relevance


def said(profile: Profile) -> str:
    return "\n".join(s.text for s in relevance(profile))


@pytest.mark.parametrize(
    ("profile", "words", "label"),
    [
        (Profile(country="Malaysia"), "branch in Malaysia must report", "On Malaysia (your country)"),
        (Profile(country="Norway and Singapore"), "supervisor of Singapore", "On Singapore (your country)"),
        (Profile(industry="Insurers"), "insurer must keep its policy register", "On Insurers (your industry)"),
        (Profile(industry="Retail banking"), "bank must appoint", "On banking (your industry)"),
        (Profile(industry="asset management, investment firms"), "record telephone orders", "(your industry)"),
        (Profile(company="Kinara Bank Berhad"), "licensed to take deposits", "(your company)"),
        (Profile(description="We issue prepaid cards to students."), "client money", "(what your company does)"),
    ],
)
def test_a1_every_part_of_the_profile_finds_what_names_it(profile: Profile, words: str, label: str) -> None:
    assert words in said(profile) and label in said(profile)


@pytest.mark.parametrize(
    "profile",
    [
        Profile(),
        Profile(country="Norway"),
        Profile(industry="Aviation"),
        Profile(industry="Service providers, management"),
        Profile(company="Other Holding Ltd"),
        Profile(description="We sell services to other companies and manage their people."),
        Profile(industry="the of and", country="  ", company="…"),
    ],
)
def test_a1_what_concerns_nobody_in_particular_is_not_said_to(profile: Profile) -> None:
    assert relevance(profile) == []


def test_a1_the_country_comes_first_and_no_part_crowds_out_another() -> None:
    full = Profile("Kinara Bank Berhad", "Malaysia", "Retail banking", "Prepaid cards", asked=True)
    told = relevance(full)
    assert len(told) <= RELEVANT
    assert "(your country)" in told[0].text
    assert [label in said(full) for label in ("your industry", "your company", "what your company does")] == [True] * 3


def test_c1_every_statement_is_a_quotation() -> None:
    for sentence in relevance(Profile("Kinara Bank Berhad", "Malaysia", "Retail banking", "Prepaid cards")):
        assert sentence.quotes and all(q.text in TEXT for q in sentence.quotes)
