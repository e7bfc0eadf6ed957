"""The one direct session of a process that reads documents: it hears PostgreSQL's notifications (D5).

LISTEN lives in a session, so this cannot go through a transaction pooler. A session that is lost is made again for as long
as somebody listens; whoever listens also looks now and then, so that nothing depends on a notification.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg_pool import AsyncConnectionPool

from policypal.db.pool import ENTER_QUEUE, SEARCH_PATH, SESSION, server_text

logger = logging.getLogger(__name__)

Hear = Callable[[str], Awaitable[None]]
"""Told the payload of each notification."""

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 15.0
LOOK_SECONDS = 10.0
"""How long a session may be silent before it is asked whether it is still there."""


class Listener:
    """Hears one channel for everybody in this process who asks, in one session."""

    def __init__(self, direct_conninfo: str, channel: str, after_silence: str) -> None:
        """``after_silence`` is the payload told whenever a session begins: what was notified before it, nobody heard."""
        self._conninfo = direct_conninfo
        self._channel = channel
        self._after_silence = after_silence
        self._hearers: list[Hear] = []
        self._session: asyncio.Task[None] | None = None

    async def hear(self, hear: Hear) -> None:
        """Tell ``hear`` of every notification until cancelled."""
        self._hearers.append(hear)
        if self._session is None or self._session.done():
            self._session = asyncio.create_task(self._listen(), name="policypal-listener")
        try:
            await asyncio.shield(self._session)
        finally:
            self._hearers.remove(hear)
            if not self._hearers:
                self._session.cancel()

    async def _listen(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self._conninfo, **SESSION) as connection:
                    await self._begin(connection)
                    if pause > FIRST_PAUSE_SECONDS:
                        logger.info("the job queue's notifications are heard again")
                    pause = FIRST_PAUSE_SECONDS
                    await self._tell(self._after_silence)
                    await self._follow(connection)
            except psycopg.Error as error:
                if pause == FIRST_PAUSE_SECONDS:  # once, however long it takes
                    logger.warning(
                        "the job queue's notifications are interrupted; until they are heard again, documents are looked for"
                        " every few seconds (%s)",
                        server_text(error),
                    )
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _follow(self, connection: psycopg.AsyncConnection[Any]) -> None:
        while True:
            async for notification in connection.notifies(timeout=LOOK_SECONDS):
                await self._tell(notification.payload)
            await self._begin(connection)  # listening twice is listening once; one that is gone is noticed

    async def _begin(self, connection: psycopg.AsyncConnection[Any]) -> None:
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))

    async def _tell(self, payload: str) -> None:
        for hear in list(self._hearers):
            await hear(payload)


class QueuePool(AsyncConnectionPool):
    """The queue's connections: each use is one transaction that sets what it needs itself, as a transaction pooler asks."""

    def __init__(self, conninfo: str, **more: Any) -> None:
        super().__init__(conninfo, kwargs={**SESSION}, **more)

    @asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        async with super().connection(timeout) as connection, connection.transaction():
            await connection.execute(ENTER_QUEUE, (SEARCH_PATH,))
            yield connection
