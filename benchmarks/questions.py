"""How well answers serve labelled questions over real documents (A2, C4): without a model, or with a played one.

    python benchmarks/questions.py --questions QUESTIONS.json --pdfs DIR [--data FOLDER] [--show] [--cases FILE]
                                   [--model [--recordings FOLDER] [--requests FOLDER]]

QUESTIONS.json: {"questions": [{"documents", "question", "answerable", "need", "answers": [{"file", "must_quote", "value"}]}]}. Every
question is asked through the application, as an inquiry (which action a message asks for is `requests.py`'s to measure), tagged with its documents (of the whole library where they are more than can be tagged). A
labelled answer is *shown* where the answer's text holds one of its quotations and a source of its document; ``need`` says whether
any or all of them must be. Prints one JSON line:

``right_shown``: of the answerable questions, those whose answer shows what is labelled, "Nothing close" and the related provisions included
that a click in the same message unfolds; ``right_at_once``: without that click;
``exact_right``: of the answers marked *Exact provision*, those that do; of unanswerable questions none does;
``unanswerable_recognised``: of the unanswerable questions, those told "Nothing close";
``falsely_not_found``: of the answerable ones, those told so; besides ``exact`` (how many are marked so), ``value_on_top`` (of the
labelled values, those in the first line), ``characters`` of the median answer, ``at_once`` those of them that are not folded, and ``median_ms``.

``--model`` has a played model answer (benchmarks/played.py) through the product's own retrieval, checks and gate; the action and the documents
are given, so that nothing is asked of it but the answer and the reading of its statements. A labelled answer is then shown where a statement
that the gate let stand cites it: its words stand in the sentences behind the markers. Besides: ``supported`` (of the statements of
the answers, those that the gate let stand), ``calls`` and ``tokens`` of all answers, ``evidence_share`` (of the characters of all prompts,
those of documents), ``played`` and ``stale``: questions whose answers are not all recorded, which are not scored.

``--data`` keeps the library for another run, ``--show`` lists every error, ``--cases`` writes every answer to a file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.played import PlayedEngine, Recordings, played_settings, recordings_of
from policypal.application import ask, intake, library
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db.documents import load_page_texts
from policypal.domain import requests
from policypal.domain.citations import RELATED, Citation
from policypal.domain.conversations import Action
from policypal.domain.documents import DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from policypal.graph.agent.support import LEFT_OUT

_MOST_TAGGED = 5


@dataclass(frozen=True)
class Judged:
    """One answer: what was said, how it is marked, and whether it shows what is labelled."""

    question: dict[str, Any]
    said: str
    badge: str
    is_right: bool
    at_once: str
    is_right_at_once: bool
    has_value: bool
    seconds: float
    statements: int = 0
    refused: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--model", action="store_true", help="a played model answers")
    parser.add_argument("--recordings", type=Path, default=recordings_of("questions"), metavar="FOLDER")
    parser.add_argument("--requests", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    questions = json.loads(given.questions.read_text(encoding="utf-8"))["questions"]
    engine = PlayedEngine(Recordings(given.recordings, given.requests)) if given.model else None
    with _application(given.data, engine) as (app, user):
        ids = _ingested(app, user, given.pdfs, sorted({name for q in questions for name in q["documents"]}))
        asked = [_judged(app, user, question, ids) for question in questions]
    judged = [j for j in asked if j is not None]
    if given.show:
        _show(judged)
    if given.cases:
        given.cases.write_text("\n\n".join(map(_case, judged)), encoding="utf-8")
    played = _played(engine, judged, len(asked)) if engine else {}
    print(json.dumps({**(_figures(judged) if judged else {}), **played}))


@contextlib.contextmanager
def _application(folder: Path | None, engine: PlayedEngine | None) -> Iterator[tuple[Container, User]]:
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as temporary:
        data = folder or Path(temporary)
        settings = played_settings(data_dir=data) if engine else Settings(data_dir=data, openai_api_key=None)
        app = build_container(settings, run_worker=True)
        app.engine = engine or app.engine
        try:
            yield app, local_analyst(app)
        finally:
            app.close()


def _ingested(app: Container, user: User, pdfs: Path, names: Sequence[str]) -> dict[str, str]:
    """Document ids by file name; waits until all of them can be asked."""
    known = {d.filename: d.id for d in library.list_documents(app, user)}
    for name in names:
        if name not in known:
            upload = intake.Upload(name, (pdfs / name).read_bytes(), DocumentType.REGULATORY)
            known[name] = intake.add_document(app, user, upload).id
    intake.wait_until_final(app, user, [known[name] for name in names], timeout_seconds=900)
    return known


def _judged(app: Container, user: User, question: dict[str, Any], ids: dict[str, str]) -> Judged | None:
    """None where an answer of the played model is missing."""
    played = app.engine.recordings if isinstance(app.engine, PlayedEngine) else None
    pending = len(played.pending) if played else 0
    thread, started = ask.new_thread_id(), time.perf_counter()
    ask.send(app, user, thread, _request(question, ids, is_settled=played is not None))
    *_, last = ask.events(app, user, thread, timeout_seconds=120)
    seconds = time.perf_counter() - started
    if played and len(played.pending) > pending:
        return None
    if not isinstance(last, ResponseEvent):
        return Judged(question, f"[{last.type}]", "none", False, "", False, False, seconds)
    standing, _, refused = last.response.partition(LEFT_OUT)
    shown = [c for c in last.citations if c.marker in _MARKER.findall(standing)]
    cited = {c.document_id for c in shown}
    behind = _sentences(app, user, shown) if played else ""
    said, lead = _plain(f"{standing}\n{behind}"), _plain(last.response.strip().split("\n", 1)[0])
    at_once = standing.partition(RELATED)[0]

    def is_right(words: str) -> bool:
        shows = [
            ids[a["file"]] in cited and any(_plain(quote) in words for quote in a["must_quote"])
            for a in question["answers"]
        ]
        return bool(shows) and (all(shows) if question["need"] == "all" else any(shows))

    has_value = any(a.get("value") and _plain(a["value"]) in lead for a in question["answers"])
    return Judged(
        question, last.response, last.retrieval_confidence, is_right(said), at_once, is_right(_plain(f"{at_once}\n{behind}")), has_value,
        seconds, len(_STATED.findall(standing)), len(_ITEM.findall(refused)),
    )  # fmt: skip


def _request(question: dict[str, Any], ids: dict[str, str], *, is_settled: bool) -> ask.Request:
    """The question, tagged with its documents; of the whole library where they are too many. ``is_settled``: as the person has set it."""
    scope = tuple(ids[name] for name in question["documents"])
    tagged = scope if len(scope) <= _MOST_TAGGED else ()
    as_read = requests.Request(action="inquire", documents=tagged) if is_settled else None
    return ask.Request(message=question["question"], action=Action.INQUIRE, document_ids=tagged, as_read=as_read)


def _sentences(app: Container, user: User, citations: Sequence[Citation]) -> str:
    """All that is cited; a card holds the beginning."""
    places = {(c.document_id or "", c.page or 0): c for c in citations}
    pages = load_page_texts(app.db, user.id, list(places))
    return "\n".join(pages[c.document_id or "", c.page or 0][c.start : c.end] for c in citations)


def _played(engine: PlayedEngine, judged: Sequence[Judged], asked: int) -> dict[str, float | int]:
    """What the model was asked, and what the gate made of its statements."""
    answers = [j for j in judged if j.badge != "low" or j.refused]
    refused = sum(j.refused for j in answers)
    return {
        "supported": _share(sum(j.statements for j in answers), sum(j.statements for j in answers) + refused),
        "calls": engine.calls,
        "tokens": engine.tokens,
        "evidence_share": round(engine.evidence_share, 3),
        "played": len(judged),
        "stale": asked - len(judged),
    }


_MARKER = re.compile(r"[📄🌐]\d+")
_STATED = re.compile(r"^.*[📄🌐]\d+.*$", re.MULTILINE)
_ITEM = re.compile(r"^- ", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|[*_“”\"‘’']")


def _plain(markdown: str) -> str:
    """The words as they are read: without escapes, emphasis and kinds of quotation marks, on one line."""
    return " ".join(_ESCAPED.sub(lambda found: found[1] or "", markdown).casefold().split())


def _figures(judged: Sequence[Judged]) -> dict[str, float | int]:
    answerable = [j for j in judged if j.question["answerable"]]
    unanswerable = [j for j in judged if not j.question["answerable"]]
    exact = [j for j in judged if j.badge == "high"]
    valued = [j for j in answerable if any(a.get("value") for a in j.question["answers"])]
    return {
        "questions": len(judged),
        "right_shown": _share(sum(j.is_right for j in answerable), len(answerable)),
        "right_at_once": _share(sum(j.is_right_at_once for j in answerable), len(answerable)),
        "exact_right": _share(sum(j.is_right for j in exact), len(exact)),
        "unanswerable_recognised": _share(sum(j.badge == "low" for j in unanswerable), len(unanswerable)),
        "falsely_not_found": _share(sum(j.badge == "low" for j in answerable), len(answerable)),
        "exact": len(exact),
        "value_on_top": _share(sum(j.has_value for j in valued), len(valued)),
        "characters": int(statistics.median(len(j.said) for j in judged)),
        "at_once": int(statistics.median(len(j.at_once) for j in judged)),
        "median_ms": round(statistics.median(j.seconds for j in judged) * 1000),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def _show(judged: Sequence[Judged]) -> None:
    for j in judged:
        answerable = j.question["answerable"]
        faults = {
            "not shown": answerable and not j.is_right,
            "exact, but wrong": j.badge == "high" and not j.is_right,
            "called not found": answerable and j.badge == "low",
            "not recognised": not answerable and j.badge != "low",
        }
        for fault in (name for name, is_so in faults.items() if is_so):
            print(f"{fault}: {j.question.get('id', '')} {j.question['question']}", file=sys.stderr)


def _case(judged: Judged) -> str:
    mark = "right" if judged.is_right else "WRONG" if judged.question["answerable"] else "unanswerable"
    return f"######## {judged.question.get('id', '')} [{mark}, {judged.badge}] {judged.question['question']}\n{judged.said}"


if __name__ == "__main__":
    main()
