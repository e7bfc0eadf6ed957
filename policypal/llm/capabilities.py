"""What a model at an endpoint takes: how it is told the form of an answer, whether it has a temperature or a reasoning effort, and whether
it streams (R4b).

Nothing has to be configured. A request is sent as OpenAI's own models take it; what the endpoint refuses by name is left out
from then on, for as long as the process lives.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import openai


class Form(Enum):
    """How a model is told the form of its answer, best first."""

    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"
    """Only in words: for endpoints that take no parameter for it."""

    @property
    def next(self) -> Form | None:
        """What is tried where this is refused."""
        forms = list(Form)
        place = forms.index(self) + 1
        return forms[place] if place < len(forms) else None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is known of one model."""

    form: Form = Form.JSON_SCHEMA
    has_temperature: bool = True
    has_effort: bool = False
    streams: bool = True

    def without(self, refused: str) -> Capabilities | None:
        """What remains without the parameter that was refused; None where nothing does."""
        if flag := _FLAGS.get(refused):
            off: Any = {flag: False}
            return replace(self, **off) if getattr(self, flag) else None
        following = self.form.next
        return replace(self, form=following) if following is not None else None


TEMPERATURE, EFFORT, FORM, STREAM = "temperature", "effort", "form", "stream"
_FLAGS = {TEMPERATURE: "has_temperature", EFFORT: "has_effort", STREAM: "streams"}

_REASONS = re.compile(r"(?:^|/)(?:o[1-9]|gpt-(?:[5-9]|\d\d))(?:[-.]|$)")
"""Models that reason take an effort and no temperature; a provider's name may stand before theirs ("openai/o3-mini")."""

_NAMES = {
    TEMPERATURE: re.compile(r"temperature"),
    EFFORT: re.compile(r"reasoning.?effort|\beffort\b"),
    STREAM: re.compile(r"\bstream(?:_options|ing)?\b|include_usage"),
    FORM: re.compile(
        r"response.?(?:format|schema)|json.?(?:schema|object)|structured.?output|\btools?\b|\btool.(?:choice|use)|function.?call"
    ),
}
"""What a refusal calls a parameter, in the order in which they are looked for."""
_OF_CONTENT = {"context_length_exceeded", "content_filter", "content_policy_violation"}
"""Codes of refusals that may mention parameters and are not about them."""
_REFUSALS = {400, 404, 405, 415, 422, 501}


class KnownCapabilities:
    """The capabilities of one endpoint's models, as far as they have been found out. Thread-safe."""

    def __init__(self) -> None:
        self._found: dict[str, Capabilities] = {}
        self._lock = threading.Lock()

    def of(self, model: str) -> Capabilities:
        """What the model is known or taken to have."""
        with self._lock:
            reasons = bool(_REASONS.search(model))
            return self._found.get(model) or Capabilities(has_temperature=not reasons, has_effort=reasons)

    def lower(self, model: str, tried: Capabilities, error: Exception) -> bool:
        """Whether ``error`` refuses a parameter of a request with the capabilities ``tried`` and there is another way, which is
        taken from now on."""
        refused = refused_parameter(error)
        remaining = tried.without(refused) if refused else None
        if remaining is None:
            return False
        with self._lock:
            if self._found.get(model, tried) == tried:  # else another thread was refused the same meanwhile
                self._found[model] = remaining
        return True


def refused_parameter(error: Exception) -> str:
    """:data:`TEMPERATURE`, :data:`EFFORT`, :data:`STREAM` or :data:`FORM` where a provider's error says that it does not take it, else ""."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in _REFUSALS or error.code in _OF_CONTENT:
        return ""
    for told in (str(error.param or ""), _told(error.body), error.message):
        for name, pattern in _NAMES.items():
            if pattern.search(told.lower()):
                return name
    return ""


def _told(body: Any) -> str:
    """The sentence of an error's body, in the shapes in which endpoints send it. It is looked at, never shown."""
    return str(body.get("message") or body) if isinstance(body, dict) else str(body or "")
