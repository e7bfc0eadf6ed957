"""An attached draft becomes text, or a reason an analyst understands (U3, D6, D7)."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest

from policypal.application import drafts, library
from policypal.application.container import Container
from policypal.application.drafts import read_draft
from policypal.domain.users import User
from policypal.errors import (
    DamagedDocument,
    DocumentTooLarge,
    EmptyDocument,
    NoReadableText,
    NotADocument,
    PasswordRequired,
    PolicyPalError,
)
from tests.support import pdf_factory

_SENTENCE = "Customers are promised a return of eight percent."
_MAIL = (
    "From: sales@bank.example\nTo: all@bank.example\nSubject: Growth plan\nDate: Mon, 3 Mar 2025 09:00:00 +0000\n"
    f"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\nHello,\n\n{_SENTENCE}\n"
).encode()


def _word(*paragraphs: str) -> bytes:
    document, stream = docx.Document(), io.BytesIO()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plan.txt", _SENTENCE.encode("utf-8-sig")), ("plan.txt", _SENTENCE.encode("utf-16")),
        ("plan.md", f"# Plan\n\n{_SENTENCE}".encode()), ("plan.docx", _word("Plan", _SENTENCE)),
        ("plan.pdf", pdf_factory.text_pdf([["Plan", _SENTENCE]])), ("plan.eml", _MAIL),
    ],
    ids=["txt", "utf-16", "md", "docx", "pdf", "eml"],
)  # fmt: skip
def test_u3_every_kind_of_draft_is_read(app: Container, name: str, data: bytes) -> None:
    draft = read_draft(app, name, data)
    assert draft.name == name
    assert _SENTENCE in draft.text


def test_u3_a_draft_is_read_whole_and_does_not_enter_the_library(app: Container, user: User) -> None:
    paragraphs = [f"Clause {n} says that fee number {n} is charged to the customer every year." for n in range(300)]
    text = read_draft(app, "long.txt", "\n\n".join(paragraphs).encode()).text
    assert text.split("\n\n") == paragraphs
    assert library.list_documents(app, user) == []


def test_u3_a_sentence_over_the_end_of_a_page_stays_together(app: Container) -> None:
    pdf = pdf_factory.text_pdf([["The fee is charged", "every year unless the"], ["customer objects."]])
    text = " ".join(read_draft(app, "a.pdf", pdf).text.split("\n"))
    assert "every year unless the customer objects." in text


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("empty.txt", b"", EmptyDocument), ("blank.txt", b" \n\n ", EmptyDocument),
        ("tool.txt", b"MZ\x90\x00\x03" + bytes(500), NotADocument), ("locked.pdf", pdf_factory.encrypted_pdf(["Secret."], "open sesame"), PasswordRequired),
        ("scan.pdf", pdf_factory.blank_pdf(), NoReadableText), ("cut.pdf", b"%PDF-1.7\nnothing more of it", DamagedDocument),
        ("big.txt", b"x" * (drafts.MAX_DRAFT_BYTES + 1), DocumentTooLarge), ("long.txt", b"word " * 250_000, DocumentTooLarge),
    ],
)  # fmt: skip
def test_d7_a_draft_that_cannot_be_read_is_refused_in_words(
    app: Container, name: str, data: bytes, error: type[PolicyPalError]
) -> None:
    with pytest.raises(error) as refused:
        read_draft(app, name, data)
    assert refused.value.title and len(refused.value.message) > 15


def test_x4_the_name_of_a_draft_is_no_path(app: Container, tmp_path: Path) -> None:
    target = tmp_path / "written.txt"
    read_draft(app, str(target), _SENTENCE.encode())
    assert not target.exists()
