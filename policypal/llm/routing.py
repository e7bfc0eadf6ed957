"""Which model does which task, and how long it thinks (R4, R4b). Switching is one line here, or ``POLICYPAL_MODELS`` as JSON."""

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

DEFAULT = "default"
MODELS_AS_OF = date(2026, 11, 24)
"""The day the map was compared with the models OpenAI offers. gpt-4o and gpt-4o-mini, which it named before, end on 14 January 2027."""

MODEL_MAP: Mapping[str, str] = MappingProxyType(
    {
        DEFAULT: "gpt-6-luna@low",
        "router": "gpt-6-luna@none",
        "choose_passages": "gpt-6-luna@none",
        "summarize_history": "gpt-6-luna@none",
        "compare": "gpt-6.1-terra@low",
        "judge": "gpt-6.1-terra@medium",
        "second_look": "gpt-6.1-terra@medium",
        "write_section": "gpt-6.1-terra@low",
    }
)
"""Task → model@reasoning effort. Judgement over several documents goes to the larger model; extraction, routing and targeted answers to the
smaller. What only prepares an answer does not think. The effort is sent to models that reason."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_ALIASES: Mapping[str, str] = MappingProxyType(
    {"answer": "inquire", "write_section": "write_report", "judge": "audit", "second_look": "audit"}
)


class ModelRoutes:
    """Task name → model name and reasoning effort."""

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        """``overrides`` by task name, as "model" or "model@effort"; "inquire" also names the task "answer", "write_report" the task
        "write_section", "audit" the tasks "judge" and "second_look"; "default" replaces the model of every task that has no override of
        its own, which is what an endpoint with a single model needs. Without an effort, that of the map stays."""
        self._overrides = dict(overrides or {})

    def models(self) -> list[str]:
        """All models that tasks are sent to, the one most tasks are sent to first."""
        tasks = (DEFAULT, *MODEL_MAP, *self._overrides)
        return list(dict.fromkeys(self.model_for(task) for task in tasks))

    def model_for(self, task: str) -> str:
        """The model of a task."""
        return _parted(self._overridden(task) or _mapped(task))[0]

    def effort_for(self, task: str) -> str:
        """How long a model that reasons may think about a task: one of :data:`EFFORTS`."""
        return _parted(self._overridden(task))[1] or _parted(_mapped(task))[1]

    def _overridden(self, task: str) -> str:
        names = (task, _ALIASES.get(task, task), DEFAULT)
        return next((self._overrides[name] for name in names if name in self._overrides), "")


def _mapped(task: str) -> str:
    return MODEL_MAP.get(task, MODEL_MAP[DEFAULT])


def _parted(route: str) -> tuple[str, str]:
    """Model and effort; names of models may hold an "@" themselves."""
    model, _, effort = route.rpartition("@")
    return (model, effort) if effort in EFFORTS and model else (route, "")
