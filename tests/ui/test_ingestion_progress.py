"""A batch on the documents page: followed, cancelled, tried again (D4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from policypal.application import intake, library, processing
from policypal.application.intake import Upload
from policypal.application.processing import Batch
from policypal.domain.documents import DocumentStatus, DocumentType
from policypal.ui.documents.ingestion_progress import outcome, summary
from tests.support import pdf_factory
from tests.ui.conftest import Desk, labels, press, texts

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _batch(ready: int = 0, failed: int = 0, seconds_left: float | None = None) -> Batch:
    return Batch(NOW - timedelta(minutes=5), (), ready, failed, 1.0, seconds_left, ready + failed)


def test_d4_a_batch_is_told_in_words() -> None:
    assert summary(_batch(7, 1, 130)) == "7 of 8 documents ready · 1 failed · about 2 min left"
    assert summary(_batch(1, 0, 20)) == "1 of 1 document ready · less than a minute left"
    assert summary(_batch(1, 0, 4000)).endswith("about 1 h 7 min left")
    assert outcome(_batch(1)) == "1 document ready."
    assert outcome(_batch(18, 2)) == "18 of 20 documents ready; 2 could not be read."


def test_d4_one_and_all_can_be_cancelled_and_tried_again(desk: Desk) -> None:
    bombs = [pdf_factory.page_bomb(pages) for pages in (199, 200, 201)]
    ids = [intake.add_document(*desk, Upload(f"b{n}.pdf", b, DocumentType.COMPANY)).id for n, b in enumerate(bombs)]
    tab = desk.open("documents")
    assert "0 of 3 documents ready" in texts(tab)
    press(tab, f"cancel_{ids[0]}")
    assert library.get_document(*desk, ids[0]).reason_code == processing.CANCELLED
    assert "0 of 2 documents ready" in texts(tab)
    press(tab, "cancel_all")
    found = library.list_documents(*desk, ids=ids)
    assert {(d.status, d.reason_code) for d in found} == {(DocumentStatus.FAILED, processing.CANCELLED)}
    assert "Cancel all" not in labels(tab)
    assert "3 documents cancelled." in texts(tab)
    assert "could not be read" not in texts(tab) and not any("Failed" in label for label in labels(tab))
    press(tab, "retry_all")
    assert not any(d.status.is_final for d in library.list_documents(*desk, ids=ids))
    processing.cancel_all(*desk)
