"""What a perfect model could find in an audit is everything, for few calls (A0, A4)."""

from __future__ import annotations

import numpy as np

from benchmarks.ceilings import READING_TOKENS, measure_samples, planned, read_sample
from policypal.audit.narrowing import most_related, nearness
from policypal.audit.pairs import Pairs
from policypal.audit.plan import SOURCE_TOKENS, tokens_of
from policypal.audit.units import Unit
from policypal.domain.provisions import Kind
from policypal.search.embeddings import built_in_embedder


def test_a0_both_sides_of_every_planted_truth_stand_in_one_prompt() -> None:
    told = measure_samples(READING_TOKENS).told()
    assert told["truths"] >= 20 and told["missing"] == []


def test_a0_a_source_too_large_for_one_prompt_is_still_seen_beside_its_rules() -> None:
    assert measure_samples(3_000).told()["missing"] == []


def test_a4_the_sample_policy_is_judged_in_a_dozen_calls() -> None:
    plan = planned(read_sample("policy-2025.pdf"), read_sample("rulebook-2025.pdf"), READING_TOKENS)
    estimate = plan.estimate(4)
    assert 75 <= estimate.obligations <= 90
    assert estimate.calls <= 12 and estimate.tokens <= 60_000
    assert max(map(tokens_of, plan.requests.values())) < SOURCE_TOKENS


def test_a0_what_is_narrowed_is_smaller_and_says_what_was_left_out() -> None:
    source, target = read_sample("policy-2025.pdf"), read_sample("rulebook-2025.pdf")
    whole, narrow = planned(source, target, READING_TOKENS), planned(source, target, 1_000)
    assert whole.unread == 0 < narrow.unread < len(whole.source) / 2
    assert not any(given.is_whole for given in narrow.requests.values())
    assert sum(map(tokens_of, narrow.requests.values())) < sum(map(tokens_of, whole.requests.values())) * 0.7


def test_a0_a_source_too_large_is_put_beside_the_rules_some_at_a_time_and_keeps_what_is_nearest() -> None:
    things = [f"{a} {b}" for a in ("vault", "ledger", "server", "branch", "card") for b in (str(n) for n in range(130))]
    rules = [Unit("r", f"The bank must seal the {thing} each day.", Kind.OBLIGATION) for thing in things]
    source = [Unit("s", f"We seal the {thing} each day.", Kind.STATEMENT) for thing in things[::2]]
    source += [Unit("s", f"The canteen serves soup {n}.", Kind.STATEMENT) for n in range(300)]
    near, whole = nearness(rules, source, built_in_embedder()), Pairs(rules, source, built_in_embedder()).relation
    assert np.allclose(near.strength, whole.max(axis=0), atol=1e-5)
    assert np.allclose(whole[near.home, np.arange(len(source))], near.strength, atol=1e-5)
    ranked = -np.sort(-whole, axis=1)[:, : near.nearest.shape[1]]
    assert np.allclose(np.take_along_axis(whole, near.nearest, axis=1), ranked, atol=1e-5)
    kept = most_related(source, rules, built_in_embedder(), most_pairs=400 * len(rules))
    assert len(kept) == 400 and set(source[: len(things[::2])]) <= set(kept), "what the rules are about is kept"
    assert [source.index(unit) for unit in kept] == sorted(source.index(unit) for unit in kept)
    assert most_related(source, rules, built_in_embedder()) == source
