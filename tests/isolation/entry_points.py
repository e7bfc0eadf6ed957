"""Every function by which something of a person can be reached, found in the code."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import policypal.application
import policypal.db

USER = ("user", "user_id")
RESOURCES = ("app", "db", "files", "c", "connection")


@dataclass(frozen=True)
class EntryPoint:
    """A public function of ``application`` or ``db``."""

    name: str  # "application.library.delete"
    function: Callable[..., Any]

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    @property
    def is_for_a_user(self) -> bool:
        return any(name in self.parameters for name in USER)

    @property
    def reaches_data(self) -> bool:
        return any(name in self.parameters for name in RESOURCES)

    def __str__(self) -> str:
        return self.name


def entry_points_of(package: ModuleType) -> Iterator[EntryPoint]:
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for name, member in sorted(vars(module).items()):
            if inspect.isfunction(member) and member.__module__ == module.__name__ and not name.startswith("_"):
                yield EntryPoint(f"{module.__name__}.{name}".removeprefix("policypal."), member)


ALL = [*entry_points_of(policypal.application), *entry_points_of(policypal.db)]
FOR_A_USER = [entry_point for entry_point in ALL if entry_point.is_for_a_user]
FOR_NOBODY = [entry_point for entry_point in ALL if not entry_point.is_for_a_user and entry_point.reaches_data]
