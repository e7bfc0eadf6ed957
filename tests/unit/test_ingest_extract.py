"""Reading files: what comes out, and what is said when nothing does (D1, D6, D7)."""

from __future__ import annotations

import io
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any

import docx
import psutil
import pytest

from policypal import errors
from policypal.domain.documents import Page
from policypal.ingest import beside, pdf, sandbox, sniff
from policypal.ingest.extract import ExtractedDocument, ExtractionLimits, decrypt, extract
from policypal.text.provisions import read_provisions
from tests.support import pdf_factory

LIMITS = ExtractionLimits(seconds=30)


def _extract(folder: Path, data: bytes, media_type: str = sniff.PDF, **options: object) -> ExtractedDocument:
    path = folder / "document"
    path.write_bytes(data)
    return extract(path, media_type, **{"limits": LIMITS, **options})  # type: ignore[arg-type]


def test_d6_pages_keep_their_numbers_and_progress_is_live(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    data = pdf_factory.text_pdf([[f"Text of page number {n}."] for n in ("one", "two", "three")])
    document = _extract(tmp_path, data, on_progress=lambda done, total: seen.append((done, total)))
    said = enumerate(("one", "two", "three"), 1)
    assert [(p.number, p.text) for p in document.pages] == [(n, f"Text of page number {word}.") for n, word in said]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert document.pages_without_text == 0


def _long_pdf(folder: Path, pages: int = 61) -> Path:
    path = folder / "long"
    path.write_bytes(pdf_factory.text_pdf([[_text(n)] * 40 for n in range(1, pages + 1)]))
    return path


def _text(page: int) -> str:
    return (
        f"Text of page number {page}, which is longer than most, so that no pipe holds all that is read on such pages."
    )


def test_d6_a_long_document_keeps_the_order_of_its_pages(tmp_path: Path) -> None:
    document = extract(_long_pdf(tmp_path), sniff.PDF, limits=LIMITS)
    assert [page.number for page in document.pages] == list(range(1, 62))
    assert all(page.text.startswith(_text(page.number)) for page in document.pages)


def test_d6_nothing_is_lost_when_the_second_reading_process_dies(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []

    def emit(message: dict[str, Any]) -> None:
        messages.append(message)
        if message.get("done_pages") == 10:
            ended.extend(_end_forks())

    ended: list[int] = []
    pdf.read_pdf(_long_pdf(tmp_path), None, LIMITS, emit)
    assert len(ended) == (1 if beside.has_core_for_it() else 0)
    pages = [message["text"] for message in messages if "text" in message]
    assert len(pages) == 61 and all(text.startswith(_text(n)) for n, text in enumerate(pages, 1))
    assert not _end_forks()


def _end_forks() -> list[int]:
    """The forks of this process, killed."""
    ours = psutil.Process()
    forks = [c for c in ours.children() if c.status() != psutil.STATUS_ZOMBIE and c.cmdline() == ours.cmdline()]
    for fork in forks:
        fork.kill()
    return [fork.pid for fork in forks]


@pytest.mark.skipif(not beside.has_core_for_it(), reason="one process reads alone here")
def test_d6_a_fork_that_ends_early_says_what_it_has_and_leaves_nobody(tmp_path: Path) -> None:
    def work() -> Iterator[int]:
        yield 1
        yield os.getpid()
        os.kill(os.getpid(), signal.SIGKILL)
        yield 3

    first, fork = beside.work_beside(work)
    assert first == 1
    with pytest.raises(ProcessLookupError):
        os.kill(fork, 0)


def test_d6_rows_of_a_table_drawn_column_by_column_are_read_together(tmp_path: Path) -> None:
    text = _extract(tmp_path, pdf_factory.columns_pdf(pdf_factory.TORN_TABLE)).pages[0].text
    assert text.split("\n\n")[0] == "The harbour asks for these fees."
    assert [line for line in text.splitlines() if "|" in line] == [
        "No. | Vessel | Fee",
        "1. | Ferries that carry more than one hundred passengers | 400 crowns each day",
        "2. | Tugs | 30 crowns",
        "3. | Yachts that stay longer than a day | 12 crowns",
    ]
    assert text.endswith("Fees are paid to the harbour office.")
    obliged = [s for p in read_provisions([Page(1, text)]) for s in p.sentences if "Tugs" in s.text]
    assert [s.introduction for s in obliged] == ["No. | Vessel | Fee:"]


@pytest.mark.parametrize("lines", [5, 1])
def test_d6_numbered_lines_and_numbers_with_nothing_beside_them_stay_as_drawn(tmp_path: Path, lines: int) -> None:
    numbers = [(n, f"{n}") for n in range(1, 6)]
    said = [(n, f"Line {n} says something of its own.") for n in range(1, lines + 1)]
    text = _extract(tmp_path, pdf_factory.columns_pdf([(120, said), (72, numbers)])).pages[0].text
    assert "|" not in text


def test_d6_outline_is_read_with_its_pages(tmp_path: Path) -> None:
    pages = [["Alpha text"], ["Beta text"]]
    document = _extract(tmp_path, pdf_factory.text_pdf(pages, outline=[("Alpha", 1), ("Beta", 2)]))
    assert document.outline == (("Alpha", 1), ("Beta", 2))


def test_d1_title_comes_from_sensible_metadata(tmp_path: Path) -> None:
    assert _extract(tmp_path, pdf_factory.text_pdf([["x"]], title="Outsourcing Rules")).title == "Outsourcing Rules"


@pytest.mark.parametrize("junk", ["Microsoft Word - draft_v3.doc", "untitled", "Rules_final.docx", "Document1", "x1"])
def test_d1_junk_metadata_gives_way_to_the_largest_type_on_the_first_page(tmp_path: Path, junk: str) -> None:
    body = ["The operator keeps a register of its suppliers and reviews it every year."] * 6
    data = pdf_factory.big_title_pdf(["Supplier Register", "Guideline"], body)
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.add_metadata({"/Title": junk})
    stream = io.BytesIO()
    writer.write(stream)
    assert _extract(tmp_path, stream.getvalue()).title == "Supplier Register Guideline"


def test_d7_empty_user_password_opens_without_asking(tmp_path: Path) -> None:
    document = _extract(tmp_path, pdf_factory.encrypted_pdf(["Printing is restricted here."], ""))
    assert document.pages[0].text == "Printing is restricted here."


def test_d7_password_is_asked_for_and_a_wrong_one_is_said_to_be_wrong(tmp_path: Path) -> None:
    data = pdf_factory.encrypted_pdf(["The vault opens at nine."], "sésame")
    with pytest.raises(errors.PasswordRequired) as missing:
        _extract(tmp_path, data)
    with pytest.raises(errors.PasswordRequired) as wrong:
        _extract(tmp_path, data, password="open")
    assert missing.value.message != wrong.value.message
    assert "does not open" in wrong.value.message
    assert _extract(tmp_path, data, password="sésame").pages[0].text == "The vault opens at nine."


def test_d7_decrypted_copy_opens_without_a_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(pdf_factory.encrypted_pdf(["The vault opens at nine."], "secret"))
    with pytest.raises(errors.PasswordRequired):
        decrypt(path, "guess", limits=LIMITS)
    assert _extract(tmp_path, decrypt(path, "secret", limits=LIMITS)).pages[0].text == "The vault opens at nine."


def test_d7_pages_without_text_are_counted_not_dropped(tmp_path: Path) -> None:
    document = _extract(tmp_path, pdf_factory.scanned_pdf(3, text_on=[2]))
    assert [bool(page.text) for page in document.pages] == [False, True, False]
    assert document.pages_without_text == 2


def test_d7_broken_cross_reference_is_recovered(tmp_path: Path) -> None:
    whole = pdf_factory.text_pdf([["Recovered all the same."]])
    assert _extract(tmp_path, whole.replace(b"startxref", b"startxxxx")).pages[0].text == "Recovered all the same."


_CUT_OFF = pdf_factory.text_pdf([[f"Line {i} of page {n}" for i in range(50)] for n in range(20)])
_FEW_PAGES, _LITTLE_TEXT = ExtractionLimits(max_pages=10), ExtractionLimits(max_characters=2000)


@pytest.mark.parametrize(
    ("data", "media_type", "limits", "error", "said"),
    [
        (pdf_factory.scanned_pdf(2), sniff.PDF, LIMITS, errors.NoReadableText, "OCR"),
        (pdf_factory.unmapped_font_pdf(), sniff.PDF, LIMITS, errors.NoReadableText, ""),
        (_CUT_OFF[: len(_CUT_OFF) // 2], sniff.PDF, LIMITS, errors.DamagedDocument, ""),
        (b"%PDF-1.7\nnothing else\n%%EOF", sniff.PDF, LIMITS, errors.DamagedDocument, ""),
        (b"%PDF-1.4\n" + b"\x80\x00\xff" * 500, sniff.PDF, LIMITS, errors.DamagedDocument, ""),
        (b"PK\x03\x04 not really", sniff.DOCX, LIMITS, errors.DamagedDocument, ""),
        (b"", sniff.PDF, LIMITS, errors.EmptyDocument, ""),
        (pdf_factory.pageless_pdf(), sniff.PDF, LIMITS, errors.EmptyDocument, "no pages"),
        (pdf_factory.blank_pdf(2), sniff.PDF, LIMITS, errors.NoReadableText, ""),
        ("\u200b\u00ad \n".encode(), sniff.TEXT, LIMITS, errors.NoReadableText, ""),
        (pdf_factory.blank_pdf(12), sniff.PDF, _FEW_PAGES, errors.DocumentTooLarge, r"12 pages.*limit is 10"),
        (pdf_factory.text_pdf([["All of this is text."] * 40] * 5), sniff.PDF, _LITTLE_TEXT, errors.DocumentTooLarge, ""),
        (pdf_factory.page_bomb(pages=1, operations=700_000), sniff.PDF, LIMITS, errors.DocumentTooLarge, "Page 1"),
    ],
    ids=[
        "scan", "unmapped font", "cut off", "nothing in it", "garbage", "damaged word", "empty", "no pages", "blank", "no words",
        "too many pages", "too much text", "full page",
    ],
)  # fmt: skip
def test_d7_what_cannot_be_read_is_refused_for_what_it_is(
    tmp_path: Path, data: bytes, media_type: str, limits: ExtractionLimits, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said or None):
        _extract(tmp_path, data, media_type, limits=limits)


def test_d6_page_bomb_is_stopped_in_time_and_harms_nothing_else(tmp_path: Path) -> None:
    bomb = pdf_factory.page_bomb()
    assert len(bomb) < 100_000
    started = time.monotonic()
    # the time or the page's characters, whichever ends first
    with pytest.raises((errors.ExtractionLimit, errors.DocumentTooLarge)):
        _extract(tmp_path, bomb, limits=ExtractionLimits(seconds=2))
    assert time.monotonic() - started < 8
    assert _extract(tmp_path, pdf_factory.text_pdf([["Still working."]])).pages[0].text == "Still working."


def test_d6_memory_is_limited(tmp_path: Path) -> None:
    bomb = pdf_factory.page_bomb(pages=1, operations=60_000_000)
    with pytest.raises(errors.ExtractionLimit):
        _extract(tmp_path, bomb, limits=ExtractionLimits(seconds=60, memory_mb=300))


def test_d7_child_that_dies_is_reported_as_a_damaged_file(tmp_path: Path) -> None:
    """What a segmentation fault inside the native reader looks like from outside."""
    path = tmp_path / "document.pdf"
    path.write_bytes(pdf_factory.text_pdf([[f"Page {n}"] for n in range(400)]))
    child = sandbox._BACKGROUND.take()
    child.process.send_signal(11)
    child.process.wait()
    sandbox._BACKGROUND.give_back(child)
    assert len(extract(path, sniff.PDF, limits=LIMITS).pages) == 400
    died = sandbox._Child()
    died.process.send_signal(11)
    assert isinstance(died.post_mortem(expired=False), errors.DamagedDocument)
    died.close()


def test_d6_child_is_used_again_only_after_a_clean_end(tmp_path: Path) -> None:
    def next_child() -> int:
        child = sandbox._BACKGROUND.take()
        sandbox._BACKGROUND.give_back(child)
        return child.process.pid

    good = pdf_factory.text_pdf([["Fine."]])
    _extract(tmp_path, good)
    first = next_child()
    _extract(tmp_path, good)
    assert next_child() == first
    with pytest.raises(errors.DamagedDocument):
        _extract(tmp_path, b"%PDF-1.7 broken")
    assert next_child() != first


def test_x3_child_does_not_see_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    child = sandbox._Child()
    try:
        environment = Path(f"/proc/{child.process.pid}/environ")
        if not environment.exists():
            pytest.skip("no /proc on this system")
        assert b"sk-very-secret" not in environment.read_bytes()
    finally:
        child.close()


def test_d6_control_characters_never_reach_the_stored_text(tmp_path: Path) -> None:
    data = pdf_factory.raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            pdf_factory._stream(b"BT /F1 12 Tf 72 700 Td (Before\\000\\001 and after the null byte) Tj ET"),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
        ]
    )
    text = _extract(tmp_path, data).pages[0].text
    assert text.startswith("Before") and text.endswith("and after the null byte")
    assert all(c.isprintable() or c == "\n" for c in text)


def test_d1_word_document_keeps_paragraphs_and_tables_in_order(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Access Policy", level=0)
    document.add_paragraph("Accounts are reviewed quarterly.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Owner", "Security team"
    document.add_paragraph("Exceptions expire after 30 days.")
    stream = io.BytesIO()
    document.save(stream)
    result = _extract(tmp_path, stream.getvalue(), sniff.DOCX)
    assert result.title == "Access Policy"
    assert result.pages[0].text == (
        "Access Policy\n\nAccounts are reviewed quarterly.\n\nOwner | Security team\n\nExceptions expire after 30 days."
    )


def test_d1_html_loses_scripts_and_keeps_blocks(tmp_path: Path) -> None:
    html = (
        "<!doctype html><html><head><title>Cookie Notice</title><style>p{color:red}</style></head><body>"
        "<script>alert('no')</script><h1>Cookies</h1><p>We keep <b>two</b>\n cookies.</p>"
        "<ul><li>session</li><li>language</li></ul><table><tr><td>Name</td><td>Days</td></tr></table></body></html>"
    )
    result = _extract(tmp_path, html.encode(), sniff.HTML)
    assert result.title == "Cookie Notice"
    assert result.pages[0].text == "Cookies\n\nWe keep two cookies.\n\n• session\n\n• language\n\nName | Days"


def test_d7_deeply_nested_html_is_read_or_refused_never_crashes(tmp_path: Path) -> None:
    html = b"<html><body>" + b"<div>" * 20_000 + b"deep" + b"</div>" * 20_000
    try:
        assert "deep" in _extract(tmp_path, html, sniff.HTML).pages[0].text
    except errors.DocumentRejected as rejection:
        assert rejection.message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_d1_text_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    text = "Die Geschäftsführung prüft die Maßnahmen jährlich. Verstöße müssen unverzüglich gemeldet werden. " * 5
    assert "Geschäftsführung prüft die Maßnahmen" in _extract(tmp_path, text.encode(encoding), sniff.TEXT).pages[0].text


def test_d1_email_gives_headers_and_body(tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", "Spring offer"
    message.set_content("Earn a guaranteed 9 % – without any risk.")
    message.add_alternative("<p>Earn <b>a lot</b></p>", subtype="html")
    result = _extract(tmp_path, message.as_bytes(), sniff.EMAIL)
    assert result.title == "Spring offer"
    assert "Subject: Spring offer" in result.pages[0].text
    assert "guaranteed 9 % – without any risk" in result.pages[0].text
    assert "a lot" not in result.pages[0].text


def test_d1_long_text_is_cut_into_pages_between_paragraphs(tmp_path: Path) -> None:
    paragraphs = [f"Paragraph {n}. " + "It says something of moderate length. " * 12 for n in range(40)]
    result = _extract(tmp_path, "\n\n".join(paragraphs).encode(), sniff.MARKDOWN)
    assert len(result.pages) > 4
    assert all(page.text.startswith("Paragraph") and len(page.text) <= 4000 for page in result.pages)
    joined = " ".join(" ".join(page.text.split()) for page in result.pages)
    assert joined == " ".join(" ".join(paragraphs).split())


def test_d6_no_reading_process_outlives_its_failed_order(tmp_path: Path) -> None:
    child = sandbox._BACKGROUND.take()
    sandbox._BACKGROUND.give_back(child)
    with pytest.raises(errors.ExtractionLimit):
        _extract(tmp_path, pdf_factory.page_bomb(), limits=ExtractionLimits(seconds=1))
    with pytest.raises(ProcessLookupError):
        os.kill(child.process.pid, 0)


def test_d6_several_threads_read_at_once(tmp_path: Path) -> None:
    def read(n: int) -> str:
        folder = tmp_path / str(n)
        folder.mkdir()
        return _extract(folder, pdf_factory.text_pdf([[f"Document number {n}."]])).pages[0].text

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(read, range(8))) == [f"Document number {n}." for n in range(8)]


def test_d7_corrupted_bytes_give_a_document_or_a_typed_refusal(tmp_path: Path) -> None:
    whole = pdf_factory.text_pdf([[f"Line {n} of the rule."] for n in range(4)], title="Rule")
    random = Random(7)
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(random.randint(1, 30)):
            data[random.randrange(9, len(data))] = random.randrange(256)
        try:
            document = _extract(tmp_path, bytes(data))
        except errors.DocumentRejected as rejection:
            assert rejection.message
        else:
            assert document.pages and document.pages_without_text < len(document.pages)
