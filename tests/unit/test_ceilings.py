"""What a perfect model could find in an audit is everything, for few calls (A0, A4)."""

from __future__ import annotations

from benchmarks.ceilings import READING_TOKENS, measure_samples, planned, read_sample
from policypal.audit.plan import SOURCE_TOKENS, tokens_of


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
