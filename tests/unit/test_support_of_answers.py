"""What becomes of an answer's sentences at the end of a turn (C2b)."""

from __future__ import annotations

from policypal.domain.citations import Citation
from policypal.domain.support import Degree, JudgedSentence, each_placed, placed
from policypal.graph.agent.support import LEFT_OUT, NOTHING_LEFT, joined, rating, without_unsupported
from policypal.llm.judge_support import JUDGE_SUPPORT, StatementGiven, StatementVerdict, SupportInput, SupportVerdicts
from policypal.llm.task import TaskContext
from policypal.search.embeddings import built_in_embedder
from policypal.ui import markup

WRONG = JudgedSentence(text="Boats fly.", degree=Degree.NOT_SUPPORTED, reason="No such words.", shown="Boats fly. 📄1")
RIGHT = JudgedSentence(text="Boats float.", degree=Degree.QUOTED, shown="Boats float. 📄12")
FLY, FLOAT = placed(0, WRONG.shown), placed(1, RIGHT.shown)


def gated(response: str) -> str:
    return without_unsupported(response, [WRONG, RIGHT])


GIVEN = SupportInput(
    statements=[
        StatementGiven(number=1, statement="Boats float.", cited=["A boat floats."], passages=[1]),
        StatementGiven(
            number=2, statement="Boats fly.", cited=["A boat floats."], passages=[1], doubt="“fly” is not there."
        ),
    ],
    passages=["Harbour Rules, page 1\nA boat floats."],
)


def test_c2b_what_is_not_supported_is_listed_below_with_its_reason() -> None:
    answer, _, left_out = gated(f"{FLOAT}\n\n{FLY}").partition(LEFT_OUT)
    assert answer.strip() == "Boats float. 📄12"
    assert "Boats fly. 📄1 — *No such words.*" in left_out


def test_c2b_the_same_words_elsewhere_stay() -> None:
    """A sentence is taken from its own place: a quotation, or a sentence that cites more, may have the same words."""
    answer = gated(f"> Boats fly. 📄1\n\n{FLY}\n\nBoats fly. 📄1 📄2").partition(LEFT_OUT)[0]
    assert answer.strip() == "> Boats fly. 📄1\n\nBoats fly. 📄1 📄2"


def test_c2b_the_sign_of_other_words_stands_behind_its_own_sentence_only() -> None:
    judged = [
        JudgedSentence(text="Boats float.", degree=d, shown=RIGHT.shown) for d in (Degree.QUOTED, Degree.SUPPORTED)
    ]
    twice = f"{placed(0, RIGHT.shown)}\n\n{placed(1, RIGHT.shown)}"
    assert without_unsupported(twice, judged) == "Boats float. 📄12\n\nBoats float. 📄12≈"


def test_x2_what_keeps_the_place_of_a_sentence_cannot_be_written_by_others() -> None:
    hostile = placed(0, "A \ufdd01\ufdd1 B \ufdd2 C")
    assert each_placed(f"{hostile} \ufdd2", lambda number, shown: f"<{number}:{shown}>") == "<0:A 1 B  C> "


def test_c2b_lists_tables_and_headings_lose_what_is_empty_and_nothing_else() -> None:
    response = "\n".join([
        "### Rules", "", "**Key points**", "", f"- {FLY}", "", "**Others**", "", f"- {FLOAT}", "",
        "| Aspect | Old | New |", "|---|---|---|", f"| Air | {FLY} | {FLOAT} |", f"| Sea | {FLY} | – |",
    ])  # fmt: skip
    answer = gated(response).partition(LEFT_OUT)[0]
    assert "Key points" not in answer and "**Others**\n\n- Boats float. 📄12" in answer and "### Rules" in answer
    assert "| Air | – | Boats float. 📄12 |" in answer and "Sea" not in answer


def test_c2b_an_answer_of_which_nothing_is_left_says_so() -> None:
    assert gated(FLY).startswith(NOTHING_LEFT)


def test_a0_what_was_read_is_still_said_last() -> None:
    response = f"{FLOAT}\n\n{FLY}\n\n*Read in full: Harbour Rules, 1 page.*"
    assert gated(response).endswith("*Read in full: Harbour Rules, 1 page.*")


def test_c2b_every_statement_is_judged_exactly_once() -> None:
    def complaint(*verdicts: tuple[int, str, str]) -> str:
        made = [StatementVerdict(number=n, reading="", lacks=lacks, verdict=v) for n, v, lacks in verdicts]  # type: ignore[arg-type]
        return JUDGE_SUPPORT.complaint(GIVEN, SupportVerdicts(verdicts=made))

    assert complaint((1, "supported", ""), (2, "not", "fly")) == ""
    assert "[2]" in complaint((1, "supported", ""))
    assert complaint((1, "supported", ""), (1, "supported", ""), (2, "not", "fly"))
    assert complaint((1, "supported", ""), (2, "not", "fly"), (7, "supported", ""))
    assert complaint((1, "supported", ""), (2, "not", " ")), "a refusal has a reason"


def test_r4_without_a_model_the_floor_is_the_judge() -> None:
    output = JUDGE_SUPPORT.extractive(GIVEN, TaskContext(built_in_embedder()))
    assert [v.verdict for v in output.verdicts] == ["supported", "not"]
    assert JUDGE_SUPPORT.complaint(GIVEN, output) == ""


def test_x2_statements_and_passages_are_fenced_and_the_floors_doubt_is_not_told() -> None:
    content = JUDGE_SUPPORT.prompt(GIVEN).content
    assert "<statement-2>" in content and "<passage-1>" in content and "is not there" not in content


def test_c2b_the_sign_of_other_words_has_a_legend() -> None:
    known = {1: Citation(id=1, title="Rules", page=1, quote="A boat floats.", verified=True)}
    shown = markup.answer("Boats float. 📄1≈ Boats weigh ≈ 2 tonnes.", known, lambda c: "<b>1</b>")
    assert shown.count("pp-degree") == 1 and "in other words" in shown


def test_c2b_a_page_that_several_statements_cite_is_read_once() -> None:
    """Their surroundings overlap: each whole stretch is there, nothing stands twice, other pages stay apart."""
    page = "".join(f"Rule {n}: a boat of class {n} keeps {n} metres away.\n" for n in range(100))
    stretches = [
        f"Rules, page 1\n{page[a:b].strip()}" for a, b in ((1000, 3000), (0, 2000), (2500, 4000), (1200, 1500))
    ]
    other = f"Rules, page 2\n{page[1000:3000].strip()}"
    assert joined([*stretches, other, stretches[0]]) == [f"Rules, page 1\n{page[:4000].strip()}", other]
    assert joined(["Rules, page 1\nShort.", "Rules, page 1\nOther."]) == [
        "Rules, page 1\nShort.",
        "Rules, page 1\nOther.",
    ]


def test_c4_an_answer_is_exact_where_all_of_it_is_carried() -> None:
    found = {"verified": 4, "unverified": 0}
    told = [
        rating(found, 0, "high"), rating(found, 0, "medium"), rating(found, 1, "high"), rating(found, 5, "high"),
        rating({"verified": 3, "unverified": 1}, 0, "high"), rating({"verified": 0, "unverified": 0}, 0, "high"),
    ]  # fmt: skip
    assert [t["retrieval_confidence"] for t in told] == ["high", "medium", "medium", "low", "medium", "low"]
    assert [t["confidence_score"] for t in told] == [1.0, 0.95, 0.8, 4 / 9, 0.75, 0.0]
