"""The durable job queue and its worker (D5): procrastinate in the same PostgreSQL."""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, cast

import procrastinate
from procrastinate import exceptions, signals, sql
from procrastinate.retry import RetryStrategy

from policypal.application.trash import Housekeeping
from policypal.concurrency import unless_stopped
from policypal.db import embeddings, provisions
from policypal.db import jobs as jobs_db
from policypal.db.notifications import Listener, QueuePool
from policypal.db.pool import Connection, Database, translated_errors, use_search_path
from policypal.ingest.pipeline import Ingestion, Interrupted
from policypal.text.provisions import READER_VERSION

logger = logging.getLogger(__name__)

INGEST = "policypal.ingest_document"
RECOGNISE = "policypal.recognise_document"
EMBED = "policypal.embed_document"
READ_AGAIN = "policypal.read_provisions"
READ_REGISTER = "policypal.read_register"
READING, RECOGNITION = "default", "recognition"
"""Text recognition takes minutes, so it has a queue of its own, one document at a time: others are read meanwhile."""
HEARTBEAT_SECONDS = 3.0
STALLED_SECONDS = jobs_db.STALLED_SECONDS
SWEEP_SECONDS = 4.0
WITHOUT_JOB_SECONDS = 10.0
_BEHIND_UPLOADS = -10
_LOCKS = {RECOGNISE: RECOGNITION}
_RETRY = RetryStrategy(max_attempts=5, exponential_wait=2)
_ANY_QUEUE = "procrastinate_any_queue_v1"
_LOOK = '{"type": "job_inserted", "job_id": 0}'
"""As if a job had been queued: have a look."""
_HEARTBEAT = "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = %(worker_id)s RETURNING id"
"""Without a result where others have struck the worker off as dead."""
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0
_LASTING_SECONDS = 60.0
"""Workers that worked for so long have not failed at once when they stop."""


ReadRegister = Callable[[str, str, Callable[[], None]], object]
"""Has a model read the register of a user's document; asks in between whether to stop."""


