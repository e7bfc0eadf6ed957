"""What others wrote is data (X2): properties of the only code that turns it into HTML or labels."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policypal.domain.citations import Citation
from policypal.domain.reading import OpenPage
from policypal.ui import markup
from policypal.ui.chat import citations as citation_widgets
from policypal.ui.documents.page_view import marked

_ALLOWED = {
    "p", "br", "hr", "h2", "h3", "h4", "h5", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "table", "thead",
    "tbody", "tr", "th", "td", "div", "span", "b", "i",
}  # fmt: skip
_ATTRIBUTES = {"class", "start", "role", "tabindex", "data-pp-open", "aria-label"}
_CITATION = Citation(
    id=1, title='Rule "book" <img src=x onerror=alert(1)>', version="2025", page=4, quote="<script>alert(1)</script> ok",
    verified=True, document_id="d",
)  # fmt: skip
_HOSTILE = [
    "![x](http://evil.example/pixel.png)",
    "[click](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "**<b onclick=x>**",
    "`<iframe src=//evil>`",
    "| <a href=x> | b |\n|---|---|\n| ![i](http://evil) | 📄1 |",
    "> <style>*{display:none}</style>",
    "[![img](http://evil/a.png)](http://evil)",
    "\\<img src=x\\>",
    "\\60;img src=x\\62;",
]
_markdownish = st.text(alphabet=st.sampled_from(list("ab <>&\"'*_`#|-+.!()[]{}\\/:1\n\t>📄🌐=;")), max_size=120)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def _shown(markdown: str) -> str:
    return markup.answer(markdown, {1: _CITATION}, lambda c: citation_widgets.chip("m", c))


def _assert_harmless(html: str) -> None:
    parser = _Tags()
    parser.feed(html)
    assert parser.tags <= _ALLOWED
    assert parser.attributes <= _ATTRIBUTES


@pytest.mark.parametrize("markdown", _HOSTILE)
def test_x2_hostile_markdown_becomes_harmless(markdown: str) -> None:
    _assert_harmless(_shown(markdown + " 📄1"))


@given(st.lists(st.one_of(_markdownish, st.sampled_from(_HOSTILE)), max_size=4).map("\n".join))
def test_x2_whatever_is_written_only_known_tags_come_out(markdown: str) -> None:
    _assert_harmless(_shown(markdown))


@given(st.text(max_size=200))
def test_x2_no_text_is_lost(text: str) -> None:
    """A paragraph without Markdown comes out as it went in, escaped."""
    words = re.findall(r"[a-zA-Z0-9]+", text)
    shown = re.sub(r"<[^>]*>", " ", markup.answer(" ".join(words), {}, lambda c: ""))
    assert shown.split() == words


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("## Overview", "<h2>Overview</h2>"),
        ("### A\n##### B\n### C", "<h2>A</h2><h3>B</h3><h2>C</h2>"),  # none is skipped, whatever an engine writes (U8)
        ("a **b** *c* `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("> a\n> b", "<blockquote><p>a b</p></blockquote>"),
        ("$5 and $6, 10:30, :smile:", "<p>$5 and $6, 10:30, :smile:</p>"),
        ("snake_case_name, 2 * 3 * 4", "<p>snake_case_name, 2 * 3 * 4</p>"),
        ("see 📄7", "<p>see 📄7</p>"),
        ("A page, <https://example.com/a?b=1&c=2>.", "<p>A page, https://example.com/a?b=1&amp;c=2.</p>"),
        (
            "| A |\n|---|\n| 1 \\| 2 |",
            '<div class="pp-scroll"><table><thead><tr><th>A</th></tr></thead><tbody><tr><td>1 | 2</td></tr></tbody></table></div>',
        ),
        ("1 <2> 3 <img src=x>", "<p>1 &lt;2&gt; 3 &lt;img src=x&gt;</p>"),
    ],
)
def test_answers_keep_their_structure(markdown: str, html: str) -> None:
    assert markup.answer(markdown, {}, lambda c: "never") == html


def test_c3_a_marker_becomes_a_chip_with_title_page_and_quote() -> None:
    shown = _shown("It must. 📄1")
    assert 'data-pp-open="m:1"' in shown
    assert 'tabindex="0"' in shown
    assert "page 4" in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; ok" in shown
    assert "(2025)" in shown


def test_c2_an_unverified_quote_has_no_quotation_marks() -> None:
    unverified = _CITATION.model_copy(update={"verified": False, "quote": "perhaps"})
    assert "“" not in citation_widgets.chip("m", unverified)
    assert "not verified" in citation_widgets.chip("m", unverified)


@pytest.mark.parametrize("hostile", _HOSTILE)
def test_x2_labels_are_plain_text(hostile: str) -> None:
    """Streamlit reads labels as Markdown; nothing of what others wrote may be a construct there."""
    shown = markup.plain(hostile)
    assert not re.search(r"(?<!\\)[!\[\]<>*`|()]", shown)


def test_x2_reading_direction_cannot_be_turned_around() -> None:
    assert markup.text("abc\u202edcba") == "abcdcba"


@pytest.mark.parametrize(
    ("page", "span", "shown"),
    [
        ("It must\nnotify  it.", (3, 15), 'It <mark data-pp-reveal="passage:7:3:15">must\nnotify </mark> it.'),
        ("a < b", None, "a &lt; b"),
        ("<b> & <i>", (0, 3), '<mark data-pp-reveal="passage:7:0:3">&lt;b&gt;</mark> &amp; &lt;i&gt;'),
    ],
)
def test_d9_the_passage_is_marked_in_the_text_of_a_page(page: str, span: tuple[int, int] | None, shown: str) -> None:
    assert marked(OpenPage(7, page, span)) == shown


def test_c3_a_web_citation_opens_in_a_new_tab_and_cannot_break_out_of_its_link() -> None:
    def chip(url: str) -> str:
        web = Citation(
            id=2, source_type="web", title='<img src=x> "T"', version="2026-01-20", url=url, quote="q", verified=True
        )
        return citation_widgets.chip("m", web)

    good = chip("https://www.example.org/a?b=1&c=2")
    assert 'href="https://www.example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow"' in good
    assert "example.org · published 2026-01-20" in good and "<img" not in good and "🌐2" in good
    for bad in ("javascript:alert(1)", "data:text/html,x", 'https://x.example/" onclick="x'):
        assert "href=" not in chip(bad) and 'onclick="' not in chip(bad)
