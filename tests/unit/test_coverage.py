"""Which obligations a policy meets, and what shows it (A6)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage import measures, read_agreements
from policypal.audit.coverage import Met, assess
from policypal.audit.engine import audit
from policypal.audit.units import Unit, claims_of, read_text
from policypal.domain.audits import CoverageStatus
from policypal.domain.provisions import Kind
from policypal.search.embeddings import WordLlamaEmbedder

EMBEDDER = WordLlamaEmbedder()
DATA = Path(__file__).resolve().parents[1] / "data" / "coverage"

DUTIES = {
    "notify": "The processor shall notify the controller of a personal data breach without undue delay.",
    "assist": "The processor shall assist the controller in notifying a personal data breach to the supervisory authority.",
    "delete": "The processor shall delete or return all personal data after the end of the services.",
    "approve": "The processor shall not engage a sub-processor without the prior written authorisation of the controller.",
    "record": "The processor shall maintain a record of its processing activities.",
    "train": "The processor shall train its employees in data protection every year.",
}


def rule(text: str) -> Unit:
    return Unit("law", text, Kind.PROHIBITION if "shall not " in text else Kind.OBLIGATION)


def claims(policy: str) -> list[Unit]:
    return claims_of("", read_text(policy))


def verdicts(policy: str) -> dict[str, Met]:
    return dict(zip(DUTIES, assess(claims(policy), [rule(d) for d in DUTIES.values()], EMBEDDER), strict=True))


def met(policy: str) -> set[str]:
    return {name for name, verdict in verdicts(policy).items() if verdict.status is CoverageStatus.COVERED}


FILLER = "Invoices are payable within 30 days. The laws of Ireland apply. The office is in Cork."


@pytest.mark.parametrize("part", ["tuning", "held_apart"])
def test_a6_missing_obligations_are_found_in_policies_in_other_words(part: str) -> None:
    """The errors on the held-apart policies were not used to develop the method (docs/coverage.md says how far apart)."""
    agreements = [a for file in sorted((DATA / part).glob("*.json")) for a in read_agreements(file, EMBEDDER)]
    labels = [a.missing for a in agreements]
    found = measures(labels, [np.array([m.status is not CoverageStatus.COVERED for m in a.met]) for a in agreements])
    assert sum(map(len, labels)) > 70
    assert found["f1"] >= {"tuning": 0.85, "held_apart": 0.78}[part], found


@pytest.mark.parametrize(
    ("duty", "sentence"),
    [
        ("notify", "The processor will let the controller know of any data leak as soon as possible."),
        ("assist", "The processor helps the controller to report data breaches to the data protection regulator."),
        ("delete", "When the contract ends, the processor destroys the personal data or hands it back."),
        ("approve", "Subcontractors are used only if the controller has given its consent in writing beforehand."),
        ("record", "The processor keeps a register of the processing activities."),
        ("train", "Once a year all staff attend a training course on data protection."),
    ],
)
def test_a6_other_words_for_the_same_duty_meet_it(duty: str, sentence: str) -> None:
    assert duty in met(f"{sentence} {FILLER}")


def test_a6_duties_that_share_an_object_do_not_stand_in_for_each_other() -> None:
    found = met(f"The processor shall notify the controller of any personal data breach without undue delay. {FILLER}")
    assert found == {"notify"}


@pytest.mark.parametrize(
    "sentence",
    [
        "Deletion of personal data after the end of the services",
        "“Deletion” means that personal data is deleted or returned after the end of the services.",
        "The processor is not obliged to delete or return personal data after the end of the services.",
        "Shall the processor delete or return all personal data after the end of the services?",
    ],
)
def test_a6_headings_definitions_waivers_and_questions_meet_nothing(sentence: str) -> None:
    assert "delete" not in met(
        f"{sentence}\n\nThe processor shall keep a record of its processing activities.\n\n{FILLER}"
    )


def test_a6_another_party_s_duty_does_not_count() -> None:
    assert "record" in met(f"The processor shall keep a record of processing activities. {FILLER}")
    others = verdicts(f"The controller shall keep a record of processing activities. {FILLER}")["record"]
    own = verdicts(f"The processor shall keep a record of processing activities. {FILLER}")["record"]
    assert others.strength <= own.strength


def test_a6_permission_without_the_required_consent_is_no_evidence_of_it() -> None:
    free = (
        f"The processor may engage sub-processors without the prior written authorisation of the controller. {FILLER}"
    )
    asked = f"The processor may engage sub-processors only with the prior written consent of the controller. {FILLER}"
    kept = " The processor shall keep a record of its processing activities."
    assert "approve" in met(asked + kept)
    assert "approve" not in met(free + kept)


def test_a6_the_reason_of_a_gap_says_what_was_searched_and_what_the_nearest_passage_lacks() -> None:
    policy = f"The processor shall keep a record of its processing activities. {FILLER}"
    gap = verdicts(policy)["train"]
    assert gap.status is CoverageStatus.GAP
    assert gap.reason.startswith("None of the 4 sentences searched meets it; the nearest one does not mention ")
    assert "“train”" in gap.reason
    assert 0 <= gap.strength < 1
    assert 0 <= gap.nearest < 4


def test_a6_a_duty_without_its_deadline_is_met_in_part() -> None:
    rules = [rule("The firm must acknowledge every complaint within five business days."), rule(DUTIES["train"])]

    def status(policy: str) -> Met:
        return assess(claims(policy), rules, EMBEDDER)[0]

    assert (
        status(f"We acknowledge every complaint within three business days. {FILLER[35:]}").status
        is CoverageStatus.COVERED
    )
    vague = status("We acknowledge every complaint. The laws of Ireland apply.")
    assert vague.status is CoverageStatus.PARTIAL
    assert "“five business days”" in vague.reason


def test_a6_a_list_continues_its_introduction() -> None:
    policy = "The processor shall:\n\nkeep a record of its processing activities;\n\ntrain its employees in data protection every year."
    assert {"record", "train"} <= met(policy)


def test_a6_nothing_to_search_is_a_gap_and_never_an_error() -> None:
    assert {v.status for v in assess([], [rule(DUTIES["train"])], EMBEDDER)} == {CoverageStatus.GAP}
    assert assess([], [], EMBEDDER) == []
    one = claims("Le responsable du traitement tient un registre des activités.")
    assert [v.nearest for v in assess(one, [rule(DUTIES["train"])], EMBEDDER)] == [0]


def test_a6_the_order_of_the_obligations_does_not_matter() -> None:
    source = claims(f"{DUTIES['notify']} {DUTIES['record']} {FILLER}")
    rules = [rule(text) for text in DUTIES.values()]
    there, back = assess(source, rules, EMBEDDER), assess(source, rules[::-1], EMBEDDER)
    assert there == back[::-1]


def test_a6_a_policy_on_another_subject_covers_nothing() -> None:
    """Single words in common ("secret", "written", "shared") show nothing where the policy is about something else."""
    bakery = (
        "The baker must weigh the flour before mixing. The dough rests for at least two hours under a cloth. Every loaf is "
        "baked for 40 minutes. The order is written down in the order book with the name of the customer. If a customer "
        "complains about a cake, the manager offers a new one. The recipe is a secret of the house and must not be shared "
        "with anybody. The oven is cleaned every evening and serviced once a year. New bakers are shown the oven."
    )
    assert {verdict.status for verdict in verdicts(bakery).values()} == {CoverageStatus.GAP}


def test_a6_a_duty_that_names_nobody_binds_nobody_in_its_row_either() -> None:
    said = "Bicycles must be kept in the cellar. The guard must keep a list of the bicycles in the cellar."
    result = audit("policy", claims("The guard keeps bicycles in the cellar."), claims(said), {"": "Rules"}, EMBEDDER)
    assert {row.obligation: row.bound_party for row in result.coverage} == {
        "Bicycles must be kept in the cellar.": "", "The guard must keep a list of the bicycles in the cellar.": "guard",
    }  # fmt: skip
