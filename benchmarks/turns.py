"""What a turn of a long conversation costs: time, and bytes of the agent's memory (M2).

    python benchmarks/turns.py [--turns N] [--profile]

A keyless conversation over the fictional sample documents, through the functions the pages call. Prints one JSON line:
{"turns", "median_ms", "p95_ms", "cpu_ms", "overhead_ms", "bytes_per_turn_10", "bytes_per_turn_50", "bytes_ratio", "time_ratio"}.
``cpu_ms`` is what this process computed, without the database's share. ``overhead_ms`` is the median of wall time minus the
tasks and searches of the trace: the graph, its checkpoints, the history. Bytes are what the thread holds in the checkpoint
tables after a turn, the median of the five turns up to the 10th and up to the last; the time ratio compares the medians of
the ten turns up to each.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.application import ask, conversations, intake, sample_documents
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.interrupts import Answer
from policypal.domain.users import User

TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
QUESTIONS = (
    "Within how many hours must a serious incident be reported?",
    "How long must customer records be kept?",
    "Who approves the outsourcing of a critical function?",
    "What must the board review every year?",
    "Which complaints must be answered in writing?",
)


@dataclass(frozen=True)
class Turn:
    """Seconds (wall, and of this process's CPU) and bytes of one turn; ``inside`` is what its tasks and searches took."""

    seconds: float
    cpu: float
    inside: float
    bytes: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--profile", action="store_true", help="print where the time of the runs' threads goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        app = build_container(Settings(data_dir=Path(folder)), run_worker=True)
        try:
            print(json.dumps(_report(_conversation(app, max(given.turns, 20), given.profile))))
        finally:
            app.close()


def _conversation(app: Container, turns: int, profile: bool) -> list[Turn]:
    user = local_analyst(app)
    documents = intake.wait_until_final(
        app, user, [d.id for d in sample_documents.add_samples(app, user)], timeout_seconds=120
    )
    app.jobs.stop()
    _turn(app, user, ask.new_thread_id(), QUESTIONS[0], documents[0].id)  # what is loaded once is not a turn's cost
    thread = ask.new_thread_id()
    profiler = _profiled_threads() if profile else []
    told = [
        _turn(app, user, thread, QUESTIONS[n % len(QUESTIONS)], documents[n % 2].id) for n in range(turns)
    ]  # fmt: skip
    for one in profiler:
        pstats.Stats(one).sort_stats("cumulative").print_stats(60)
    return told


def _turn(app: Container, user: User, thread: str, question: str, document_id: str) -> Turn:
    before, cpu_before = time.perf_counter(), time.process_time()
    ask.send(app, user, thread, ask.Request(message=question, document_ids=(document_id,)))
    *_, last = ask.events(app, user, thread, timeout_seconds=60)
    seconds = time.perf_counter() - before
    if last.type == "interrupt":
        ask.resume(app, user, thread, Answer(type="cancel"))
        *_, last = ask.events(app, user, thread, timeout_seconds=60)
    assert last.type == "response", last
    cpu = time.process_time() - cpu_before
    told = conversations.history(app, user, thread)
    trace = told.traces[[m.run_id for m in told.messages if m.run_id][-1]]
    inside = sum(e.seconds for e in trace if e.kind in ("task", "search"))
    return Turn(seconds, cpu, inside, _held_bytes(app, thread))


def _held_bytes(app: Container, thread: str) -> int:
    with app.db.as_owner() as c:
        rows = [
            c.execute(
                f"SELECT coalesce(sum(pg_column_size(t.*)), 0) AS n FROM {table} t WHERE thread_id = %s", (thread,)
            ).fetchone()
            for table in TABLES
        ]
    return sum(int(row["n"]) for row in rows if row)


def _profiled_threads() -> list[cProfile.Profile]:
    """Profiles of the threads started from now on that run the graph."""
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        profiles.append(cProfile.Profile())
        profiles[-1].enable()

    threading.setprofile(begin)
    return profiles


def _report(turns: Sequence[Turn]) -> dict[str, float]:
    def milliseconds(seconds: Sequence[float]) -> float:
        return round(1000 * statistics.median(seconds), 1)

    def early_and_late(values: Sequence[float], width: int) -> tuple[float, float]:
        return statistics.median(values[10 - width : 10]), statistics.median(values[-width:])

    walls = [t.seconds for t in turns]
    early_time, late_time = early_and_late(walls, 10)
    early_bytes, late_bytes = early_and_late([float(t.bytes) for t in turns], 5)
    return {
        "turns": len(turns),
        "median_ms": milliseconds(walls),
        "p95_ms": round(1000 * statistics.quantiles(walls, n=20)[-1], 1),
        "cpu_ms": milliseconds([t.cpu for t in turns]),
        "overhead_ms": milliseconds([t.seconds - t.inside for t in turns]),
        "bytes_per_turn_10": early_bytes,
        "bytes_per_turn_50": late_bytes,
        "bytes_ratio": round(late_bytes / early_bytes, 3),
        "time_ratio": round(late_time / early_time, 3),
    }


if __name__ == "__main__":
    main()
