"""Quotations under the title of their document, once (U2d); editions in force first (G4)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.answer.lines import ShownProvision, lines_of
from policypal.answer.view import View
from policypal.domain.citations import RELATED
from policypal.domain.documents import DocumentType, Passage
from policypal.domain.provisions import Kind
from policypal.graph.agent.actions.quotations import statements_markdown, view_markdown
from policypal.graph.citing import Citer

OLD = "A bank must keep records for five years."
NEW = "A bank must keep records for seven years."
MORE = "A bank must keep them safe."


def cited(*texts: str) -> tuple[list[Evidence], Citer]:
    versions = ["2023" if text == OLD else "2025" for text in texts]
    passages = [
        Passage(f"p{n}", v, "Rule*book*", v, DocumentType.REGULATORY, n, n, 0, len(t), None, t)
        for n, (t, v) in enumerate(zip(texts, versions, strict=True), 1)
    ]
    evidence = [
        Evidence(
            number=n, document=p.document_label, page=n, text=p.text, superseded_by="2025" if p.text == OLD else ""
        )
        for n, p in enumerate(passages, 1)
    ]
    return evidence, Citer(passages, {(p.document_id, p.page): p.text for p in passages})


def quoted(number: int, words: str) -> CitedSentence:
    return CitedSentence(text=f"“{words}”", quotes=[Quote(evidence=number, text=words)])


def test_u2d_each_document_is_named_once_and_the_edition_in_force_first() -> None:
    evidence, citer = cited(OLD, NEW, MORE)
    shown = []
    for e in evidence:
        (line,) = lines_of(e)
        shown.append(ShownProvision((line,), line, 1.0))
    assert view_markdown(View(tuple(shown)), citer) == (
        f"**Rule\\*book\\* (2025)**\n\n- {NEW} 📄1\n- {MORE} 📄2\n\n"
        f"**Rule\\*book\\* (2023)** · *superseded by 2025*\n\n- {OLD} 📄3"
    )
    assert [c.quote for c in citer.citations] == [NEW, MORE, OLD] and all(c.verified for c in citer.citations)


def test_c2b_a_sentence_without_its_quotation_is_not_supported_where_it_must_cite() -> None:
    _, citer = cited(NEW)
    alone = CitedSentence(text="Banks keep records.")
    assert statements_markdown([alone], citer, must_cite=False) == alone.text and not citer.flagged
    assert statements_markdown([alone], citer, must_cite=True) == alone.text and citer.flagged == 1


def test_d11_a_section_is_headed_once_and_its_provisions_stand_in_reading_order_each_with_its_number_and_citation() -> (
    None
):
    texts = ["5.1 A bank must keep records.", "5.2 A bank must keep them safe.", "5 years is the least."]
    passages = [
        Passage(
            f"p{n}", "d", "Rules", "", DocumentType.REGULATORY, n, 1, 100 * n, 100 * n + len(t), "Part 5 Records", t
        )
        for n, t in enumerate(texts, 1)
    ]
    evidence = [
        Evidence(
            number=n, document="Rules", page=1, heading=p.heading, text=p.text, provision=n, start=p.start,
            label="5.3" if n == 3 else p.text[:3], kinds=[Kind.OBLIGATION],
        )
        for n, p in enumerate(passages, 1)
    ]  # fmt: skip
    (first,), (second,), (third,) = map(lines_of, evidence)
    citer = Citer(passages, {})
    found = View(
        (ShownProvision((second,), second, 1.0), ShownProvision((first,), first, 0.9)),
        related=(ShownProvision((third,), third, 0.2),),
    )
    assert view_markdown(found, citer).split(f"\n\n{RELATED}\n\n") == [
        "**Rules**\n\n- Part 5 Records\n  - **5.1** A bank must keep records. 📄1\n  - **5.2** A bank must keep them safe. 📄2",
        "**Rules**\n\n- Part 5 Records\n  - **5.3** 5 years is the least. 📄3",
    ]


@pytest.mark.parametrize(
    ("label", "words", "shown"),
    [
        ("Art. 33(1)", "1. In the case of fire", "**Art. 33(1)** In the case of fire"),
        ("22(1)", "22. (1) The member may resign", "**22(1)** The member may resign"),
        ("AC-19(5)(1)", "1) Employ encryption", "**AC-19(5)(1)** Employ encryption"),
        ("44", "44. A bank reports", "**44**. A bank reports"),
        ("7.2", "1. Another number", "**7.2** 1\\. Another number"),
        ("8", "14 days are enough", "**8** 14 days are enough"),
    ],
)
def test_d11_the_number_of_a_provision_is_said_once(label: str, words: str, shown: str) -> None:
    evidence, citer = cited(words)
    (line,) = lines_of(evidence[0].model_copy(update={"label": label, "provision": 1}))
    assert f"- {shown} 📄1" in view_markdown(View((ShownProvision((line,), line, 1.0),)), citer)
