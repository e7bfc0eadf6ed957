"""Where the threads of a measured run spend their time."""

from __future__ import annotations

import cProfile
import pstats
import sys
import threading
from collections.abc import Sequence


def profiled_threads() -> list[cProfile.Profile]:
    """The profilers of the threads started from here on, in order."""
    found: list[cProfile.Profile] = []

    def begin(frame: object, event: str, argument: object) -> None:
        sys.setprofile(None)
        found.append(cProfile.Profile())
        found[-1].enable()

    threading.setprofile(begin)
    return found


def print_profiles(profilers: Sequence[cProfile.Profile], lines: int = 40) -> None:
    """The functions of each thread by the time below them."""
    for profiler in profilers:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(lines)
