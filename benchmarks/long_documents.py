"""How long the keyless actions take on long documents: a policy audited against five regulations of 100 pages (A4).

    python benchmarks/long_documents.py --pdfs DIR [--policy FILE.pdf | --policy-pages 100] [--regulations 5] [--pages 100]

The readable PDFs of DIR are read by the product's own extraction, their pages laid end to end (repeated from the start
where there are too few) and cut into regulations of the wished length. The policy is the sample policy, the one given, or,
with ``--policy-pages``, every second page of those PDFs, the regulations then being made of the other ones. Prints one JSON line: {"policy_pages", "regulations",
"pages", "claims", "obligations", "findings", "to_review", "seconds", "cpu_seconds"} of the audit alone; reading happens at upload.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib import resources
from itertools import cycle, islice
from pathlib import Path

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.audit.engine import audit
from policypal.audit.register import entries_of
from policypal.audit.units import claims_of, rules_of
from policypal.config import Settings
from policypal.domain.documents import Page
from policypal.domain.provisions import Provision
from policypal.errors import PolicyPalError
from policypal.ingest.extract import ExtractionLimits, extract
from policypal.ingest.sniff import PDF
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.text.provisions import read_provisions


def main() -> None:
    given = _arguments()
    pages = [page for path in sorted(given.pdfs.glob("*.pdf")) for page in _read(path)]
    if not pages:
        sys.exit(f"No readable PDF in {given.pdfs}.")
    wanted = given.regulations * given.pages
    laid_out = list(islice(cycle(pages[::2] if given.policy_pages else pages), wanted))
    regulations = [laid_out[i : i + given.pages] for i in range(0, wanted, given.pages)]
    with resources.as_file(resources.files("policypal.samples") / "pdf" / "policy-2025.pdf") as sample:
        policy = pages[1::2][: given.policy_pages] if given.policy_pages else _read(given.policy or sample)
    print(json.dumps({"policy_pages": len(policy), "pages": given.pages, **_timed(policy, regulations)}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--policy-pages", type=int, default=0)
    parser.add_argument("--regulations", type=int, default=5)
    parser.add_argument("--pages", type=int, default=100)
    return parser.parse_args()


def _read(path: Path) -> list[str]:
    """The texts of a file's pages; nothing for files the product refuses."""
    s = Settings()
    limits = ExtractionLimits(seconds=s.extraction_seconds, memory_mb=s.extraction_memory_mb, max_pages=s.max_pages)
    try:
        return [page.text for page in extract(path, PDF, limits=limits).pages if page.text.strip()]
    except PolicyPalError:
        return []


def _provisions(pages: Sequence[str]) -> list[Provision]:
    return read_provisions([Page(number, text) for number, text in enumerate(pages, 1)])


def _timed(policy: Sequence[str], regulations: Sequence[Sequence[str]]) -> dict[str, float]:
    titles = {f"regulation {n}": f"regulation {n}" for n in range(1, len(regulations) + 1)}
    claims = claims_of("policy", _provisions(policy))
    registers = zip(titles, regulations, strict=True)
    rules = [rule for name, pages in registers for rule in rules_of(name, entries_of(_provisions(pages), {}))]
    embedder = WordLlamaEmbedder()
    embedder.embed(["warm up"])
    wall, cpu = time.perf_counter(), time.process_time()
    result = audit("policy", claims, rules, titles, embedder)
    return {
        "regulations": len(regulations),
        "claims": len(claims),
        "obligations": len(result.coverage),
        "findings": len(result.findings),
        "to_review": len(result.review),
        "seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
    }


if __name__ == "__main__":
    main()
