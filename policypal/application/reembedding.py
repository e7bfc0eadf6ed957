"""How far the change to another embedding model has come (R3)."""

from __future__ import annotations

from dataclasses import dataclass

from policypal.application.container import Container
from policypal.db import embeddings
from policypal.domain.users import User


@dataclass(frozen=True, slots=True)
class Renewal:
    """``done`` of ``documents`` have the vectors of ``model``; searches use the index ``served_by`` until all have."""

    model: str
    done: int
    documents: int
    served_by: str

    @property
    def sentence(self) -> str:
        return (
            f"The search index is being renewed for {self.model}: {self.done} of {self.documents} documents done. Until"
            f" then, searches use {self.served_by}."
        )


def status(app: Container, user: User) -> Renewal | None:
    """Where the renewal of the user's index stands; None where nothing is to be renewed."""
    model = app.embedder.model
    missing, documents = embeddings.count_missing(app.db, user.id, model)
    if not missing:
        return None
    serving = app.search.serving(user.id)
    served_by = f"the index of {serving.embedder.model}" if serving.is_indexed else "the words of the passages"
    return Renewal(model, documents - missing, documents, served_by)
