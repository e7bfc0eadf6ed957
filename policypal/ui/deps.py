"""The application behind the pages: one container per process, whatever the number of sessions."""

import asyncio
import atexit
import gc
import logging
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from pydantic import AliasChoices
from streamlit.errors import StreamlitSecretNotFoundError
from streamlit.starlette import App

from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings, load_settings
from policypal.errors import PolicyPalError

logger = logging.getLogger(__name__)

_built: list[Container] = []


def container() -> Container:
    """The process's container, built on first use from the environment and ``st.secrets``, which win. Raises
    ConfigurationError: a setting is unusable; DatabaseUnavailable: the database could not be started or reached."""
    return _container()


@asynccontextmanager
async def while_served(_: App) -> AsyncIterator[None]:
    """Begin and end the container with the server: a wrong setting is told at the start and not to the first visitor, and the
    server ends a process that is told to terminate before ``atexit`` runs."""
    threading.Thread(target=_begin, name="policypal-start", daemon=True).start()
    yield
    await asyncio.to_thread(_close)


def _begin() -> None:
    try:
        container()
    except PolicyPalError as error:
        logger.error("PolicyPal cannot start: %s", error.message)  # every visitor and the readiness route try again
    except Exception:
        logger.exception("PolicyPal cannot start")


@st.cache_resource(show_spinner="Starting PolicyPal …")
def _container() -> Container:
    settings = load_settings(secret_settings())
    app = build_container(settings, run_worker=settings.run_worker, process="policypal-app")
    _built.append(app)
    atexit.register(_close)
    threading.Thread(target=_warm_up, args=(app,), name="policypal-preload", daemon=True).start()
    return app


def _warm_up(app: Container) -> None:
    """Load ahead, and let the garbage collector forget what then lives as long as the process: walking through a quarter of a million modules
    and functions took a seventh of a second, with the interpreter held. What is left is small, so that Python collects it often and fast."""
    app.preload()
    gc.collect()
    gc.freeze()


def _close() -> None:
    while _built:
        _built.pop().close()


def secret_settings() -> dict[str, Any]:
    """The settings that stand in ``.streamlit/secrets.toml``; none if there is no such file (X3)."""
    try:
        held: Mapping[str, Any] = st.secrets.to_dict()
    except StreamlitSecretNotFoundError:
        return {}
    return {name: value for name, value in held.items() if name in _setting_names()}


def _setting_names() -> set[str]:
    names = set(Settings.model_fields)
    for field in Settings.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            names.update(str(choice) for choice in field.validation_alias.choices)
    return names
