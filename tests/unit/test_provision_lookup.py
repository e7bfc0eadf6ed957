"""Provisions by label and by heading, and what a question is about (A2)."""

from __future__ import annotations

import pytest
from policypal.search.labels import asked_label

from policypal.answer.questions import topic_of
from policypal.domain.documents import Page
from policypal.search.provisions import Provision, headed, labelled, names_topic

ACT = (
    Page(1, "CONTENTS\nArticle 7 Records .......... 2\nArticle 8 Gifts .......... 2\n17 A footnote of three words."),
    Page(
        2,
        "Article 7\nRecords\n1. A bank shall keep a record of every payment.\n2. A bank shall keep records for:\n"
        "(a) payments: seven years;\n(b) gifts: two years.\nArticle 8\nGifts\nNo gift shall be accepted.",
    ),
)
STANDARD = (
    Page(
        1,
        "AC-11 – Device Lock\n\nFor all systems:\n1) Lock the device after fifteen (15) minutes.\n\nAC-12 – Session\n\nFor all"
        " systems:\n1) End a session after ninety (90) minutes.\n\nV7.2 Tokens\n\n7.2.1 Verify that a token is random.\n7.2.2 Verify"
        " that a token expires.",
    ),
    Page(2, "Part 5 Outsourcing\n\n5.1 A contract must be in writing.\n5.2 A bank must not outsource compliance."),
    Page(3, "5.3 A bank must keep a register.\n\nPart 6 Complaints\n\n6.1 A complaint must be answered."),
)


def words(pages: tuple[Page, ...], question: str) -> str:
    asked = asked_label(question)
    assert asked is not None, question
    found = (labelled(pages[n:], asked[0]) for n in range(len(pages)))
    provision = max((p for p in found if p), key=lambda p: p.size, default=None)
    return "" if provision is None else said(pages, provision)


def said(pages: tuple[Page, ...], provision: Provision) -> str:
    texts = {p.number: p.text for p in pages}
    return "\n".join(texts[s.page][s.start : s.end] for s in provision.stretches)


@pytest.mark.parametrize(
    ("pages", "question", "begins", "ends"),
    [
        (ACT, "What does article 7 say?", "Article 7", "two years."),
        (ACT, "art. 8", "Article 8", "accepted."),
        (ACT, "Article 7(2)", "2. A bank shall keep records for:", "two years."),
        (STANDARD, "AC-11", "AC-11 – Device Lock", "(15) minutes."),
        (STANDARD, "what does 7.2.1 require?", "7.2.1 Verify", "random."),
        (STANDARD, "rule 5.2", "5.2 A bank", "compliance."),
        (STANDARD, "Please show me part 5", "Part 5 Outsourcing", "register."),
    ],
)
def test_a2_a_provision_is_found_whole_by_its_label(
    pages: tuple[Page, ...], question: str, begins: str, ends: str
) -> None:
    found = words(pages, question)
    assert found.startswith(begins) and found.endswith(ends), found


@pytest.mark.parametrize("question", ["Article 9", "AC-13", "section 7.3", "What does article 17 say?", "rule 5.9"])
def test_a2_what_no_line_is_labelled_is_not_found(question: str) -> None:
    """Neither a table of contents nor a footnote makes a provision."""
    assert words(ACT, question) == words(STANDARD, question) == ""


@pytest.mark.parametrize(
    "question",
    ["Is a ratio of 12.5 % enough?", "What part a bank plays?", "Within 2.5 hours?", "articles 7 and article 8"],
)
def test_a2_figures_and_several_labels_are_none(question: str) -> None:
    assert asked_label(question) is None


def test_a2_a_section_is_what_stands_under_its_heading() -> None:
    section = headed(STANDARD[1:], "Part 5 Outsourcing")
    assert section is not None
    assert said(STANDARD, section).splitlines()[-1] == "5.3 A bank must keep a register."
    assert names_topic("Part 5 Outsourcing", "outsourcing") == 1.0
    assert 0 < names_topic("Article 8 Conditions for the consent of a child", "consent of children") < 1.0
    assert names_topic("Part 5 Outsourcing", "outsourcing abroad") == 0.0


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What does it say about outsourcing?", "outsourcing"),
        ("What does say about consent of children?", "consent of children"),
        ("Does it say anything about biometric identification?", "biometric identification"),
        ("Is there something about gifts?", "gifts"),
        ("rules on outsourcing", "outsourcing"),
        ("What are the rules on outsourcing and what must the contract contain?", "outsourcing"),
        ("What do want for beneficial ownership?", "beneficial ownership"),
        ("encryption - what does say", "encryption"),
        ("What is the limit on gifts?", ""),
        ("How long must records on complaints be kept?", ""),
        ("On what grounds may data be processed?", ""),
        ("What must the contract contain?", ""),
        ("Who decides on fines?", ""),
    ],
)
def test_a2_what_a_question_asks_everything_about(question: str, topic: str) -> None:
    assert topic_of(question) == topic
