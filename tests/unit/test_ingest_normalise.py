"""The stored text of a page, and its way back to the page (D6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policypal.ingest.normalise import normalise_page, normalise_pages

WIDE = "The institution shall establish, implement and maintain written procedures for this purpose"


def _text(*lines: str) -> str:
    return normalise_page("\r\n".join(lines)).text


def test_d6_wrapped_lines_become_one_sentence() -> None:
    text = _text(
        "1. In the event of a serious incident, the operator shall without undue delay, and not later than",
        "72 hours after having become aware of it, notify the authority that is competent in accordance with",
        "Rule 12, unless the incident is unlikely to cause harm.",
        "2. The notification shall at least:",
        "(a) describe the incident;",
        "(b) name a contact.",
    )
    assert text.split("\n") == [
        "1. In the event of a serious incident, the operator shall without undue delay, and not later than 72 hours after "
        "having become aware of it, notify the authority that is competent in accordance with Rule 12, unless the incident "
        "is unlikely to cause harm.",
        "2. The notification shall at least:",
        "(a) describe the incident;",
        "(b) name a contact.",
    ]


def test_d6_headings_stand_alone() -> None:
    text = _text("as set out above in the preceding paragraphs of this rule.", "Article 7", "Keeping of records", WIDE)
    assert text.split("\n\n")[1:] == ["Article 7", "Keeping of records", WIDE]


@pytest.mark.parametrize(
    ("lines", "joint"),
    [
        (["The firm shall meet the conditions that are referred to in paragraph", "(2) and in the annex to this rule."], " "),
        (["Accounts are reviewed for compliance with the requirements every sixty", "(60) days by their owners."], " "),
        (["Having regard to the opinion of the Committee (", "1", "), and after consultation"], ""),
    ],
    ids=["a cross-reference", "an amount", "a superscript"],
)  # fmt: skip
def test_d6_what_looks_like_an_item_stays_in_its_sentence(lines: list[str], joint: str) -> None:
    assert _text(*lines) == joint.join(lines)


def test_d6_footnote_does_not_run_into_the_sentence_above() -> None:
    lines = ["The rules apply from 2027. 3 They bind every branch of the group and each of its subsidiaries", WIDE]
    text = _text(
        *lines, WIDE, "and must be followed by all of the entities that belong to", "3 For instance, branches abroad."
    )
    assert text.endswith("belong to\n\n3 For instance, branches abroad.")


def test_d6_rows_of_figures_keep_their_lines() -> None:
    rows = "Total debt (Note 12) $ 14,622 $ 1,211 $ 1,330\nInterest on debt 4,281 335 331\nCapital leases 104 18 16"
    assert _text(*rows.split("\n")) == rows


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("The ob\ufffeligation is met", "The obligation is met"),
        ("The obli-\r\ngation is met", "The obligation is met"),
        ("The obli\u00ad\r\ngation is met", "The obligation is met"),
        ("A third-\r\nparty provider", "A third-party provider"),
        ("A third\ufffeparty provider", "A third-party provider"),
        ("Public Law 113-\r\n283 applies", "Public Law 113-283 applies"),
        ("the Anti-\r\nMoney Laundering Act", "the Anti-Money Laundering Act"),
        ("both pre-\r\nand post-trade", "both pre- and post-trade"),
        ("state-of-the-\r\nart measures", "state-of-the-art measures"),
        ("a page that ends in mid-", "a page that ends in mid-"),
    ],
)
def test_d6_hyphens_at_line_ends(raw: str, expected: str) -> None:
    assert normalise_page(raw).text == expected


def test_d6_the_document_itself_decides_about_its_hyphens() -> None:
    pages = [
        "We use decision-making rules.",
        "In decision-\r\nmaking, the decision stands.",
        "The con-\r\ntroller acts.",
    ]
    _, kept, joined = (page.text for page in normalise_pages(pages))
    assert (kept, joined) == ("In decision-making, the decision stands.", "The controller acts.")


def test_d6_characters_are_cleaned() -> None:
    raw = "The e\ufb03cient\u00a0o\ufb03ce\x00 \ud800keeps  high\u2011value\u200b \uf0b7 e\u0301tat ........... 12"
    assert normalise_page(raw).text == "The efficient office keeps high-value • état .... 12"


def test_d6_headers_footers_and_page_numbers_go_the_body_stays() -> None:
    body = f"For high-risk systems:\r\n{WIDE}"
    raws = [
        f"Group Compliance Manual\r\nChapter of page {c}\r\n{body}\r\nPage {n} of 6" for n, c in enumerate("ABCDEF", 1)
    ]
    for n, page in enumerate(normalise_pages(raws)):
        assert "Compliance Manual" not in page.text and "of 6" not in page.text
        assert page.text.startswith(f"Chapter of page {chr(65 + n)}")


def test_d6_alternating_footer_above_the_footnotes_goes() -> None:
    def page(n: int) -> str:
        footer = f"L 7/{n} EN Gazette 1.2.2027" if n % 2 else f"1.2.2027 EN Gazette L 7/{n}"
        return f"Body text number {chr(65 + n)} of this act.\r\n{footer}\r\n(1) See act {n * n}.\r\nRepealed."

    for n, normalised in enumerate(normalise_pages([page(n) for n in range(1, 13)]), 1):
        assert "Gazette" not in normalised.text
        assert f"(1) See act {n * n}." in normalised.text


def test_d6_recurring_body_lines_stay() -> None:
    scope = "For Moderate and High Systems:"
    body = f"{scope}\r\n1) Review it.\r\n{scope}\r\n2) Record it.\r\nIllustration."
    assert normalise_pages([body] * 8)[0].text.count(scope) == 2


def test_d6_a_short_document_loses_nothing() -> None:
    pages = normalise_pages(["Title\r\nFirst body.", "Title\r\nSecond body."])
    assert all(page.text.startswith("Title") for page in pages)


def test_d6_every_code_point_knows_its_raw_character() -> None:
    raw = "The e\ufb03cient ob\ufffeligation  of the\r\nthird-\r\nparty  is kept."
    page = normalise_page(raw)
    assert page.text == "The efficient obligation of the third-party is kept."
    for word in ("obligation", "party", "kept"):
        at = page.text.index(word)
        offsets = page.source_offsets[at : at + len(word)]
        assert "".join(raw[o] for o in offsets) == word
    assert raw[page.source_offsets[page.text.index("ffi")]] == "\ufb03"


@given(st.lists(st.text(max_size=300), min_size=1, max_size=5))
def test_d6_any_text_is_normalised_with_a_complete_map(raws: list[str]) -> None:
    for raw, page in zip(raws, normalise_pages(raws), strict=True):
        assert len(page.source_offsets) == len(page.text)
        assert all(0 <= offset < max(1, len(raw)) for offset in page.source_offsets)
        assert page.source_offsets == sorted(page.source_offsets)
        page.text.encode()
        assert "\x00" not in page.text


@given(st.text(alphabet=st.sampled_from("aB1.-(•\u00ad\ufffe\r\n \ufb01\u00a0\x00§"), max_size=200))
def test_d6_words_and_figures_survive(raw: str) -> None:
    """Outside dropped characters, nothing that a person can read is lost or invented."""

    def readable(text: str) -> str:
        return "".join(c for c in text.replace("\ufb01", "fi") if c.isalnum())

    assert readable(normalise_page(raw).text) == readable(raw)


def test_d6_figures_at_the_page_edge_are_page_numbers_only_if_they_count_along() -> None:
    raws = [f"Text of part {chr(65 + n)} of the report.\r\n{n * n * 7 + 40}\r\n{n + 1}" for n in range(8)]
    pages = normalise_pages(raws)
    assert [page.text.split()[-1] for page in pages] == [str(n * n * 7 + 40) for n in range(8)]


def test_d6_one_article_per_page_keeps_its_numbers() -> None:
    pages = normalise_pages([f"Article {n}\r\nText of rule {chr(64 + n)}.\r\nPage {n}" for n in range(1, 9)])
    assert [page.text.split("\n")[0] for page in pages] == [f"Article {n}" for n in range(1, 9)]
    assert all("Page" not in page.text for page in pages)


def test_d6_document_of_nothing_but_repetition_stays() -> None:
    assert normalise_pages([f"Line {n} of the rule." for n in range(5)])[2].text == "Line 2 of the rule."
