"""How long a research report takes, and how much of it is verified (W1–W5).

    python benchmarks/research.py --pdfs FOLDER [--regulation one.pdf]... [--goal TEXT]... [--profile]
    python benchmarks/research.py --harvest

With --pdfs: keyless reports from the fictional sample documents and two regulations of the folder, through the functions
the pages call. One JSON line per goal: {"goal", "seconds", "cpu_seconds", "sections", "statements", "verified_share",
"citations", "sources", "issues", "stages"}; ``seconds`` runs from the start to the report, ``cpu_seconds`` is what this process
computed meanwhile, ``stages`` the seconds of each node.

With --harvest: a report for which a local search finds 60 pages of local sites, one of which never comes to its end and ten of which
are broken. One JSON line: {"pages", "read", "failed", "most_requests_at_once", "harvest_seconds", "slowest_timeout_seconds",
"seconds", "sections", "statements", "verified_share"}.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.profiling import print_profiles, profiled_threads
from policypal.application import intake, research, sample_documents
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.documents import DocumentStatus, DocumentType
from policypal.domain.events import Event, InterruptEvent, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.research import Report
from policypal.domain.users import User

GOALS = (
    "Compare what our regulators require for incident reporting",
    "Which duties follow for a bank from the rules on personal data?",
    "What must a mid-size bank change in its outsourcing policy for the new rules?",
)
REGULATIONS = ("gdpr_oj.pdf", "dpdp_act_2023.pdf")
PAGES, BROKEN = 60, 10
TIMEOUT_SECONDS = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path)
    parser.add_argument("--regulation", action="append", metavar="PDF")
    parser.add_argument("--goal", action="append", metavar="TEXT")
    parser.add_argument("--harvest", action="store_true")
    parser.add_argument("--profile", action="store_true", help="print where the time of the run's thread goes")
    given = parser.parse_args()
    if not given.pdfs and not given.harvest:
        parser.error("--pdfs or --harvest is needed")
    if given.pdfs:
        _keyless(given.pdfs, given.regulation or REGULATIONS, given.goal or GOALS, given.profile)
    if given.harvest:
        _harvest(given.goal[0] if given.goal else GOALS[0])


def _keyless(folder: Path, regulations: Sequence[str], goals: Sequence[str], profile: bool) -> None:
    with _application() as (app, user):
        _add_samples(app, user)
        queued = [
            intake.add_document(
                app, user, intake.Upload(n, (folder / n).read_bytes(), DocumentType.REGULATORY, title=Path(n).stem)
            )
            for n in regulations
        ]
        _wait(app, user, [d.id for d in queued])
        app.jobs.stop()
        for goal in goals:
            profiler = profiled_threads() if profile else []
            print(json.dumps({"goal": goal, **_reported(app, user, goal)}), flush=True)
            print_profiles(profiler)


def _reported(app: Container, user: User, goal: str) -> dict[str, Any]:
    started, cpu = time.perf_counter(), time.process_time()
    thread = research.start(app, user, goal, idempotency_key=str(uuid4()))
    report = _report(_followed(app, user, thread)[-1][1])
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    stages: Counter[str] = Counter()
    for entry in research.run_log(app, user, thread):
        if entry.kind == "node":
            stages[entry.name] += round(entry.seconds, 2)  # type: ignore[assignment]
    told = {
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        **_quality(report),
        "sources": len(report.sources),
    }
    return {**told, "issues": report.issues, "stages": {n: round(s, 2) for n, s in stages.items()}}


def _quality(report: Report) -> dict[str, Any]:
    statements = [s for section in report.sections for s in section.statements]
    verified = sum(s.verified for s in statements)
    return {
        "sections": len(report.sections),
        "statements": len(statements),
        "verified_share": round(verified / len(statements), 3) if statements else 0.0,
        "citations": len(report.citations),
    }


def _followed(app: Container, user: User, thread: str) -> list[tuple[float, Event]]:
    """The events with the time at which each was told; a guard's question is answered with its first option."""
    told: list[tuple[float, Event]] = []
    while True:
        told += [(time.perf_counter(), e) for e in research.events(app, user, thread, timeout_seconds=600)]
        last = told[-1][1]
        if not isinstance(last, InterruptEvent) or not last.options:
            return told
        research.resume(app, user, thread, Answer(type=last.interrupt_type, value=last.options[0].id))


def _report(event: Event) -> Report:
    if not isinstance(event, ResponseEvent) or event.research is None:
        raise SystemExit(f"no report: {event}")
    return event.research


