"""What the references of a message come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from policypal.request.document_names import KnownDocument

MAX_CHOICES = 12
"""More candidates than this are no choice: the user is asked to name the document."""


@dataclass(slots=True)
class Outcome:
    """Documents that are certain, candidates where the message leaves a choice, and names that stay unknown."""

    certain: list[KnownDocument] = field(default_factory=list)
    candidates: list[KnownDocument] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    implicit: bool = False
    single_choice: bool = False
    reasons: list[str] = field(default_factory=list)

    def use(self, documents: Iterable[KnownDocument], reason: str, *, implicit: bool = False) -> None:
        """The reference means these documents, without doubt."""
        self.certain.extend(d for d in documents if d not in self.certain)
        self._note(reason, implicit)

    def offer(self, documents: Iterable[KnownDocument], reason: str, *, name: str, single: bool = False) -> None:
        """The reference means one or some of these; too many or none of them make it an unknown name."""
        options = [d for d in documents if d not in self.candidates]
        self._note(reason, implicit=True)
        if (not options and not self.candidates) or len(options) > MAX_CHOICES:
            self.unknown.append(name)
        else:
            self.candidates.extend(options)
            self.single_choice = single

    def miss(self, name: str) -> None:
        """The message names a document that is not in the library."""
        self.unknown.append(name)
        self._note(f"“{name}” is not a known document", implicit=False)

    def _note(self, reason: str, implicit: bool) -> None:
        self.implicit = self.implicit or implicit
        self.reasons.append(reason)
