"""What a file's name tells about it, and which document it may be a new version of (D1, D8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from policypal.application.metadata import likely_previous, title_from_filename, version_in
from policypal.domain.documents import Document, DocumentStatus, DocumentType


def _document(title: str, version: str = "", *, id: str = "", previous: str | None = None) -> Document:
    return Document(
        id=id or title, title=title, version=version, type=DocumentType.REGULATORY, filename="a.pdf", media_type="",
        sha256="", size_bytes=1, storage_key="", status=DocumentStatus.READY, created_at=datetime.now(UTC),
        previous_version_id=previous,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("filename", "title", "version"),
    [
        ("rulebook_2024.pdf", "Rulebook", "2024"),
        ("rulebook_2024.pdf", "Rulebook 2024", ""),
        ("policy v2.1.docx", "Policy", "v2.1"),
        ("2023_to_2024.pdf", "Report", ""),
        ("case_12024.pdf", "Case", ""),
        ("policy.pdf", "Policy", ""),
    ],
)
def test_d1_the_version_in_a_file_name_is_offered_if_it_is_certain(filename: str, title: str, version: str) -> None:
    assert version_in(filename, title) == version


@pytest.mark.parametrize(
    ("title", "known", "found"),
    [
        ("Operational Conduct Rulebook 2025", "Operational Conduct Rulebook (2023)", True),
        ("Anti-Money Laundering Policy v2.0", "Anti Money Laundering Policy", True),
        ("Data Protection Policy", "Data Retention Policy", False),
        ("قانون حماية البيانات 2024", "قانون حماية البيانات 2019", True),
        ("2024", "2023", False),
    ],
)
def test_d8_a_title_that_differs_in_its_version_only_is_a_new_version(title: str, known: str, found: bool) -> None:
    assert (likely_previous(title, [_document("Travel Policy"), _document(known)]) is not None) is found


def test_d8_of_several_versions_the_latest_is_offered() -> None:
    first = _document("Conduct Rulebook", "2021", id="1")
    second = _document("Conduct Rulebook", "2023", id="2", previous="1")
    found = likely_previous("Conduct Rulebook 2025", [second, first])
    assert found is not None and found.id == "2"


def test_d1_a_title_from_a_file_name_reads_like_one() -> None:
    assert title_from_filename("folder/Code_of-conduct.v2.pdf") == "Code of conduct.v2"
    assert title_from_filename("___.pdf") == "Untitled document"
