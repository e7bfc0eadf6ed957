"""What the name of a host says about who speaks there (W3)."""

from __future__ import annotations

import pytest

from policypal.research.candidates import (
    ACADEMIC,
    COMPANY,
    OFFICIAL,
    OTHER,
    REGULATORY,
    Authority,
    of_host,
)


@pytest.mark.parametrize(
    ("host", "authority"),
    [
        ("legislation.gov.uk", OFFICIAL),
        ("sec.gov", OFFICIAL),
        ("eur-lex.europa.eu", OFFICIAL),
        ("who.int", OFFICIAL),
        ("fsa.go.jp", OFFICIAL),
        ("laws-lois.justice.gc.ca", OFFICIAL),
        ("fedlex.admin.ch", OFFICIAL),
        ("RIS.BKA.GV.AT", OFFICIAL),
        ("legifrance.gouv.fr", OFFICIAL),
        ("bankofengland.co.uk", OTHER),
        ("law.cornell.edu", ACADEMIC),
        ("ox.ac.uk", ACADEMIC),
        ("example.com", OTHER),
        ("bankofamerica.com", OTHER),
        ("gov.com", OTHER),
        ("gov.example.com", OTHER),
        ("europa.eu.example.com", OTHER),
        ("not-europa.eu", OTHER),
        ("shop.go.de", OTHER),
        ("central-bank.example.com", OTHER),
        ("foo.ac", OTHER),
        ("localhost", OTHER),
        ("127.0.0.1", OTHER),
        ("", OTHER),
    ],
)
def test_w3_hosts(host: str, authority: Authority) -> None:
    assert of_host(host) is authority


def test_w3_the_librarys_regulations_stand_above_everything() -> None:
    weights = [a.weight for a in (REGULATORY, OFFICIAL, ACADEMIC, COMPANY, OTHER)]
    assert weights == sorted(weights, reverse=True)
