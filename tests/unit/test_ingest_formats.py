"""Word files, e-mails and web pages as people really have them (D1, D7)."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml

from policypal.errors import DamagedDocument, NotADocument
from policypal.ingest.extract import ExtractedDocument, ExtractionLimits, extract, own_name
from policypal.ingest.sniff import DOCX, EMAIL, HTML, MARKDOWN, PDF, TEXT, detect_media_type
from tests.support import pdf_factory

LIMITS = ExtractionLimits(seconds=30)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def _extract(folder: Path, data: bytes, media_type: str) -> ExtractedDocument:
    path = folder / "document"
    path.write_bytes(data)
    return extract(path, media_type, limits=LIMITS)


def _saved(document: docx.document.Document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def test_d1_word_keeps_inserted_text_and_content_controls_and_drops_deleted_text(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Start.")
    body = document.element.body
    body.insert(1, parse_xml(
        f'<w:sdt {_W}><w:sdtContent><w:p><w:r><w:t>In a content control.</w:t></w:r></w:p></w:sdtContent></w:sdt>'
    ))  # fmt: skip
    body.insert(2, parse_xml(
        f'<w:p {_W}><w:r><w:t xml:space="preserve">Within </w:t></w:r><w:del><w:r><w:delText>72</w:delText></w:r></w:del>'
        "<w:ins><w:r><w:t>24</w:t></w:r></w:ins><w:r><w:t> hours.</w:t></w:r></w:p>"
    ))  # fmt: skip
    text = _extract(tmp_path, _saved(document), DOCX).pages[0].text
    assert text == "Start.\n\nIn a content control.\n\nWithin 24 hours."


def test_d1_word_tables_with_merged_cells_say_each_cell_once(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Fees and charges"
    for at, text in (((0, 2), "2025"), ((1, 0), "Card"), ((1, 1), "9 EUR"), ((1, 2), "monthly")):
        table.cell(*at).text = text
    assert _extract(tmp_path, _saved(document), DOCX).pages[0].text == "Fees and charges | 2025\nCard | 9 EUR | monthly"


def _with_member(data: bytes, name: str, content: bytes, replaced: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for info in old.infolist():
            new.writestr(info, old.read(info).replace(*replaced) if replaced[0] else old.read(info))
        if name:
            new.writestr(name, content)
    return stream.getvalue()


def test_d7_other_kinds_of_word_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotADocument, match="macros"):
        detect_media_type(_with_member(_saved(docx.Document()), "word/vbaProject.bin", b"x"), "a.docm")
    template = _with_member(_saved(docx.Document()), "", b"", (b"document.main+xml", b"template.main+xml"))
    with pytest.raises(NotADocument, match="template"):
        _extract(tmp_path, template, DOCX)


def _mail() -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", "Tarife für 2025 ✓"
    message.set_content("Die Gebühr beträgt 9 €.", charset="iso-8859-15")
    return message


def test_d7_attachments_of_an_email_are_named_not_lost(tmp_path: Path) -> None:
    message = _mail()
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="Bedingungen § 5.pdf")
    message.add_attachment(b"x", maintype="application", subtype="octet-stream")
    message.add_attachment(_mail())
    result = _extract(tmp_path, message.as_bytes(), EMAIL)
    assert result.title == "Tarife für 2025 ✓"
    assert "Die Gebühr beträgt 9 €." in result.pages[0].text
    assert (
        "Attachments (not read): Bedingungen § 5.pdf, without a name (application/octet-stream), "
        "without a name (message/rfc822)" in result.pages[0].text
    )


@pytest.mark.parametrize(
    "data",
    [
        b"From: a@b.c\r\nSubject: =?no-such-charset?Q?=FF?=\r\nTo: <<<>>>,,;;\r\n\r\nThe text is there.",
        b"Content-Type: multipart/mixed; boundary=x\r\nFrom: a\r\nSubject: s\r\nTo: b\r\n\r\nThe text is there.",
        b"From: a\r\nTo: b\r\nSubject: s\r\nContent-Type: text/plain; charset=x-unknown\r\n\r\nThe text is there \xe4.",
        b"From: \xff\xfe\r\nTo: b\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n<p>The text is there</p>",
    ],
)
def test_d7_an_email_that_breaks_the_rules_is_read_all_the_same(tmp_path: Path, data: bytes) -> None:
    assert detect_media_type(data, "mail.eml") == EMAIL
    text = "\n".join(page.text for page in _extract(tmp_path, data, EMAIL).pages)
    assert "The text is there" in text


@pytest.mark.parametrize(
    ("data", "media_type", "title"),
    [
        (pdf_factory.text_pdf([["x"]] * 30, title="Outsourcing Rules"), PDF, "Outsourcing Rules"),
        (pdf_factory.text_pdf([["x"]], title="سياسة الخصوصية 👩‍💻 للموظفين"), PDF, "سياسة الخصوصية 👩‍💻 للموظفين"),
        (pdf_factory.text_pdf([["x"]], title="Rules on " + "outsourcing " * 24), PDF, ("Rules on " + "outsourcing " * 24).strip()),
        (
            pdf_factory.text_pdf([["x"]], title="Regulation (EU) 2099/12 of the Parliament and of the Council of 3 May 2099 on the"
                                 " keeping of weather and amending Directive 98/7/EC (Fair Weather Act) (Text with EEA relevance)"),
            PDF, "Fair Weather Act – Regulation (EU) 2099/12",
        ),
        (pdf_factory.text_pdf([["x"]], title="x"), PDF, None),
        ("# Größe\n\nText".encode(), "text/markdown", "Größe"),
        (_mail().as_bytes(), EMAIL, "Tarife für 2025 ✓"),
    ],
    ids=["pdf", "arabic and emoji", "297 characters", "short name", "none", "markdown", "mail"],
)  # fmt: skip
def test_d1_a_file_tells_its_title_without_being_read(
    tmp_path: Path, data: bytes, media_type: str, title: str | None
) -> None:
    path = tmp_path / "document"
    path.write_bytes(data)
    assert own_name(path, media_type, limits=LIMITS).title == title


@pytest.mark.parametrize(
    ("opening", "edition"),
    [
        ("Remote Work Policy\n\nVersion 2023\n\nPasswords …", "2023"), ("HANDLING OF COMPLAINTS\nEdition: 2022", "2022"),
        ("Standard\nVersion 5.0.0", "5.0.0"), ("Document number 7, version 4.2.", "4.2"), ("Revision no. 3 of the manual", "3"),
        ("This version applies to 12 branches.", ""), ("Version 12/2024", ""), ("Versions 3 and 4", ""), ("See edition 7b", ""),
    ],
)  # fmt: skip
def test_d14_the_edition_on_the_first_page_is_offered(tmp_path: Path, opening: str, edition: str) -> None:
    path = tmp_path / "document"
    path.write_text(opening)
    assert own_name(path, "text/plain", limits=LIMITS).edition == edition
    path.write_bytes(pdf_factory.text_pdf([opening.split("\n")]))
    assert own_name(path, PDF, limits=LIMITS).edition == edition


WESTERN = [
    "The café keeps records.", "“bank” – risk… — €5", "Müller & Söhne, Zürich: Straße 5 (§ 4)", "naïve façade, coöperation, Curaçao",
    "l’été à Genève", "col·legi", "Año 2025 ¿Qué?", "£5 ±2 °C ²",
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("said", WESTERN)
def test_d14_short_western_texts_are_read_as_they_were_written(said: str, encoding: str, tmp_path: Path) -> None:
    data = said.encode(encoding, errors="ignore")
    found = _extract(tmp_path, data, TEXT)
    assert found.pages[0].text == " ".join(data.decode(encoding).split())
    assert found.guessed_encoding in ({"cp1252"} if not data.isascii() else {""})


@pytest.mark.parametrize(
    ("said", "encoding"),
    [
        ("Банк должен хранить записи не менее семи лет после окончания отношений с клиентом. " * 3, "cp1251"),
        ("Bank musi przechowywać księgi, jeżeli może zażądać tego właściwy urząd, przez siedem lat. " * 3, "cp1250"),
        ("銀行は顧客の記録を七年間保存しなければならない。" * 5, "shift_jis"),
        ("Η τράπεζα πρέπει να τηρεί τα αρχεία των πελατών για επτά χρόνια. " * 3, "cp1253"),
    ],
    ids=lambda given: given if given.isascii() else "",
)
def test_d14_other_encodings_are_still_recognised_and_told(said: str, encoding: str, tmp_path: Path) -> None:
    found = _extract(tmp_path, said.encode(encoding), TEXT)
    assert found.pages[0].text == said.strip() and found.guessed_encoding not in ("", "cp1252")


@pytest.mark.parametrize("data", ["café".encode(), b"\xef\xbb\xbfcaf\xc3\xa9", "café".encode("utf-16"), b"plain words"])
def test_d14_what_tells_its_encoding_is_not_guessed(data: bytes, tmp_path: Path) -> None:
    assert _extract(tmp_path, data, TEXT).guessed_encoding == ""


@pytest.mark.parametrize("entity", ['"customer"', 'SYSTEM "file:///etc/hostname"'], ids=["internal", "external"])
def test_d7_an_entity_in_a_word_file_swallows_no_words_and_reads_no_file(entity: str, tmp_path: Path) -> None:
    found = _extract(tmp_path, _with_entity(f"<!DOCTYPE w:document [<!ENTITY x {entity}>]>"), DOCX)
    assert found.pages[0].text == "The firm must keep &x; records for five years."


def test_d7_an_entity_that_nothing_declares_is_damage_and_said(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument):
        _extract(tmp_path, _with_entity(""), DOCX)


def _with_entity(declared: str) -> bytes:
    document = docx.Document()
    document.add_paragraph("The firm must keep ENTITY records for five years.")
    data = _saved(document)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        xml = archive.read("word/document.xml")
    changed = xml.replace(b"ENTITY", b"&x;").replace(b"?>", f"?>{declared}".encode(), 1)
    return _with_member(data, "", b"", (xml, changed))


def test_d14_a_title_that_a_tool_has_invented_is_none(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Rules for outsourcing", 1)
    document.add_paragraph("A bank must keep a register.")
    for invented in (
        "Word Document",
        "Microsoft Word Document",
        "New Microsoft Word Document 2",
        "Google Docs",
        "Blank document",
    ):
        document.core_properties.title = invented
        assert _extract(tmp_path, _saved(document), DOCX).title == "Rules for outsourcing"


@pytest.mark.parametrize("blank", ["\n", " \n", "\t \n", "\r\n", "\x0b"], ids=repr)
@pytest.mark.parametrize("beginning", ["Title", "# Title "])
def test_x4_a_megabyte_of_blank_lines_is_read_in_moments(beginning: str, blank: str, tmp_path: Path) -> None:
    data = (beginning + blank * (1_000_000 // len(blank)) + "The end is here.").encode()
    assert _extract(tmp_path, data, MARKDOWN).pages[-1].text.endswith("The end is here.")


WRAPPED = """Incident reporting

