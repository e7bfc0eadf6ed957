"""What an obligation consists of (A6)."""

from __future__ import annotations

from policypal.text.obligation_parts import obligation_parts


def test_a6_party_deadline_and_condition() -> None:
    parts = obligation_parts("If a payment is refused, a provider must inform the payer within 2 working days.")
    assert parts.bound_party == "a provider"
    assert parts.modality == "required"
    assert "2 working days" in parts.deadline
    assert parts.condition == "If a payment is refused"
    assert (parts.threshold, parts.exception) == ("", "")


def test_a6_threshold_and_exception() -> None:
    parts = obligation_parts(
        "An institution must hold own funds of at least 8% unless the Authority has agreed otherwise."
    )
    assert "8%" in parts.threshold
    assert parts.exception.startswith("unless the Authority")
    assert parts.deadline == ""


def test_a6_a_prohibition() -> None:
    parts = obligation_parts("A broker must not accept gifts.")
    assert parts.modality == "prohibited"
    assert parts.bound_party == "A broker"


def test_a6_a_sentence_without_duty_has_no_parts() -> None:
    assert obligation_parts("The weather is fine.").modality == ""
