"""Situations in which PolicyPal has to ask, on either engine (G7, C5)."""

from __future__ import annotations

from policypal.application import intake
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from tests.support.conversation import Speaker
from tests.support.pdf_factory import blank_pdf
from tests.support.timeouts import LONGEST_WAIT_SECONDS

DRAFT = "We report every serious incident to the Authority within 72 hours after discovery."
NONSENSE = "Which vaccination does the zebra in the aquarium need?"


def ambiguous(speaker: Speaker, *documents: Document) -> None:
    speaker.model_reads(candidates=[d.id for d in documents], documents=[])


def weak_evidence(speaker: Speaker) -> None:
    """Searched with this, nothing is found that is like it, and the model finds no answer; the keyless engine searches with
    the message itself."""
    speaker.model_reads(question="zebra aquarium vaccination")
    speaker.model_says("Answer", found=False, sentences=[{"text": "No zebra is vaccinated.", "cites": []}])


def nothing_searchable(speaker: Speaker) -> Document:
    """A library whose only document could not be read, so that a model would have to answer without evidence (C5)."""
    upload = intake.Upload("blank.pdf", blank_pdf(), DocumentType.REGULATORY, title="Blank Rule")
    queued = intake.add_document(speaker.app, speaker.user, upload)
    (document,) = intake.wait_until_final(speaker.app, speaker.user, [queued.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    assert document.status is DocumentStatus.FAILED
    return document
