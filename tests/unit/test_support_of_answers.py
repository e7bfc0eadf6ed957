"""What becomes of an answer's sentences at the end of a turn (C2b)."""

from __future__ import annotations

from policypal.domain.citations import Citation
from policypal.domain.support import Degree, JudgedSentence
from policypal.graph.agent.support import LEFT_OUT, NOTHING_LEFT, without
from policypal.llm.judge_support import JUDGE_SUPPORT, StatementGiven, StatementVerdict, SupportInput, SupportVerdicts
from policypal.llm.task import TaskContext
from policypal.search.embeddings import built_in_embedder
from policypal.ui import markup

WRONG = JudgedSentence(text="Boats fly.", degree=Degree.NOT_SUPPORTED, reason="No such words.", shown="Boats fly. 📄1")
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
    answer, _, left_out = without("Boats float. 📄12\n\nBoats fly. 📄1", [WRONG]).partition(LEFT_OUT)
    assert answer.strip() == "Boats float. 📄12"
    assert "Boats fly. 📄1 — *No such words.*" in left_out


def test_c2b_lists_tables_and_headings_lose_what_is_empty_and_nothing_else() -> None:
    response = "\n".join([
        "### Rules", "", "**Key points**", "", "- Boats fly. 📄1", "", "**Others**", "", "- Boats float. 📄12", "",
        "| Aspect | Old | New |", "|---|---|---|", "| Air | Boats fly. 📄1 | Boats float. 📄12 |", "| Sea | Boats fly. 📄1 | – |",
    ])  # fmt: skip
    answer = without(response, [WRONG]).partition(LEFT_OUT)[0]
    assert "Key points" not in answer and "**Others**\n\n- Boats float. 📄12" in answer and "### Rules" in answer
    assert "| Air | – | Boats float. 📄12 |" in answer and "Sea" not in answer


def test_c2b_an_answer_of_which_nothing_is_left_says_so() -> None:
    assert without("Boats fly. 📄1", [WRONG]).startswith(NOTHING_LEFT)


def test_a0_what_was_read_is_still_said_last() -> None:
    response = "Boats float. 📄12\n\nBoats fly. 📄1\n\n*Read in full: Harbour Rules, 1 page.*"
    assert without(response, [WRONG]).endswith("*Read in full: Harbour Rules, 1 page.*")


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
