"""A model that is played: its answers are recordings by the key of their request, and requests without one can be written down.

A recording is KEY.json with {"content": …}. The key is made of the messages and the schema, so that a changed prompt makes a recording
stale instead of wrong. Requests that nobody has answered yet go to a folder: NNNN.request.json to answer, NNNN.request.txt to read. Whoever
plays the model puts NNNN.answer.json with {"content": …} beside it (in any folder below), and the next run takes it in.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from pydantic import SecretStr

from policypal.config import BUILT_IN_EMBEDDINGS, Settings
from policypal.llm.openai_engine import OpenAIEngine

_FOLDER = Path(__file__).resolve().parent / "recordings"
_EVIDENCE = re.compile(r"<((?:evidence|passage)-\d+)>\n[^\n]*\n(.*?)\n</\1>", re.DOTALL)
"""What stands below the line with its place."""
_CHARACTERS_PER_TOKEN = 4


class Unplayed(Exception):
    """A request that nobody has answered yet."""


def recordings_of(benchmark: str) -> Path:
    """Where the recordings of a benchmark are kept."""
    return _FOLDER / benchmark


@dataclass
class Recordings:
    """Recorded answers in ``folder``; requests without one are written to ``requests``, if that is given."""

    folder: Path
    requests: Path | None = None
    pending: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for answer in sorted(self.requests.rglob("*.answer.json")) if self.requests else ():
            asked = answer.with_name(answer.name.replace(".answer.", ".request."))
            key = json.loads(asked.read_text(encoding="utf-8"))["key"]
            content = json.loads(answer.read_text(encoding="utf-8"))["content"]
            self.folder.mkdir(parents=True, exist_ok=True)
            told = json.dumps({"content": content}, ensure_ascii=False)
            (self.folder / f"{key}.json").write_text(told, encoding="utf-8")

    def answer(self, messages: Sequence[BaseMessage], name: str, schema: Mapping[str, Any]) -> Any:
        """The content of the recorded answer.

        Raises:
            Unplayed: there is none; the request has been written down.
        """
        said = [{"role": m.type, "content": str(m.content)} for m in messages]
        key = hashlib.sha256(json.dumps([said, schema], sort_keys=True).encode()).hexdigest()[:24]
        kept = self.folder / f"{key}.json"
        if kept.exists():
            return json.loads(kept.read_text(encoding="utf-8"))["content"]
        self.pending.add(key)
        if self.requests is not None:
            _write(self.requests, {"key": key, "schema_name": name, "messages": said, "schema": schema})
        raise Unplayed(key)


def _write(folder: Path, request: Mapping[str, Any]) -> None:
    """Write a request down, unless it stands there."""
    folder.mkdir(parents=True, exist_ok=True)
    known = sorted(folder.rglob("*.request.json"), key=lambda path: path.name)
    if any(json.loads(path.read_text(encoding="utf-8"))["key"] == request["key"] for path in known):
        return
    number = int(known[-1].name.partition(".")[0]) + 1 if known else 1
    told = json.dumps(request, ensure_ascii=False, indent=1)
    (folder / f"{number:04d}.request.json").write_text(told, encoding="utf-8")
    said = [f"######## {m['role']}\n{m['content']}" for m in request["messages"]]
    schema = f"######## answer: {request['schema_name']}\n{json.dumps(request['schema'], ensure_ascii=False, indent=1)}"
    (folder / f"{number:04d}.request.txt").write_text("\n\n".join([*said, schema]), encoding="utf-8")


class PlayedEngine(OpenAIEngine):
    """The model's engine, with its checks, corrections and streaming, over recordings instead of a provider.

    ``calls``, ``tokens`` (four characters each) and ``prompt_characters`` count what was answered; ``evidence_characters`` of them are text
    of documents. An unanswered request raises :class:`Unplayed`, which is no failure of a model and ends the turn.
    """

    def __init__(self, recordings: Recordings) -> None:
        super().__init__(played_settings())
        self.recordings = recordings
        self.calls = self.tokens = self.prompt_characters = self.evidence_characters = 0

    @property
    def evidence_share(self) -> float:
        """The share of the prompts that is text of documents."""
        return self.evidence_characters / max(self.prompt_characters, 1)

    def send(self, exchange: Any, capabilities: Any) -> AIMessage:
        messages = exchange.messages(capabilities.form)
        told = exchange.parameters(capabilities.form)["response_format"]["json_schema"]
        content = json.dumps(self.recordings.answer(messages, told["name"], told["schema"]), ensure_ascii=False)
        prompt = [str(m.content) for m in messages]
        read, written = (n // _CHARACTERS_PER_TOKEN for n in (sum(map(len, prompt)), len(content)))
        self.calls += 1
        self.tokens += read + written
        self.prompt_characters += sum(map(len, prompt))
        self.evidence_characters += sum(len(found[2]) for said in prompt for found in _EVIDENCE.finditer(said))
        usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
        return AIMessage(
            content, response_metadata={"finish_reason": "stop", "model_name": "played"}, usage_metadata=usage
        )

    def stream(self, exchange: Any, capabilities: Any) -> Generator[AIMessageChunk, None, None]:
        whole = self.send(exchange, capabilities)
        for piece in re.findall(r"[^}]*}|[^}]+", str(whole.content)):
            yield AIMessageChunk(piece)
        yield AIMessageChunk("", response_metadata=whole.response_metadata, usage_metadata=whole.usage_metadata)


def played_settings(**given: Any) -> Settings:
    """Settings of an installation with a model, whose passages are found by the built-in vectors."""
    return Settings(openai_api_key=SecretStr("played"), embedding_model=BUILT_IN_EMBEDDINGS, **given)
