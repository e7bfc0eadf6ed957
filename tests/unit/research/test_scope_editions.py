"""Research searches the edition in force, unless the goal speaks of an older one (G4)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.research.scope import sources_in_force


def edition(version: str) -> Document:
    return Document(
        id=version, title="Conduct Rulebook", version=version, type=DocumentType.REGULATORY, filename="r.pdf",
        media_type="application/pdf", sha256=version, size_bytes=1, storage_key=version, status=DocumentStatus.READY,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


LIBRARY = [edition("2023"), edition("2025")]


@pytest.mark.parametrize(
    ("goal", "searched"),
    [
        ("Report on what applies today to outsourcing", ["2025"]),
        ("Report on the latest rules on outsourcing", ["2025"]),
        ("Outsourcing under the Conduct Rulebook 2025", ["2025"]),
        ("Outsourcing under the Conduct Rulebook 2023", ["2023", "2025"]),
        ("What did the old rulebook require?", ["2023", "2025"]),
        ("How the two editions of the rulebook differ on outsourcing", ["2023", "2025"]),
    ],
)
def test_g4_a_report_rests_on_editions_in_force(goal: str, searched: list[str]) -> None:
    assert [d.id for d in sources_in_force(LIBRARY, goal)] == searched
