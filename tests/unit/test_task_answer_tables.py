"""Questions answered by the rows of tables that extraction has flattened to lines (A2)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import Evidence
from policypal.answer.rows import is_row
from policypal.answer.statements import statements_of
from policypal.answer.task import ANSWER, Answer, AnswerInput
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder

CONTEXT = TaskContext(WordLlamaEmbedder())
TABLE = """The following table shows how long records are kept.
Retention of records (years) 2024 2025
Customer contracts 8 10
Telephone recordings 3 5
Payment instructions 6 7
Complaint files 4 5
Records are destroyed by a certified provider at the end of these periods."""
FEES = """Schedule of fees
Annual licence fee EUR 12,500
Inspection on site EUR 4,800
Late filing surcharge EUR 950"""


def ask(question: str, *texts: str) -> Answer:
    evidence = [Evidence(number=n, document="Handbook", page=n, text=t, score=1.0) for n, t in enumerate(texts, 1)]
    return ANSWER.extractive(AnswerInput(question=question, evidence=evidence, titles=["Handbook"]), CONTEXT)


@pytest.mark.parametrize(
    "line",
    [
        "The bank must report within 5",
        "(a) 5 years 6",
        "Year 2024 2025",
        "Complaint files",
        "12 14 16",
        "Fees apply from 2 to 5.",
    ],
)
def test_a2_prose_labels_and_column_heads_are_no_rows(line: str) -> None:
    assert not is_row(line)


def test_a2_prose_around_a_table_stays_prose() -> None:
    rows = [s.text for s in statements_of([Evidence(number=1, document="H", page=1, text=TABLE)]) if s.is_row]
    assert len(rows) == 4
    prose = [s.text for s in statements_of([Evidence(number=1, document="H", page=1, text=TABLE)]) if not s.is_row]
    assert any(t.startswith("Records are destroyed") for t in prose)
