"""The sample documents a newcomer starts with (R9): fictional, written for this project.

Their text stands in ``sources/``; ``scripts/make_samples.py`` renders it to ``pdf/``. What was planted in
them, and on which page, stands in ``truths.json``.
"""

from dataclasses import dataclass
from importlib.resources import files

from policypal.domain.documents import SET_COLOURS, DocumentType

FICTIONAL_MARKER = "Fictional sample document written for PolicyPal"

_REGULATION = ("Kessaria regulation", SET_COLOURS[0])
_BANK = ("Norhaven Bank", SET_COLOURS[5])


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample document as the library shows it. ``set_colour`` is one of ``SET_COLOURS``."""

    filename: str
    title: str
    version: str
    type: DocumentType
    set_name: str
    set_colour: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


SAMPLES: tuple[Sample, ...] = (
    Sample(
        "rulebook-2023.pdf",
        "Operational Conduct and Data Rulebook",
        "2023",
        DocumentType.REGULATORY,
        *_REGULATION,
        aliases=("OCDR 2023", "Rulebook 2023"),
        tags=("sample", "superseded"),
    ),
    Sample(
        "rulebook-2025.pdf",
        "Operational Conduct and Data Rulebook",
        "2025",
        DocumentType.REGULATORY,
        *_REGULATION,
        aliases=("OCDR 2025", "Rulebook 2025"),
        tags=("sample", "in force"),
    ),
    Sample(
        "guideline-2024.pdf",
        "Guideline on Personal Data in Financial Services",
        "2024",
        DocumentType.REGULATORY,
        *_REGULATION,
        aliases=("Data Guideline", "Commissioner's Guideline"),
        tags=("sample", "in force"),
    ),
    Sample(
        "policy-2025.pdf",
        "Group Conduct and Information Policy",
        "2025",
        DocumentType.COMPANY,
        *_BANK,
        aliases=("Norhaven Policy", "NB-POL-007"),
        tags=("sample", "policy"),
    ),
    Sample(
        "email-2025.pdf",
        "Spring Campaign E-mail: Growth Plan",
        "2025",
        DocumentType.COMPANY,
        *_BANK,
        aliases=("Growth Plan E-mail", "Spring Campaign", "Marketing e-mail"),
        tags=("sample", "marketing"),
    ),
)

SAMPLE_QUESTIONS: tuple[str, ...] = (
    "How soon must a major incident be reported to the Authority under the Rulebook 2025?",
    "How long must customer records be kept according to the Rulebook 2025?",
    "Compare the Rulebook 2023 with the Rulebook 2025.",
    "Summarize the Guideline on Personal Data in Financial Services.",
    "Audit the Group Conduct and Information Policy against the Rulebook 2025.",
    "Audit the Growth Plan E-mail against the Rulebook 2025.",
)


def sample_bytes(sample: Sample) -> bytes:
    """The PDF of a sample, as it would be uploaded. Raises FileNotFoundError: ``sample`` is none of :data:`SAMPLES`."""
    return (files(__name__) / "pdf" / sample.filename).read_bytes()
