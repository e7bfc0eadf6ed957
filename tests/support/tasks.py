"""Every task an engine can be asked to do, wherever its feature keeps it."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from policypal.llm.task import Task

_ROOMS = ("answer", "audit", "compare", "gate", "llm", "request", "research", "summary")


def all_tasks() -> list[Task[Any, Any]]:
    """Each once."""
    rooms = [importlib.import_module(f"policypal.{room}") for room in _ROOMS]
    modules = [found.name for room in rooms for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")]
    held = [
        value for name in modules for value in vars(importlib.import_module(name)).values() if isinstance(value, Task)
    ]
    return list({id(task): task for task in held}.values())