class Jobs:
    """Defers jobs and, if asked, runs a worker in a daemon thread of this process."""

    def __init__(self, db: Database, ingestion: Ingestion, read_register: ReadRegister) -> None:
        self._db = db
        self._ingestion = ingestion
        self._read_register = read_register
        self._deferring = self._app(procrastinate.SyncPsycopgConnector())
        self._worker: _WorkerThread | None = None

    @staticmethod
    def migrate(direct_conninfo: str) -> None:
        """Create the queue's tables if they are missing."""
        with jobs_db.queue_missing(direct_conninfo) as missing:
            if not missing:
                return
            connector = procrastinate.SyncPsycopgConnector(
                conninfo=direct_conninfo, configure=use_search_path, min_size=1, max_size=1
            )
            with procrastinate.App(connector=connector).open() as app:
                app.schema_manager.apply_schema()

    def start(self, *, run_worker: bool) -> None:
        self._deferring.open(cast(Any, _Transactions(self._db)))
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

    def defer_register(self, user_id: str, document_id: str) -> None:
        """Queue the model's reading of a document's register (D12)."""
        self._defer(READ_REGISTER, user_id, document_id, priority=_BEHIND_UPLOADS)

    def cancel(self, job_id: int) -> None:
        """Take a job out of the queue, or ask its worker to end it."""
        with translated_errors():
            self._deferring.job_manager.cancel_job_by_id(job_id, abort=True)

    def _defer(self, task: str, user_id: str, document_id: str, *, queue: str = READING, priority: int = 0) -> None:
        """Without procrastinate's queueing lock: it keeps a job that failed or whose worker was killed from being queued
        again once another one waits. A job too many finds nothing left to do."""
        # text recognition is deferred by the reading it follows, and must not wait for that one's lock
        # one register at a time is read for a person, beside whatever else happens to the document
        lock = f"registers:{user_id}" if task == READ_REGISTER else f"{_LOCKS.get(task, 'document')}:{document_id}"
        deferrer = self._deferring.configure_task(task, queue=queue, priority=priority, lock=lock)
        with translated_errors():
            deferrer.defer(user_id=user_id, document_id=document_id)

    def run_worker_forever(self) -> None:
        """Work until the process is told to stop (``python -m policypal worker``)."""
        self.defer_missing_vectors()
        self.defer_outdated_readings()
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._work_until_signal())

    async def _work_until_signal(self) -> None:
        work = asyncio.create_task(self._work())
        # not the workers' own handlers: after them, nobody could tell a worker that was told to stop from one that failed
        with signals.on_stop(cast(Any, work.cancel)):
            await work

    async def _work(self) -> None:
        """Read what is queued until cancelled. Workers that have lost the database, or that others have taken for dead, are
        started again: procrastinate's own stop, or go on without heartbeat, and nobody would notice."""
        pause = _FIRST_PAUSE_SECONDS
        while threading.main_thread().is_alive():
            began = time.monotonic()
            reason = "the database has lost sight of them"
            try:
                await self._work_until_lost()
            except Exception as error:  # whatever it was, documents are still to be read
                logger.debug("the workers failed", exc_info=True)
                reason = f"{type(error).__name__}: {error}"
            if time.monotonic() - began > _LASTING_SECONDS:
                pause = _FIRST_PAUSE_SECONDS
            if pause == _FIRST_PAUSE_SECONDS:  # once, however often they fail
                logger.warning("the workers stopped and are started again (%s)", reason)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            self._ingestion.ending.clear()

    async def _work_until_lost(self) -> None:
        connector = _QueueConnector(self._db)
        app = self._app(connector)
        async with app.open_async():
            reading = asyncio.create_task(_serve(app, READING, self._ingestion.settings.worker_concurrency))
            beside = [
                asyncio.create_task(work)
                for work in (self._sweep(app), _serve(app, RECOGNITION, 1), connector.lost_worker.wait())
            ]
            try:
                done, _ = await asyncio.wait([reading, *beside], return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                await _ended(reading)
                self._ingestion.ending.set()  # text recognition takes minutes, for which nobody waits
                await _ended(*beside)

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
        app.task(name=READ_REGISTER, pass_context=True)(self._register)
        return app

    def _register(self, context: procrastinate.JobContext, user_id: str, document_id: str) -> None:
        """Not tried again by itself: what it has read is kept, and the analyst sees what is left."""

        def check_stop() -> None:
            if context.should_abort():
                raise exceptions.JobAborted
            if self._ingestion.ending.is_set():
                raise Interrupted

        try:
            unless_stopped(lambda: self._read_register(user_id, document_id, check_stop), check_stop)
        except Interrupted:
            self.defer_register(user_id, document_id)  # goes on after the restart

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


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _serve(app: procrastinate.App, queue: str, concurrency: int) -> None:
    await app.run_worker_async(
        queues=[queue],
        concurrency=concurrency,
        install_signal_handlers=False,
        update_heartbeat_interval=HEARTBEAT_SECONDS,
        stalled_worker_timeout=STALLED_SECONDS,
        shutdown_graceful_timeout=10,
        delete_jobs="successful",
    )


class _Transactions:
    """What deferring takes for its pool: the process's own, in transactions that set what they need themselves."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def connection(self) -> AbstractContextManager[Connection]:
        return self._db.as_owner(durable=False)


class _QueueConnector(procrastinate.PsycopgConnector):
    """The workers' way to the queue: through the pooler, and notifications through one direct session for all of them.
    Procrastinate's own listener ends for good when it cannot connect again at once."""

    def __init__(self, db: Database) -> None:
        super().__init__(pool_factory=QueuePool, conninfo=db.conninfo, min_size=1, max_size=4)
        self._listener = Listener(db.direct_conninfo, _ANY_QUEUE, after_silence=_LOOK)
        self.lost_worker = asyncio.Event()
        """A worker's heartbeat was not taken."""

    async def execute_query_async(self, query: Any, **arguments: Any) -> None:
        if query != sql.queries["update_heartbeat"]:
            await super().execute_query_async(query, **arguments)
            return
        try:
            await self.execute_query_one_async(_HEARTBEAT, **arguments)
        except exceptions.ProcrastinateException:
            self.lost_worker.set()
            raise

    async def listen_notify(self, on_notification: Any, channels: Iterable[str]) -> None:
        async def hear(payload: str) -> None:
            await on_notification(channel=_ANY_QUEUE, payload=payload)

        await self._listener.hear(hear)


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
        self._task = asyncio.create_task(self._jobs._work())
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
