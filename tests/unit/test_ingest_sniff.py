"""A file's type is told from its content (D7)."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest

from policypal.errors import EmptyDocument, NotADocument
from policypal.ingest.sniff import DOCX, EMAIL, HTML, MARKDOWN, PDF, TEXT, contradiction, detect_media_type
from tests.support import pdf_factory


def _zip(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return stream.getvalue()


def _docx() -> bytes:
    stream = io.BytesIO()
    docx.Document().save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "filename", "expected"),
    [
        (pdf_factory.text_pdf([["x"]]), "rules.txt", PDF),
        (b"junk before\n" + pdf_factory.text_pdf([["x"]]), "rules.pdf", PDF),
        (_docx(), "policy.pdf", DOCX),
        (b"\xef\xbb\xbf  <!DOCTYPE html><html></html>", "page", HTML),
        (b"<!-- saved --><html><body>x</body></html>", "page.txt", HTML),
        (b"# Policy\n\nText", "policy.md", MARKDOWN),
        (b"Plain text with a < b", "policy.txt", TEXT),
        ("Größe".encode("utf-16"), "policy.txt", TEXT),
        (b"From: a@b.c\r\nTo: d@e.f\r\nSubject: Hi\r\n\r\nHello", "mail", EMAIL),
        (b"From: the beginning\n\nA text that only looks like a mail.", "note.txt", TEXT),
        ("<html><body><p>Größe</p></body></html>".encode("utf-16"), "page.html", HTML),
        (b"<script>x()</script><b>Text</b>", "page.html", HTML),
        (b"<b>not a page</b>", "note.txt", TEXT),
        (b"From - Mon Jan 1 2024\nX-Mozilla-Status: 0\nFrom: a@b.c\nTo: d@e.f\nSubject: Hi\n\nHello", "saved", EMAIL),
        (b"MZ Bank rules for retention of records", "a.txt", TEXT),
    ],
)
def test_d7_content_decides_not_the_extension(data: bytes, filename: str, expected: str) -> None:
    assert detect_media_type(data, filename) == expected


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\x00" * 100])
def test_d7_empty_files_are_empty(data: bytes) -> None:
    with pytest.raises(EmptyDocument):
        detect_media_type(data, "policy.pdf")


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "image"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "image"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 50, "DOCX"),
        (b"{\\rtf1 hello}", "RTF"),
        (b"MZ\x90\x00\x03\x00\x00\x00" + bytes(range(256)), "not a document"),
        (_zip("[Content_Types].xml", "xl/workbook.xml"), "Excel"),
        (_zip("notes.txt"), "not a document"),
        (b"PK\x03\x04broken", "damaged"),
        (b"7z\xbc\xaf'\x1c" + bytes(50), "not a ZIP"),
        (b"\x1f\x8b\x08" + bytes(50), "not a ZIP"),
        (bytes([1]) * 257 + b"ustar" + bytes(50), "not a ZIP"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "password"),
        (b"\xd0\xcf\x11\xe0" + "__substg1.0_".encode("utf-16-le"), "Outlook"),
        (b"GIF89a" + bytes(50), "image"),
    ],
)
def test_d7_other_files_are_refused_with_what_to_do(data: bytes, hint: str) -> None:
    with pytest.raises(NotADocument, match=hint):
        detect_media_type(data, "policy.pdf")


def test_d7_a_name_that_contradicts_the_content_is_told() -> None:
    assert ".pdf, but it is a Word document" in contradiction(DOCX, "policy.pdf")
    assert contradiction(PDF, "policy.PDF") == contradiction(TEXT, "policy.md") == contradiction(PDF, "policy") == ""