def _harvest(goal: str) -> None:
    with _web() as web:
        settings = {
            "tavily_api_key": "tvly-benchmark", "tavily_base_url": web.address, "exa_api_key": "exa-benchmark",
            "exa_base_url": web.address, "web_timeout_seconds": TIMEOUT_SECONDS,
        }  # fmt: skip
        with _application(hosts=frozenset({web.host}), **settings) as (app, user):
            _add_samples(app, user)
            app.jobs.stop()
            started = time.perf_counter()
            thread = research.start(app, user, goal, idempotency_key=str(uuid4()))
            report = _report(_followed(app, user, thread)[-1][1])
            seconds = time.perf_counter() - started
        read = sum(1 for status in web.served.values() if status == 200)
        print(
            json.dumps(
                {
                    "pages": len(web.served), "read": read, "failed": len(web.served) - read,
                    "most_requests_at_once": web.most_at_once, "harvest_seconds": round(web.last - web.first, 2),
                    "slowest_timeout_seconds": TIMEOUT_SECONDS, "seconds": round(seconds, 2), **_quality(report),
                }
            )
        )  # fmt: skip


class _Web(ThreadingHTTPServer):
    """The search protocols of Tavily and Exa, and a site of 60 pages: page 0 never comes to its end, the next ten are broken."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Site)
        self.lock = threading.Lock()
        self.at_once = self.most_at_once = self.found = 0
        self.first = self.last = 0.0
        self.served: dict[int, int] = {}

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        return f"http://{self.host}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Readers that have had enough are part of it."""


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Web

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wanted = asked.get("max_results") or asked["numResults"]
        with self.server.lock:
            first, self.server.found = self.server.found, self.server.found + wanted
        numbers = [n % PAGES for n in range(first, first + wanted)]
        found: list[dict[str, Any]] = [
            {"url": f"{self.server.address}/page/{n}", "title": f"Guidance {n}", "score": 0.8, "raw_content": None,
             "content": f"Guidance {n} explains incident reporting.", "published_date": "2026-01-20",
             "id": str(n), "publishedDate": "2026-01-20", "author": None, "highlights": [], "highlightScores": []}
            for n in numbers
        ]  # fmt: skip
        self._send(
            200, json.dumps({"query": asked["query"], "results": found, "response_time": 0.1}), "application/json"
        )

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self._send(404, "none", "text/plain")
            return
        number = int(self.path.rsplit("/", 1)[1])
        with self._counted():
            status = self._page(number)
        with self.server.lock:
            self.server.served[number] = status

    @contextmanager
    def _counted(self) -> Iterator[None]:
        server = self.server
        with server.lock:
            server.first = server.first or time.perf_counter()
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            yield
        finally:
            with server.lock:
                server.at_once -= 1
                server.last = time.perf_counter()

    def _page(self, number: int) -> int:
        """Serve a page; the status that was told."""
        if number == 0:
            self._drip()
            return 0
        time.sleep(0.3)  # what a site takes
        if number <= BROKEN:
            status, kind = ((500, "text/html"), (404, "text/html"), (200, "image/png"))[number % 3]
            self._send(status, "broken", kind)
            return 0
        self._send(200, _article(number), "text/html")
        return 200

    def _drip(self) -> None:
        """A byte now and then, until the reader hangs up."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            while True:
                self.wfile.write(b" ")
                time.sleep(0.3)

    def _send(self, status: int, body: str, kind: str) -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Only the result is printed."""


def _article(number: int) -> str:
    hours = 4 + number
    sentences = (
        f"Under guidance {number} a bank must report a major incident to its authority within {hours} hours.",
        f"The final report on an incident is due no later than {number} days after the incident was closed.",
        f"Guidance {number} requires the management body to approve the incident reporting procedure every year.",
    )
    text = "".join(f"<p>{s} It holds for banks of every size and for their service providers.</p>" for s in sentences)
    return f"<!doctype html><html><head><title>Guidance {number}</title></head><body><main><h1>Guidance {number}</h1>{text}</main></body></html>"


@contextmanager
def _web() -> Iterator[_Web]:
    with _Web() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@contextmanager
def _application(hosts: frozenset[str] = frozenset(), **settings: Any) -> Iterator[tuple[Container, User]]:
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        app = build_container(Settings(data_dir=Path(folder), **settings), run_worker=True, private_web_hosts=hosts)
        try:
            yield app, local_analyst(app)
        finally:
            app.close()


def _add_samples(app: Container, user: User) -> None:
    _wait(app, user, [d.id for d in sample_documents.add_samples(app, user)])


def _wait(app: Container, user: User, ids: Sequence[str]) -> None:
    for document in intake.wait_until_final(app, user, ids, timeout_seconds=600):
        if document.status is not DocumentStatus.READY:
            raise SystemExit(f"{document.title} could not be read: {document.reason}")


if __name__ == "__main__":
    main()
