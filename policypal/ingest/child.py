"""The process that reads untrusted files: ``python -m policypal.ingest.child`` (D6).

Reads orders from standard input, sets its own limits before touching a file, and answers with JSON lines.
What PDFs need is imported while waiting for the order, anything else when an order needs it.
"""

import contextlib
import gc
import importlib
import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from policypal.errors import DamagedDocument, ExtractionLimit, PolicyPalError
from policypal.ingest.document import ExtractionLimits

if sys.platform != "win32":
    import resource

Emit = Callable[[dict[str, Any]], None]

MAX_ORDERS = 200
MAX_IDLE_MB = 256


def main() -> None:
    """Serve orders from standard input until it closes, one fails, or this process has become old or big, at a priority lower by as
    much as the one argument says."""
    emit = _private_output()
    if len(sys.argv) > 1 and hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    importlib.import_module("policypal.ingest.pdf")
    gc.disable()  # a document's objects live until it is read
    gc.freeze()
    for served, line in enumerate(sys.stdin, 1):
        if not _serve(emit, json.loads(line)):
            break
        again = served < MAX_ORDERS and _resident_mb() < MAX_IDLE_MB
        emit({"done": True, "again": again})
        if not again:
            break
        gc.collect()
    sys.stderr.flush()
    # Closing a damaged document's native objects one by one can crash; the system frees them all at once.
    os._exit(0)


def _serve(emit: Emit, order: dict[str, Any]) -> bool:
    limits = ExtractionLimits(**order.pop("limits"))
    _set_limits(limits)
    try:
        task, order["path"] = order.pop("task"), Path(order["path"])
        if task == "extract":
            _extract(emit, limits, **order)
        elif answer := _answer(task, order):
            emit(answer)
    except PolicyPalError as rejection:
        emit({"error": type(rejection).__name__, "message": rejection.message})
    except MemoryError:
        emit({"error": ExtractionLimit.__name__, "message": ExtractionLimit().message})
    except Exception as failure:  # noqa: BLE001 - readers of damaged files raise anything; all of it means "damaged"
        print(repr(failure)[:500], file=sys.stderr)  # noqa: T201 - the parent logs it
        emit({"error": DamagedDocument.__name__, "message": _damage(order.get("media_type", ""))})
    else:
        return True
    return False


def _damage(media_type: str) -> str:
    if media_type == "application/pdf":
        return DamagedDocument().message
    return "This file is damaged and cannot be read. Please obtain it again from its source."


def _private_output() -> Emit:
    """Keep the pipe to the parent for messages; whatever libraries print goes to standard error."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace", newline="\n")
    os.dup2(2, 1)

    def emit(message: dict[str, Any]) -> None:
        stream.write(json.dumps(message, ensure_ascii=False) + "\n")
        stream.flush()

    return emit


def _set_limits(limits: ExtractionLimits) -> None:
    """Only the soft limits, so that the next order can have its own."""
    if sys.platform == "win32":
        return  # no such limits there: the parent's clock is the only one
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _set_limit(resource.RLIMIT_CPU, math.ceil(usage.ru_utime + usage.ru_stime + limits.seconds))
    _set_limit(resource.RLIMIT_AS, limits.memory_mb << 20)
    _set_limit(resource.RLIMIT_CORE, 0)


def _set_limit(kind: int, soft: int) -> None:
    # macOS refuses some limits, and an inherited hard limit may be lower than ours; the parent's clock remains.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft, resource.getrlimit(kind)[1]))


def _resident_mb() -> float:
    """Memory held now. The system's own peak value would be the parent's, which a child starts with."""
    statistics = Path("/proc/self/statm")
    if not statistics.exists():
        return 0.0
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _extract(emit: Emit, limits: ExtractionLimits, path: Path, media_type: str, password: str | None) -> None:
    if media_type == "application/pdf":
        from policypal.ingest.pdf import read_pdf

        read_pdf(path, password, limits, emit)
    else:
        from policypal.ingest.formats import read_text_document

        read_text_document(path, media_type, limits, emit)


def _answer(task: str, order: dict[str, Any]) -> dict[str, Any] | None:
    from policypal.ingest import pdf, rendering, titles

    tasks: dict[str, Callable[..., dict[str, Any] | None]] = {
        "decrypt": pdf.decrypted, "render": rendering.render, "pick": pdf.pick, "replace": pdf.replace, "title": titles.own_name,
    }  # fmt: skip
    return tasks[task](**order)


if __name__ == "__main__":
    main()
