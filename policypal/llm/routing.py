"""Which model does which task (R4). Switching a model is one line here, or ``POLICYPAL_MODELS`` as JSON."""

from collections.abc import Mapping
from types import MappingProxyType

DEFAULT = "default"

MODEL_MAP: Mapping[str, str] = MappingProxyType(
    {
        DEFAULT: "gpt-4o-mini",
        "compare": "gpt-4o",
        "judge": "gpt-4o",
        "second_look": "gpt-4o",
        "write_section": "gpt-4o",
        "summarize_history": "gpt-4o-mini",
    }
)
"""Judgement over several documents goes to the larger model; extraction, routing and targeted answers to the smaller."""

_ALIASES: Mapping[str, str] = MappingProxyType(
    {"answer": "inquire", "write_section": "write_report", "judge": "audit", "second_look": "audit"}
)


class ModelRoutes:
    """Task name → model name."""

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        """``overrides`` by task name; "inquire" also names the task "answer", "write_report" the task "write_section", "audit" the
        tasks "judge" and "second_look"; "default" replaces the model of every task that has no override of its own, which is what an endpoint with a single
        model needs."""
        self._overrides = dict(overrides or {})

    def models(self) -> list[str]:
        """All models that tasks are sent to, the one most tasks are sent to first."""
        tasks = (DEFAULT, *MODEL_MAP, *self._overrides)
        return list(dict.fromkeys(self.model_for(task) for task in tasks))

    def model_for(self, task: str) -> str:
        """The model of a task."""
        for name in (task, _ALIASES.get(task, task), DEFAULT):
            if name in self._overrides:
                return self._overrides[name]
        return MODEL_MAP.get(task, MODEL_MAP[DEFAULT])
