"""A quotation is shown as it stands on its page, character by character, wherever an answer puts it (C2)."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from policypal.answer.evidence import CitedSentence, Quote
from policypal.domain.citations import RELATED, Citation, literal
from policypal.domain.documents import DocumentType, Passage
from policypal.graph.agent.actions.reading import cell
from policypal.graph.citing import Citer
from policypal.ui import markup
from policypal.ui.chat import citations

AWKWARD = st.text(
    alphabet=st.sampled_from(list("ab 1*_`[]()|\\<>#&;:!-+~=^m.,/'\"{}$@“”§é")),
    min_size=1, max_size=60,
)  # fmt: skip
PLACES = {
    "paragraph": "{}",
    "list": "- {}\n- other",
    "nested list": "- **Rule**\n  - {}",
    "quote": "> {}",
    "table": "| A | B |\n|---|---|\n| {} | x |",
}


def _on_screen(markdown: str) -> str:
    shown = re.sub(r"<[^>]*>", "", markup.answer(markdown, {}, lambda c: ""))
    return " ".join(html.unescape(shown).replace("\u2060", "").split())


def _shown(words: str, template: str, place: str) -> tuple[str, str]:
    """What the page holds and what the screen shows of it."""
    page = f"Each bank must keep {words} and records for five years. It must be so."
    passage = Passage("p", "d", "Rule", "", DocumentType.REGULATORY, 0, 1, 0, len(page), None, page)
    quote = page[: page.index(" It must")]
    citer = Citer([passage], {("d", 1): page})
    rendered = citer.render(CitedSentence(text=template.format(quote), quotes=[Quote(evidence=1, text=quote)]))
    assume(citer.citations)
    rendered = cell(rendered) if place == "table" else rendered
    return " ".join(citer.citations[0].quote.split()), _on_screen(PLACES[place].format(rendered))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("template", ["Rule, page 1: “{}”", "It says: {}"])
@settings(deadline=None)
@given(words=AWKWARD)
@example(words="31 USC [5318](h)(1)")
@example(words="paragraph [3](b) of `__init__`")
@example(words="the path /*/metadata of *plus* and **more**")
@example(words="C:\\*\\_x\\ and \\\\server")
@example(words="| B | and \\| C")
@example(words="<b>AT&amp;T</b> &#65; <https://example.com>")
@example(words="![x](y) [z]: w")
def test_c2_a_quotation_is_shown_character_by_character(words: str, template: str, place: str) -> None:
    quote, shown = _shown(words, template, place)
    assert quote in shown


@settings(deadline=None)
@given(words=AWKWARD)
def test_c2_the_words_of_a_finding_are_shown_character_by_character(words: str) -> None:
    said = " ".join(words.split())
    assert said in _on_screen(f"- Source (page 3): “{literal(said)}” 📄1")
    assert said in _on_screen(literal(said))


def test_u2d_related_provisions_are_folded_up_to_the_next_section_and_no_other_heading_is() -> None:
    body = (
        f"**7 years** 📄1\n\n{RELATED}\n\n**Rules**\n\n- <b>9.1</b> A bank must train 📄1\n\n### From the web\n\n- News"
    )
    cited = Citation(id=1, title="Rules", quote="A bank", verified=True, document_id="d", page=2)
    shown = citations.answer_html("m", body, [cited])
    before, fold, after = re.split(r"<details[^>]*>|</details>", shown)
    assert "7 years" in before and "From the web" in after and "News" in after
    assert "<summary>Related provisions</summary>" in fold and "&lt;b&gt;9.1" in fold and 'data-pp-open="m:1"' in fold
    assert "<details" not in citations.answer_html("m", "#### Related\n\ntext", [])
