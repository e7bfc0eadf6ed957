"""What a widget shows for its options. A class instead of a function, so that the session stays serialisable."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Labels:
    """``format_func`` of a widget: the label of each option."""

    names: Mapping[Any, str]

    def __call__(self, option: Hashable) -> str:
        return self.names.get(option, str(option))
