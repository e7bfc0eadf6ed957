"""Some pages of a PDF taken out, and put back in another form, inside the child process (D7).

A copy of a few pages has neither the signature, the form nor the encryption of its document, any of which keeps text
recognition from working on the document itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from policypal.ingest.pdf import open_pdf


def pick(path: Path, pages: Sequence[int], target: Path) -> None:
    """Write a PDF of just these pages (numbers from 1), in this order. Raises PasswordRequired, DamagedDocument."""
    copy = pdfium.PdfDocument.new()
    copy.import_pages(open_pdf(path, None), [page - 1 for page in pages])
    copy.save(target)


def replace(path: Path, copies: Sequence[tuple[Sequence[int], Path]], target: Path) -> None:
    """Write the PDF with pages replaced; each of ``copies`` names page numbers and the PDF that holds just those.
    Raises PasswordRequired, DamagedDocument."""
    document = open_pdf(path, None)
    for pages, copy in copies:
        source = open_pdf(copy, None)
        for place, page in enumerate(pages):
            document.import_pages(source, [place], page - 1)
            document.del_page(page)
    document.save(target, flags=pdfium_c.FPDF_REMOVE_SECURITY)
