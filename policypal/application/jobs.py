"""The durable job queue and its worker (D5): procrastinate in the same PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from typing import Any

import procrastinate
from procrastinate.retry import RetryStrategy

from policypal.application.housekeeping import Housekeeping
from policypal.db import embeddings, provisions
from policypal.db import jobs as jobs_db
from policypal.db.pool import session_conninfo, translated_errors
from policypal.services.ingest.pipeline import Ingestion, Interrupted
from policypal.text.provisions import READER_VERSION

logger = logging.getLogger(__name__)

INGEST = "policypal.ingest_document"
RECOGNISE = "policypal.recognise_document"
EMBED = "policypal.embed_document"
READ_AGAIN = "policypal.read_provisions"
READING, RECOGNITION = "default", "recognition"
"""Text recognition takes minutes, so it has a queue of its own, one document at a time: others are read meanwhile."""
HEARTBEAT_SECONDS = 3.0
STALLED_SECONDS = 12.0
SWEEP_SECONDS = 4.0
WITHOUT_JOB_SECONDS = 10.0
_BEHIND_UPLOADS = -10
_RETRY = RetryStrategy(max_attempts=5, exponential_wait=2)


class Jobs:
    """Defers jobs and, if asked, runs a worker in a daemon thread of this process."""

    def __init__(self, direct_conninfo: str, ingestion: Ingestion) -> None:
        # what a crash of the database server takes from the queue, the sweep and the documents' own state bring back
        self._conninfo = session_conninfo(direct_conninfo, durable=False)
        self._ingestion = ingestion
        connector = procrastinate.SyncPsycopgConnector(conninfo=self._conninfo, min_size=1, max_size=2)
        self._deferring = self._app(connector)
        self._worker: _WorkerThread | None = None

    @staticmethod
    def migrate(direct_conninfo: str) -> None:
        """Create the queue's tables if they are missing."""
        with jobs_db.queue_missing(direct_conninfo) as missing:
            if not missing:
                return
            connector = procrastinate.SyncPsycopgConnector(
                conninfo=session_conninfo(direct_conninfo), min_size=1, max_size=1
            )
            with procrastinate.App(connector=connector).open() as app:
                app.schema_manager.apply_schema()

    def start(self, *, run_worker: bool) -> None:
        with translated_errors():
            self._deferring.open()
        if run_worker:
            self.defer_missing_vectors()
            self.defer_outdated_readings()
            self._worker = _WorkerThread(self)
            self._worker.start()

    def stop(self) -> None:
        """Let the worker finish what it is doing (at most a few seconds), then close. What is being read is put back."""
        self._ingestion.ending.set()
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
        self._deferring.close()

    def defer_ingest(self, user_id: str, document_id: str) -> None:
        """Queue a document's ingestion."""
        self._defer(INGEST, user_id, document_id)

    def defer_missing_vectors(self) -> int:
        """Queue every document that lacks vectors of the embedding model in use and does not wait for them (R3); how many."""
        missing = embeddings.documents_without_vectors(self._ingestion.db, self._ingestion.embedder.model, task=EMBED)
        for user_id, document_id in missing:
            self._defer(EMBED, user_id, document_id, priority=_BEHIND_UPLOADS)
        return len(missing)

    def defer_outdated_readings(self) -> int:
        """Queue every document whose provisions an older reader made (D11); how many."""
        outdated = provisions.documents_to_read(self._ingestion.db, READER_VERSION, task=READ_AGAIN)
        for user_id, document_id in outdated:
            self._defer(READ_AGAIN, user_id, document_id, priority=_BEHIND_UPLOADS)
        return len(outdated)

    def _defer(self, task: str, user_id: str, document_id: str, *, queue: str = READING, priority: int = 0) -> None:
        """Without procrastinate's queueing lock: it keeps a job that failed or whose worker was killed from being queued
        again once another one waits. A job too many finds nothing left to do."""
        # text recognition is deferred by the reading it follows, and must not wait for that one's lock
        lock = f"{RECOGNITION if task == RECOGNISE else 'document'}:{document_id}"
        deferrer = self._deferring.configure_task(task, queue=queue, priority=priority, lock=lock)
        with translated_errors():
            deferrer.defer(user_id=user_id, document_id=document_id)

    def run_worker_forever(self) -> None:
        """Work until the process is told to stop (``python -m policypal worker``)."""
        self.defer_missing_vectors()
        self.defer_outdated_readings()
        asyncio.run(self._work(install_signal_handlers=True))

    async def _work(self, *, install_signal_handlers: bool) -> None:
        app = self._app(procrastinate.PsycopgConnector(conninfo=self._conninfo, min_size=1, max_size=6))
        async with app.open_async():
            beside = [asyncio.create_task(self._sweep(app)), asyncio.create_task(_serve(app, RECOGNITION, 1, False))]
            try:
                await _serve(app, READING, self._ingestion.settings.worker_concurrency, install_signal_handlers)
            finally:
                self._ingestion.ending.set()
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)

    async def _sweep(self, app: procrastinate.App) -> None:
        """Bring back what a killed process left behind: jobs of dead workers, and documents without a job."""
        housekeeping = Housekeeping(self._ingestion.db, self._ingestion.files)
        while True:
            try:
                for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
                    await app.job_manager.retry_job(job)
                for user_id, document_id in await asyncio.to_thread(
                    jobs_db.documents_without_job, self._ingestion.db, WITHOUT_JOB_SECONDS
                ):
                    self.defer_ingest(user_id, document_id)
                await asyncio.to_thread(housekeeping.run_if_due)
            except Exception:  # a sweep that fails is repeated; the worker itself reports a lost database
                if not threading.main_thread().is_alive():
                    return  # the process is ending and takes no new work
                logger.exception("the sweep for abandoned jobs failed and will be repeated")
            await asyncio.sleep(SWEEP_SECONDS)

    def _app(self, connector: procrastinate.BaseConnector) -> procrastinate.App:
        app = procrastinate.App(connector=connector)
        app.task(name=INGEST, retry=_RETRY, pass_context=True)(self._ingest)
        app.task(name=RECOGNISE, retry=_RETRY, pass_context=True, queue=RECOGNITION)(self._recognise)
        app.task(name=EMBED, retry=_RETRY)(self._ingestion.embed_again)
        app.task(name=READ_AGAIN, retry=_RETRY)(self._ingestion.read_again)
        return app

    def _ingest(self, context: procrastinate.JobContext, user_id: str, document_id: str) -> None:
        if self._attempt(context, user_id, document_id):
            self._defer(RECOGNISE, user_id, document_id, queue=RECOGNITION)

    def _recognise(self, context: procrastinate.JobContext, user_id: str, document_id: str) -> None:
        self._attempt(context, user_id, document_id, with_recognition=True)

    def _attempt(
        self, context: procrastinate.JobContext, user_id: str, document_id: str, *, with_recognition: bool = False
    ) -> bool:
        try:
            return self._ingestion.ingest(user_id, document_id, with_recognition=with_recognition)
        except Interrupted:
            raise  # nothing is wrong with the document: should this have been the last attempt, the sweep queues it anew
        except Exception as error:
            if context.job.attempts + 1 >= (_RETRY.max_attempts or 1):
                self._ingestion.give_up(user_id, document_id, error)
            raise


async def _serve(app: procrastinate.App, queue: str, concurrency: int, install_signal_handlers: bool) -> None:
    await app.run_worker_async(
        queues=[queue],
        concurrency=concurrency,
        install_signal_handlers=install_signal_handlers,
        update_heartbeat_interval=HEARTBEAT_SECONDS,
        stalled_worker_timeout=STALLED_SECONDS,
        shutdown_graceful_timeout=10,
        delete_jobs="successful",
    )


class _WorkerThread:
    """A worker beside the interface; its event loop is its own."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._thread = threading.Thread(target=self._run, name="policypal-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended by itself
                self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(timeout=15)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception:
            logger.exception("the background worker stopped; documents stay queued until the application restarts")

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._jobs._work(install_signal_handlers=False))
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
