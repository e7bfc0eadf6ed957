"""Quotations under the title of their document, once (U2d); editions in force first (G4)."""

from __future__ import annotations

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.domain.documents import DocumentType, Passage
from policypal.graph.agent.actions.quotations import statements_markdown
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
    shown = statements_markdown([quoted(1, OLD), quoted(2, NEW), quoted(3, MORE)], evidence, citer, must_cite=True)
    assert shown == (
        f"**Rule\\*book\\* (2025)**\n\n- “{NEW}” 📄1\n- “{MORE}” 📄2\n\n"
        f"**Rule\\*book\\* (2023)** · *superseded by 2025*\n\n- “{OLD}” 📄3"
    )


def test_c2_a_quotation_that_stands_nowhere_is_not_shown() -> None:
    evidence, citer = cited(NEW)
    sentences = [quoted(1, "Every bank pays a yearly fee of 900 crowns."), quoted(1, NEW)]
    shown = statements_markdown(sentences, evidence, citer, must_cite=True)
    assert NEW in shown and "900" not in shown


def test_c2b_a_sentence_without_its_quotation_is_not_supported_where_it_must_cite() -> None:
    evidence, citer = cited(NEW)
    alone = CitedSentence(text="Banks keep records.")
    assert statements_markdown([alone], evidence, citer, must_cite=False) == alone.text and not citer.flagged
    assert statements_markdown([alone], evidence, citer, must_cite=True) == alone.text and citer.flagged == 1
