"""Questions to the person and their answers (G7, G8)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from policypal.domain.text import storable

CANCEL = "__policypal_cancel__"
"""Resumes a cancelled question; ``Command(resume=None)`` would crash LangGraph."""

ALL, TEXT = "all", "text"
"""Options of a ``doc_choice`` that are no document: all that are offered, and the text of the message."""

InterruptType = Literal[
    "doc_choice", "action_choice", "text_input", "retrieval_low", "plan_choice", "plan_approval", "budget_approval"
]
AnswerType = InterruptType | Literal["cancel"]


class Answer(BaseModel):
    """An answer to an interrupt. ``value`` is an option's id, a text, or a list of ids where several are allowed;
    ``document_ids`` are documents tagged in a text answer."""

    model_config = ConfigDict(frozen=True)

    type: AnswerType
    value: str | list[str] | None = None
    document_ids: list[str] = []

    @property
    def values(self) -> list[str]:
        """The value as a list, empty when there is none."""
        if self.value is None:
            return []
        return [self.value] if isinstance(self.value, str) else list(self.value)

    def cleaned(self) -> Answer:
        """The answer as it can be stored."""
        several = isinstance(self.value, list)
        texts = [storable(v) for v in self.values]
        return self.model_copy(update={"value": texts if several else next(iter(texts), None)})


def question(
    interrupt_type: str,
    message: str,
    *,
    options: list[tuple[str, str]] | None = None,
    allow_multiple: bool = False,
    expects: str | None = None,
) -> dict[str, Any]:
    """The payload of an interrupt (G7)."""
    return {
        "interrupt_type": interrupt_type,
        "message": message,
        "options": [{"id": i, "label": label} for i, label in options] if options is not None else None,
        "allow_multiple": allow_multiple,
        "expects": expects,
    }
