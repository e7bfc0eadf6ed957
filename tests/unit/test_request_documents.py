"""Which documents a message refers to: labelled conversations and the rules one by one (G4, G5, G11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from policypal.request.documents import Resolution, SettledDocuments, documents_by_rules, settle
from policypal.request.library import KnownDocument
from policypal.request.said import Said

DATA = Path(__file__).parent.parent / "data"
TODAY = date(2025, 6, 1)


@dataclass(frozen=True)
class Played:
    """One turn of a labelled conversation and what came of it."""

    turn: dict[str, Any]
    settled: SettledDocuments
    resolution: Resolution

    @property
    def outcome(self) -> str:
        if self.settled.confidence != "high":
            return "choice" if self.settled.confidence == "medium" else "ask"
        needs = {"compare": 2, "audit": 1, "summarize": 1, "inquire": 0}[self.turn["action"]]
        if len(self.settled.ids) >= max(needs, 1):
            return "ids"
        return "none" if not needs and not self.settled.ids else "missing"  # "missing": the validation asks (G6)

    @property
    def is_right(self) -> bool:
        if "ids" in self.turn:
            return self.outcome == "ids" and set(self.settled.ids) == set(self.turn["ids"])
        if "choice" in self.turn:
            return self.outcome == "choice" and set(self.settled.candidates) == set(self.turn["choice"])
        if "interrupt" in self.turn:
            return self.outcome in ("choice", "ask", "missing")
        return self.outcome == ("ask" if "ask" in self.turn else "none")

    @property
    def is_silently_wrong(self) -> bool:
        return self.outcome == "ids" and set(self.settled.ids) != set(self.turn.get("ids", []))

    def __str__(self) -> str:
        expected = {k: v for k, v in self.turn.items() if k in ("ids", "choice", "ask", "none", "interrupt")}
        s = self.settled
        got = f"{self.outcome} ids={list(s.ids)} candidates={list(s.candidates)} unknown={list(s.unresolved_names)}"
        return f"{self.turn['say']!r} [{self.turn['action']}] wanted {expected}, got {got}"


def play(name: str) -> list[Played]:
    data = json.loads((DATA / name).read_text())
    return [played for c in data["conversations"] for played in _play(data["libraries"][c["library"]], c["turns"])]


def _play(library: list[dict[str, Any]], turns: list[dict[str, Any]]) -> Iterator[Played]:
    used: dict[str, int] = {}
    history: list[str] = []
    for number, turn in enumerate(turns, start=1):
        places = {key: place for place, key in enumerate(used)}
        documents = [KnownDocument(**d, in_conversation=d["id"] in used, turn=used.get(d["id"]), place=places.get(d["id"]))
                     for d in library]  # fmt: skip
        given = Said(
            message=turn["say"],
            tagged_ids=turn.get("tags", []),
            documents=documents,
            history=history[-5:],
            today=TODAY,
        )
        resolution = documents_by_rules(given, turn["action"])
        yield Played(turn, settle(given, resolution), resolution)
        used.update(dict.fromkeys(turn.get("then", turn.get("ids", [])), number))
        history += [f"user: {turn['say']}", f"assistant: {turn.get('reply', 'Here is what I found.')}"]


def resolve(message: str, documents: list[KnownDocument], action: Any = "inquire", **more: Any) -> SettledDocuments:
    given = Said(message=message, documents=documents, today=TODAY, **more)
    return settle(given, documents_by_rules(given, action))


RULEBOOK_23 = KnownDocument(
    id="rb23", title="Conduct Rulebook", version="2023", set_name="Kestrel FSA", aliases=["CRB"]
)
RULEBOOK_25 = KnownDocument(
    id="rb25", title="Conduct Rulebook", version="2025", set_name="Kestrel FSA", aliases=["CRB"]
)
POLICY = KnownDocument(id="pol", title="Acme Data Protection Policy", version="2.1", type="company")
LIBRARY = [RULEBOOK_23, RULEBOOK_25, POLICY]


def used(document: KnownDocument, turn: int) -> KnownDocument:
    return document.model_copy(update={"in_conversation": True, "turn": turn})


def report(played: list[Played]) -> str:
    return "\n".join(str(p) for p in played if not p.is_right)


def test_g4_tuning_conversations_resolve_to_the_right_documents_or_question() -> None:
    played = play("resolution_tuning.json")
    assert sum(p.is_right for p in played) / len(played) >= 0.95, report(played)
    assert not [str(p) for p in played if p.is_silently_wrong]


def test_g4_heldout_conversations_resolve_to_the_right_documents_or_question() -> None:
    played = play("resolution_heldout.json")
    assert sum(p.is_right for p in played) / len(played) >= 0.90, report(played)


def test_g4_heldout_conversations_hardly_ever_use_wrong_documents_silently() -> None:
    played = play("resolution_heldout.json")
    wrong = [p for p in played if p.is_silently_wrong]
    assert len(wrong) / len(played) <= 0.02, report(wrong)


@pytest.mark.parametrize("words", ["these documents", "both documents", "the documents", "these two", "them"])
def test_g4_tagged_documents_are_what_these_documents_are(words: str) -> None:
    found = resolve(f"Compare {words}", LIBRARY, "compare", tagged_ids=["rb25", "pol"])
    assert (found.ids, found.candidates, found.confidence) == (("rb25", "pol"), (), "high")


def test_g4_a_number_that_the_tags_do_not_make_up_is_still_asked_about() -> None:
    found = resolve("Compare these four documents", LIBRARY, "compare", tagged_ids=["rb25", "pol"])
    assert found.confidence != "high"


def test_g4_the_labelled_sets_are_large_and_apart() -> None:
    tuning, heldout = (json.loads((DATA / f"resolution_{n}.json").read_text()) for n in ("tuning", "heldout"))
    assert len(tuning["conversations"]) >= 60
    assert len(heldout["conversations"]) >= 40
    said = [{t["say"] for c in d["conversations"] for t in c["turns"]} for d in (tuning, heldout)]
    titles = [{d["title"] for lib in s["libraries"].values() for d in lib} for s in (tuning, heldout)]
    assert len(said[0] & said[1]) <= 3
    assert not titles[0] & titles[1]


def test_g4_title_with_version_wins_over_the_other_version() -> None:
    assert resolve("What does the Conduct Rulebook (2025) say?", LIBRARY).ids == ("rb25",)


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("What does the Conduct Rulebook say?", "rb25"),
        ("What does CRB say about gifts?", "rb25"),
        ("Summarize the rulebook", "rb25"),
        ("What does the newest rulebook say?", "rb25"),
        ("Summarize the old Conduct Rulebook", "rb23"),
        ("What does the previous rulebook say?", "rb23"),
        ("Summarize the old version of the Kestrel rulebook", "rb23"),
        ("Summarize the Conduct Rulebook 2023", "rb23"),
    ],
)
def test_g4_of_several_editions_the_one_in_force_is_meant_unless_another_is_named(message: str, meant: str) -> None:
    action = "summarize" if message.startswith("Summarize") else "inquire"
    settled = resolve(message, LIBRARY, action)
    assert (settled.confidence, settled.ids) == ("high", (meant,))


def test_g4_an_alias_of_one_edition_is_the_name_of_all() -> None:
    documents = [RULEBOOK_23, RULEBOOK_25.model_copy(update={"aliases": []}), POLICY]
    assert resolve("Summarize CRB", documents, "summarize").ids == ("rb25",)


def test_g4_with_three_editions_the_old_one_is_the_one_before() -> None:
    oldest = RULEBOOK_23.model_copy(update={"id": "rb20", "version": "2020"})
    documents = [RULEBOOK_25, oldest, RULEBOOK_23]
    assert resolve("Summarize the previous Conduct Rulebook", documents, "summarize").ids == ("rb23",)
    assert resolve("Summarize the oldest Conduct Rulebook", documents, "summarize").ids == ("rb20",)


def test_g0_a_word_does_not_widen_a_tag() -> None:
    found = resolve("Check this e-mail against the rulebook", LIBRARY, "audit", tagged_ids=["rb25"])
    assert found.ids == ("rb25",)
    found = resolve("What does the rulebook say?", LIBRARY, tagged_ids=["rb23"])
    assert found.ids == ("rb23",)


def test_m8_a_model_does_not_widen_a_tag_or_take_a_superseded_edition() -> None:
    given = Said(message="Audit it against the rulebook", tagged_ids=["rb25"], documents=LIBRARY)
    assert settle(given, Resolution(ids=["rb23"])).ids == ("rb25",)
    given = Said(message="Summarize the rulebook", documents=LIBRARY)
    assert settle(given, Resolution(ids=["rb23"])).ids == ("rb25",)
    given = Said(message="Summarize the 2023 rulebook", documents=LIBRARY)
    assert settle(given, Resolution(ids=["rb23"])).ids == ("rb23",)


def test_m8_a_reading_that_is_unclear_leaves_the_scope_open() -> None:
    given = Said(message="Summarize the rulebook", documents=LIBRARY)
    assert settle(given, Resolution(is_unclear=True)).confidence == "low"


def test_g4_a_title_of_a_conversation_stays_the_edition_used_there() -> None:
    decided = resolve("What does the Conduct Rulebook say?", [used(RULEBOOK_23, 1), RULEBOOK_25, POLICY])
    assert (decided.confidence, decided.ids) == ("high", ("rb23",))


def test_g4_a_year_the_library_lacks_is_never_replaced_by_another() -> None:
    settled = resolve("Summarize the Conduct Rulebook 2024", LIBRARY, "summarize")
    assert settled.ids == ()
    assert settled.confidence != "high"


def test_g4_unknown_name_is_low_and_stays_unresolved() -> None:
    settled = resolve("What about the Basel handbook?", LIBRARY)
    assert (settled.confidence, settled.ids, settled.unresolved_names) == ("low", (), ("the Basel handbook",))


def test_g4_misspelled_title_is_found_by_the_fuzzy_stage() -> None:
    settled = resolve("Summarize the acme data protecton policy", LIBRARY, "summarize")
    assert (settled.ids, settled.confidence) == (("pol",), "high")


def test_g4_topics_are_no_references() -> None:
    for message in (
        "What are the capital requirements?",
        "data protection policy requirements",
        "Do we need a policy?",
    ):
        given = Said(message=message, documents=LIBRARY, today=TODAY)
        assert documents_by_rules(given, "inquire") == Resolution(), message


def test_g4_tags_and_references_make_a_hybrid_and_tags_come_first() -> None:
    documents = [used(RULEBOOK_25, 2), RULEBOOK_23, POLICY]
    message = "Audit @Acme Data Protection Policy (2.1) against that regulation"
    settled = resolve(message, documents, "audit", tagged_ids=["pol"])
    assert (settled.ids, settled.source) == (("pol", "rb25"), "hybrid")
    assert settled.titles == {"pol": "Acme Data Protection Policy (2.1)", "rb25": "Conduct Rulebook (2025)"}


def test_g4_the_policy_may_be_either_of_two_so_it_is_asked() -> None:
    other = KnownDocument(id="hr", title="Leave Policy", type="company")
    documents = [used(POLICY, 1), used(other, 2), RULEBOOK_25]
    settled = resolve("Audit @Conduct Rulebook against the policy", documents, "audit", tagged_ids=["rb25"])
    assert (settled.confidence, set(settled.candidates)) == ("medium", {"pol", "hr"})


def test_g4_a_single_document_of_its_type_is_meant_without_asking() -> None:
    settled = resolve("Does our policy cover contractors?", LIBRARY)
    assert (settled.confidence, settled.ids, settled.source) == ("high", ("pol",), "inferred")


def test_g4_last_years_edition_follows_the_clock() -> None:
    documents = [RULEBOOK_25, RULEBOOK_23.model_copy(update={"id": "rb24", "version": "2024"})]
    assert resolve("Summarize last year's Conduct Rulebook", documents, "summarize").ids == ("rb24",)


def test_g4_names_inside_the_audited_text_are_no_references() -> None:
    text = "Audit this against the Conduct Rulebook 2025:\n\nOur Acme Data Protection Policy lets us share data."
    assert resolve(text, LIBRARY, "audit").ids == ("rb25",)
    after = (
        "Our Acme Data Protection Policy lets us share data. " * 10
        + "\n\nDoes this comply with the Conduct Rulebook 2025?"
    )
    assert resolve(after, LIBRARY, "audit").ids == ("rb25",)


def test_g4_a_set_stands_for_its_documents() -> None:
    assert resolve("Compare the Kestrel FSA documents", LIBRARY, "compare").ids == ("rb23", "rb25")


def test_g11_follow_ups_use_the_documents_of_the_last_turn() -> None:
    documents = [used(RULEBOOK_23, 1), used(POLICY, 2), RULEBOOK_25]
    assert resolve("And what about deadlines?", documents).ids == ("pol",)
    assert resolve("Does it mention encryption?", documents).ids == ("pol",)
    assert set(resolve("Compare those two", documents, "compare").ids) == {"rb23", "pol"}


def test_g11_ordinals_follow_the_order_in_which_documents_were_named() -> None:
    documents = [used(POLICY, 1).model_copy(update={"place": 1}), used(RULEBOOK_25, 1).model_copy(update={"place": 0})]
    assert resolve("Summarize the first one", documents, "summarize").ids == ("rb25",)
    assert resolve("Summarize the third one", documents, "summarize").confidence == "medium"


def test_g6_an_exactly_fitting_library_is_offered_never_taken() -> None:
    settled = resolve("Please compare", [RULEBOOK_25, POLICY], "compare")
    assert (settled.ids, settled.confidence, settled.candidates) == ((), "medium", ("rb25", "pol"))


def test_g4_ids_a_model_made_up_are_dropped() -> None:
    given = Said(message="x", documents=LIBRARY, tagged_ids=["pol"])
    settled = settle(given, Resolution(ids=["ghost", "pol"], candidates=["ghost"]))
    assert (settled.ids, settled.candidates, settled.source) == (("pol",), (), "explicit")


def test_g4_a_similar_name_means_the_edition_in_force_and_of_two_documents_either() -> None:
    given = Said(message="x", documents=LIBRARY)
    assert settle(given, Resolution(unknown=["Conduct Rulebok"])).ids == ("rb25",)
    apart = [RULEBOOK_23, RULEBOOK_25.model_copy(update={"version": "Draft B"}), POLICY]
    given = Said(message="x", documents=apart)
    settled = settle(given, Resolution(unknown=["Conduct Rulebok"]))
    assert (settled.confidence, settled.candidates) == ("medium", ("rb23", "rb25"))


def test_g4_resolution_survives_hostile_text() -> None:
    for message in ("", "@", "the policy " * 3000, "\x00\ud800", "“" * 500, "it " * 3000, "2023 and " * 2000):
        for action in ("audit", "compare", "inquire", "summarize"):
            assert resolve(message, LIBRARY, action).confidence in ("high", "medium", "low")


def test_g4_this_email_in_an_audit_is_the_pasted_text_not_one_of_the_library() -> None:
    documents = [*LIBRARY, KnownDocument(id="mail", title="Spring Campaign E-mail", type="company")]
    assert resolve("Check this e-mail against the Conduct Rulebook 2025", documents, "audit").ids == ("rb25",)
    named = resolve("Check the spring campaign e-mail against the Conduct Rulebook 2025", documents, "audit")
    assert set(named.ids) == {"mail", "rb25"}


@pytest.mark.parametrize("marks", ['""', "“”", "«»"])
def test_g4_titles_in_quotation_marks_are_names_however_long(marks: str) -> None:
    old = KnownDocument(id="old", title="Operational Conduct and Data Rulebook", version="2023")
    new = KnownDocument(id="new", title="Operational Conduct and Data Rulebook", version="2025")
    first, second = (f"{marks[0]}{d.title} ({d.version}){marks[1]}" for d in (old, new))
    settled = resolve(f"Compare the deadlines in {first} and {second}", [old, new], "compare")
    assert (settled.confidence, set(settled.ids)) == ("high", {"old", "new"})


def test_g4_our_policy_is_the_tagged_one_in_an_audit() -> None:
    ours = KnownDocument(id="p", title="Group Conduct Policy", type="company")
    other = KnownDocument(id="q", title="Travel Policy", type="company")
    rules = [KnownDocument(id=i, title=f"{i} Rulebook", type="regulatory") for i in ("Alpha", "Beta")]
    message, tagged = "Audit our policy against both regulations", ["p", "Alpha", "Beta"]
    for library in ([ours, *rules], [ours, other, *rules]):
        settled = resolve(message, library, "audit", tagged_ids=tagged)
        assert (settled.confidence, list(settled.ids)) == ("high", tagged)


def test_g4_a_procedure_may_be_called_a_policy_but_not_a_law() -> None:
    privacy = KnownDocument(id="p", title="Information Security – Privacy Procedures", type="company")
    library = [*LIBRARY, privacy]
    assert resolve("Summarize the privacy policy", library, "summarize").ids == ("p",)
    assert resolve("Summarize the privacy law", library, "summarize").ids == ()
    own = KnownDocument(id="own", title="Privacy Policy", type="company")
    assert resolve("Summarize the privacy policy", [*library, own], "summarize").ids == ("own",)


def test_g6_a_tagged_set_is_no_name_that_the_library_does_not_hold() -> None:
    """Its documents are tagged with it; its label stands in the message."""
    documents = [KnownDocument(id="p", title="Gift Policy", type="company", set_name="Norhaven Bank")]
    words = "what does Norhaven Bank say about gifts?"
    tagged, typed = (
        settle(said, documents_by_rules(said, "inquire"))
        for said in (Said(message=words, documents=documents, tagged_ids=ids) for ids in (["p"], []))
    )
    assert (tagged.ids, tagged.unresolved_names, tagged.confidence) == (("p",), (), "high")
    assert typed.unresolved_names == ("Norhaven Bank",)
