"""What somebody said, with all that is needed to tell what was meant (G0)."""

from datetime import UTC, date, datetime

from pydantic import BaseModel, Field

from policypal.domain.requests import ActionName
from policypal.request.library import KnownDocument


class Said(BaseModel):
    """A message with its mention labels in place, and what came with it. ``documents`` are the library; ``history`` are
    "user: …"/"assistant: …" lines, oldest first; ``tagged_ids`` and ``action`` are settled already, by a tag, a chip or a leading
    imperative; ``attached`` is a text to be audited. ``is_first``: the conversation begins with it. ``today`` decides what "last
    year's edition" is; None means the clock's date (UTC)."""

    message: str
    documents: list[KnownDocument] = Field(default_factory=list)
    history: list[str] = Field(default_factory=list)
    tagged_ids: list[str] = Field(default_factory=list)
    attached: str = ""
    action: ActionName | None = None
    is_first: bool = False
    today: date | None = None

    @property
    def day(self) -> date:
        return self.today or datetime.now(UTC).date()
