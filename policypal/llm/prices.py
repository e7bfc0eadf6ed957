"""What model calls cost (M7): a dated table, and no guess for models it does not list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from policypal.config import ModelPrice

PRICES_AS_OF = date(2026, 11, 24)
"""The day the table was compared with published prices. Show it wherever a cost is shown."""

_MILLION = Decimal(1_000_000)
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider says a call consumed. ``input`` includes ``cached_input``."""

    input: int = 0
    output: int = 0
    cached_input: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output, self.cached_input + other.cached_input)


def _price(input_: str, cached: str, output: str = "0") -> ModelPrice:
    return ModelPrice(input=Decimal(input_), cached_input=Decimal(cached), output=Decimal(output))


PRICES: dict[str, ModelPrice] = {
    "gpt-6-luna": _price("0.10", "0.01", "0.50"),
    "gpt-6-sol": _price("2.00", "0.20", "10.00"),
    "gpt-6-astra": _price("10.00", "1.00", "50.00"),
    "gpt-6.1-terra": _price("1.00", "0.05", "5.00"),
    "gpt-6.1-sol": _price("2.00", "0.10", "10.00"),
    "gpt-5.6-luna": _price("0.20", "0.02", "1.20"),
    "gpt-5.6-terra": _price("2.00", "0.20", "12.00"),
    "gpt-5.4-mini": _price("0.75", "0.075", "4.50"),
    "gpt-5.4-nano": _price("0.20", "0.02", "1.25"),
    "gpt-5": _price("1.25", "0.125", "10.00"),
    "gpt-5-mini": _price("0.25", "0.025", "2.00"),
    "gpt-5-nano": _price("0.05", "0.005", "0.40"),
    "gpt-5.1": _price("1.25", "0.125", "10.00"),
    "o3": _price("2.00", "0.50", "8.00"),
    "gpt-4.1": _price("2.00", "0.50", "8.00"),
    "gpt-4.1-mini": _price("0.40", "0.10", "1.60"),
    "gpt-4o": _price("2.50", "1.25", "10.00"),
    "gpt-4o-2024-05-13": _price("5.00", "5.00", "15.00"),
    "gpt-4o-mini": _price("0.15", "0.075", "0.60"),
    "text-embedding-3-small": _price("0.02", "0.02"),
    "text-embedding-3-large": _price("0.13", "0.13"),
}
"""Of requests with at most 272,000 tokens; what writing into a cache costs is not counted."""


OwnPrices = Mapping[str, ModelPrice]
"""Prices an installation has given for its models (POLICYPAL_PRICES); they come before the table's."""
_NONE: OwnPrices = {}


def price_of(model: str, own: OwnPrices = _NONE) -> ModelPrice | None:
    """The price of a model, or None where it is unknown: a local model, a deployment's own name, a newer model.

    A dated name ("gpt-4o-mini-2024-07-18") has the price of its family unless the table lists it. Other suffixes
    do not: "gpt-4o-realtime-preview" is another product with another price.
    """
    undated = _DATED.sub("", model)
    return own.get(model) or own.get(undated) or PRICES.get(model) or PRICES.get(undated)


def is_price_known(model: str, own: OwnPrices = _NONE) -> bool:
    """Whether a cost of zero means "free" (False: say "price unknown" instead)."""
    return price_of(model, own) is not None


def expected_cost(model: str, characters: int, output_tokens: int = 0, own: OwnPrices = _NONE) -> Decimal:
    """Dollars a request of so many characters may cost, before it is sent: rather more than less, as a token of prose has
    four characters and three are counted here; zero where the price is unknown."""
    return cost_of(model, Tokens(characters // 3 + 1, output_tokens), own)


def cost_of(model: str, tokens: Tokens, own: OwnPrices = _NONE) -> Decimal:
    """Dollars for one call; zero where :func:`is_price_known` is False."""
    price = price_of(model, own)
    if price is None:
        return Decimal(0)
    cached = min(tokens.cached_input, tokens.input)
    of_cached = price.input if price.cached_input is None else price.cached_input
    return ((tokens.input - cached) * price.input + cached * of_cached + tokens.output * price.output) / _MILLION