An institution must notify the Authority of a major incident within four
hours of classifying the event as major, and must send an intermediate
report within three working days of the first notification, stating
(a) the cause of the incident;
(b) the customers that it affected, as far as they are known by then to
the institution.
"""


def test_d11_a_text_broken_into_lines_of_one_width_is_put_together(tmp_path: Path) -> None:
    lines = _extract(tmp_path, WRAPPED.encode(), TEXT).pages[0].text.splitlines()
    assert lines[0] == "Incident reporting"
    assert "within four hours of classifying the event as major, and must send an intermediate report" in lines[2]
    assert lines[-1] == "(b) the customers that it affected, as far as they are known by then to the institution."


def test_d11_lines_that_mean_something_stay(tmp_path: Path) -> None:
    verses = "The harbour master keeps a list of all the vessels\nNobody else may read what stands on it\n" * 6
    page = _extract(tmp_path, verses.encode(), TEXT).pages[0].text
    assert page == verses.strip()


def _nested(depth: int) -> docx.document.Document:
    """A list of that depth, as Word numbers it: figures, letters, numerals and again."""
    document = docx.Document()
    numbering = document.part.numbering_part.element
    forms = ("decimal", "lowerLetter", "lowerRoman")
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{forms[n % 3]}"/><w:lvlText w:val="(%{n + 1})"/></w:lvl>'
        for n in range(9)
    )
    numbering.insert(0, parse_xml(f'<w:abstractNum {_W} w:abstractNumId="77">{levels}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {_W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    for n in range(depth):
        paragraph = document.add_paragraph(f"The owner of level {n} must:" if n < depth - 1 else "Close the door.")
        properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val, properties.get_or_add_numId().val = n, 77
    return document


def test_d11_word_lists_keep_the_marks_word_draws_and_headings_are_known(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("What staff do", 1)
    for text, style in (("Wash your hands.", "List Number"), ("Close the lid.", "List Number"), ("Soap", "List Bullet"),
                        ("Green soap", "List Bullet 2")):  # fmt: skip
        document.add_paragraph(text, style)
    read = _extract(tmp_path, _saved(document), DOCX)
    assert read.pages[0].text.split("\n\n") == [
        "What staff do", "1. Wash your hands.", "2. Close the lid.", "• Soap", "◦ Green soap",
    ]  # fmt: skip
    assert [title for title, _ in read.outline] == ["What staff do"]


def test_d11_word_lists_twelve_deep_lose_nothing(tmp_path: Path) -> None:
    text = _extract(tmp_path, _saved(_nested(12)), DOCX).pages[0].text
    lines = text.split("\n\n")
    assert len(lines) == 12
    assert lines[:4] == ["(1) The owner of level 0 must:", "(a) The owner of level 1 must:", "(i) The owner of level 2 must:",
                         "(1) The owner of level 3 must:"]  # fmt: skip
    assert lines[-1].endswith("Close the door.")


def test_d11_html_lists_have_numbers_and_the_navigation_is_left_out(tmp_path: Path) -> None:
    page = (
        b"<html><body><nav>You must accept cookies</nav><h2>Explanatory note</h2>"
        b"<ol type='a' start='3'><li>Pay.<ul><li>In cash.<ul><li>Or later.</li></ul></li></ul></li><li>Wait.</li></ol>"
        b"<ol><li>(i) Own number.</li></ol>"
        b"<table><tr><th>Who</th><th>What</th></tr><tr><td></td><td>All</td></tr></table></body></html>"
    )
    read = _extract(tmp_path, page, HTML)
    lines = "Explanatory note\nc. Pay.\n◦ In cash.\n▪ Or later.\nd. Wait.\n(i) Own number.\nWho | What\n| All"
    assert [line for line in read.pages[0].text.split("\n") if line] == lines.split("\n")
    assert [title for title, _ in read.outline] == ["Explanatory note"]
