"""One page has one name, however its address is written (W3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policypal.domain.web import safe_url
from policypal.web.urls import normalised_url

PAGE = "https://example.org/rules/records?year=2025"


@pytest.mark.parametrize(
    "written",
    [
        "http://example.org/rules/records?year=2025",
        "https://www.example.org/rules/records?year=2025",
        "https://EXAMPLE.org/rules/records?year=2025",
        "https://example.org./rules/records?year=2025",
        "https://example.org:443/rules/records?year=2025",
        "http://example.org:80/rules/records?year=2025",
        "https://example.org/rules/records/?year=2025",
        "https://example.org/rules//records?year=2025",
        "https://example.org/rules/old/../records?year=2025",
        "https://example.org/rules/%72ecords?year=2025",
        "https://example.org/rules/records?year=2025#section-3",
        "https://example.org/rules/records?year=2025&",
        "https://example.org/rules/records?utm_source=news&year=2025&UTM_Campaign=x",
        "https://example.org/rules/records?gclid=1&fbclid=2&msclkid=3&year=2025&mc_eid=4&_ga=5",
    ],
)
def test_w3_the_same_page_has_the_same_name(written: str) -> None:
    assert normalised_url(written) == PAGE


@pytest.mark.parametrize(
    "other",
    [
        "https://example.com/rules/records?year=2025",
        "https://rules.example.org/rules/records?year=2025",
        "https://example.org:8443/rules/records?year=2025",
        "https://example.org/Rules/records?year=2025",
        "https://example.org/rules/records?year=2024",
        "https://example.org/rules/records?Year=2025",
        "https://example.org/rules/records",
        "https://example.org/rules%2Frecords?year=2025",
        "https://example.org/rules/records?year=2025&ref=main",
    ],
)
def test_w3_other_pages_have_other_names(other: str) -> None:
    assert normalised_url(other) != PAGE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/?b=2&a=1", "https://example.org?a=1&b=2"),
        ("https://example.org/?q=a%2fb", "https://example.org/?q=a%2Fb"),
        ("https://example.org/é", "https://example.org/%C3%A9"),
        ("https://bücher.example/", "http://xn--bcher-kva.example"),
        ("http://[2606:2800::1]:80/x", "https://[2606:2800::1]/x"),
    ],
)
def test_w3_order_of_parameters_and_encoding_make_no_difference(one: str, other: str) -> None:
    assert normalised_url(one) == normalised_url(other)


def test_w3_parameters_of_one_name_keep_their_order() -> None:
    assert normalised_url("https://e.org/?a=2&a=1") != normalised_url("https://e.org/?a=1&a=2")


@given(st.text(alphabet="aW.-:/?#&=%42é日;+~[]", max_size=40))
def test_w3_a_name_is_its_own_name(rest: str) -> None:
    url = safe_url(f"http://www.example.org{rest}")
    if url is not None:
        assert normalised_url(normalised_url(url)) == normalised_url(url)
