"""The OpenAI engine: any endpoint that speaks the protocol, with structured outputs (R4, M7, M8)."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from typing import Any, Generic

import openai
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_openai import ChatOpenAI

from policypal.config import Settings
from policypal.domain.text import storable
from policypal.domain.usage import ModelCall, Usage
from policypal.errors import PolicyPalError
from policypal.llm.capabilities import Capabilities, Form, KnownCapabilities
from policypal.llm.prices import Tokens, cost_of, expected_cost, is_price_known
from policypal.llm.prompting import PREFIX_VERSION, correction_of, messages_of
from policypal.llm.provider_access import provider_access, traced_only_with_key
from policypal.llm.provider_failures import PROVIDER_EXCEPTIONS, cut_off, declined, failure_of, unusable
from policypal.llm.response_schema import (
    UnusableReply,
    complete_part,
    read_reply,
    response_format,
    response_tool,
    schema_in_words,
)
from policypal.llm.routing import ModelRoutes
from policypal.llm.task import Given, Output, Task, TaskContext, TaskResult
from policypal.web.retries import Failure, RetryPolicy

_USUAL_ANSWER_TOKENS = 1_000
"""What an answer is taken to cost when the account is asked, because only the provider will know."""


class OpenAIEngine:
    """Runs every task with one structured chat completion, in the form that the endpoint's model takes (R4b). Thread-safe.

    ``TaskResult.prompt_version`` is the task's version and the version of the fixed prefix, as "3+p1".
    """

    name = "openai"

    def __init__(self, settings: Settings, retries: RetryPolicy | None = None) -> None:
        """
        Raises:
            ConfigurationError: the key is missing or unusable.
        """
        self._access = provider_access(settings)
        self.reading_tokens: int | None = settings.whole_document_tokens
        self._routes = ModelRoutes(settings.models)
        self.prices = settings.prices
        self._retries = retries or RetryPolicy()
        self._known = KnownCapabilities()
        self._clients: dict[tuple[str, bool], ChatOpenAI] = {}
        self._lock = threading.Lock()

    def model_for(self, task: str) -> str:
        """The model a task is sent to, for display and for the run's record."""
        return self._routes.model_for(task)

    def expected_cost(self, task: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Dollars for so many tokens of a task; None where its model's price is unknown."""
        model = self.model_for(task)
        if not is_price_known(model, self.prices):
            return None
        return cost_of(model, Tokens(input_tokens, output_tokens), self.prices)

    def capabilities_of(self, model: str) -> Capabilities:
        """What the model has been found to take so far."""
        return self._known.of(model)

    def run(self, task: Task[Given, Output], given: Given, context: TaskContext) -> TaskResult[Output]:
        """One request to the provider, or as many as M8 allows.

        Raises:
            ModelError: or one of its kinds.
            BudgetExceeded: the account does not cover the next request.
        """
        started = time.perf_counter()
        model = self.model_for(task.name)
        version = f"{task.version}+{PREFIX_VERSION}"
        call = ModelCall(task.name, self.name, model, version, Usage(), 0.0)
        exchange = _Exchange(self, task, given, call, context)
        output = self._retries.run(exchange.attempt)
        seconds = time.perf_counter() - started
        return TaskResult(output, self.name, exchange.model, version, exchange.usage, seconds, exchange.broke_off)

    def send(self, exchange: _Exchange[Any, Any], capabilities: Capabilities) -> AIMessage:
        """One request, for whose answer is waited as long as its length deserves.

        Raises:
            one of :data:`PROVIDER_EXCEPTIONS`.
        """
        client = self._client(exchange.asked, capabilities.has_temperature)
        messages = exchange.messages(capabilities.form)
        timeout = self._access.timeout_seconds * exchange.task.length
        with traced_only_with_key():
            return client.invoke(messages, timeout=timeout, **self._parameters(exchange, capabilities))

    def stream(
        self, exchange: _Exchange[Any, Any], capabilities: Capabilities
    ) -> Generator[AIMessageChunk, None, None]:
        """The same piece by piece; the time-out is the longest silence between two pieces.

        Raises:
            one of :data:`PROVIDER_EXCEPTIONS`.
        """
        client = self._client(exchange.asked, capabilities.has_temperature)
        # by name, the client would parse the stream itself and raise over what is cut off
        body = self._parameters(exchange, capabilities)
        messages = exchange.messages(capabilities.form)
        with traced_only_with_key():
            pieces = client.stream(messages, timeout=self._access.timeout_seconds, stream_usage=True, extra_body=body)
            with closing(pieces):  # type: ignore[type-var]  # it is a generator
                for piece in pieces:
                    if isinstance(piece, AIMessageChunk):
                        yield piece

    def lower(self, model: str, tried: Capabilities, error: Exception) -> bool:
        """Whether the endpoint refused something that the model can be asked without."""
        return self._known.lower(model, tried, error)

    def _parameters(self, exchange: _Exchange[Any, Any], capabilities: Capabilities) -> dict[str, Any]:
        effort = {"reasoning_effort": self._routes.effort_for(exchange.task.name)} if capabilities.has_effort else {}
        return {**exchange.parameters(capabilities.form), **effort}

    def _client(self, model: str, has_temperature: bool) -> ChatOpenAI:
        with self._lock:
            if (model, has_temperature) not in self._clients:
                self._clients[model, has_temperature] = self._new_client(model, 0 if has_temperature else None)
            return self._clients[model, has_temperature]

    def _new_client(self, model: str, temperature: float | None) -> ChatOpenAI:
        return ChatOpenAI(
            model=model,
            api_key=self._access.key,
            base_url=self._access.base_url,
            timeout=self._access.timeout_seconds,
            temperature=temperature,
            max_retries=0,  # the client would retry an exhausted quota too; RetryPolicy decides
            use_responses_api=False,
        )


class _Exchange(Generic[Given, Output]):
    """One task's exchange with the provider over all its attempts: what is said to the model (the prompt, and after an unusable
    reply that reply and what is wrong with it), and what the attempts consumed together.

    Every attempt is charged as soon as it is answered: one that could not be used, or that nobody waits for any more, was
    paid for all the same. ``call`` is what the charges have in common; ``asked`` the model as it is asked for, ``model`` as it answers.
    """

    def __init__(
        self, engine: OpenAIEngine, task: Task[Given, Output], given: Given, call: ModelCall, context: TaskContext
    ) -> None:
        self.task, self.asked, self.model = task, call.model, call.model
        self.usage = Usage()
        self.broke_off = False
        self._engine, self._given, self._call, self._context = engine, given, call, context
        self._account = context.account
        self._prompt = task.prompt(given)
        self._corrections: list[BaseMessage] = []
        self._written = ""

    def messages(self, form: Form) -> list[BaseMessage]:
        told = schema_in_words(self.task.output) if form in (Form.JSON_OBJECT, Form.PROMPT) else ""
        return [*messages_of(self._prompt, self._context.profile, told), *self._corrections]

    def parameters(self, form: Form) -> dict[str, Any]:
        """How the request's parameters tell the form of the answer."""
        output = self.task.output
        if form is Form.JSON_SCHEMA:
            return {"response_format": response_format(output)}
        if form is Form.TOOLS:
            called = {"type": "function", "function": {"name": output.__name__}}
            return {"tools": [response_tool(output)], "tool_choice": called}
        return {"response_format": {"type": "json_object"}} if form is Form.JSON_OBJECT else {}

    def attempt(self) -> Output | Failure:
        capabilities = self._engine.capabilities_of(self.asked)
        self._account.admit(self._expected_cost(capabilities.form))
        started, self._written = time.perf_counter(), ""
        try:
            reply = self._reply(capabilities)
        except PROVIDER_EXCEPTIONS as error:
            self._count(_tokens_of_refused(error) + self._tokens_so_far(), time.perf_counter() - started)
            if not self._engine.lower(self.asked, capabilities, error):
                return self._kept() or failure_of(error, self.asked)
        except PolicyPalError:  # the person has stopped it
            self._count(self._tokens_so_far(), time.perf_counter() - started)
            raise
        else:
            self._remember_model(reply)
            self._count(_tokens_of(reply) or self._tokens_so_far(), time.perf_counter() - started)
            return self._read(reply, capabilities.form)
        return self.attempt()  # without what was refused: no more often than there are capabilities

    def _reply(self, capabilities: Capabilities) -> AIMessage:
        """The whole reply; whoever listens hears what is complete of it as soon as it is."""
        listen = self._context.listen
        if listen is None or not capabilities.streams:
            return self._engine.send(self, capabilities)
        pieces = list[AIMessageChunk]()
        with closing(self._engine.stream(self, capabilities)) as stream:
            for piece in stream:
                self._context.check_stop()
                pieces.append(piece)
                self._written += _said_by(piece)
                if "}" in _said_by(piece) and (part := self.task.part(complete_part(self._written))) is not None:
                    listen(part)
        reply = add_ai_message_chunks(*pieces) if len(pieces) > 1 else next(iter(pieces), None)
        if reply is None or (not self._written and reply.response_metadata.get("finish_reason") == "stop"):
            # a refusal has no place in the pieces that the client makes of a stream
            return self._engine.send(self, capabilities)
        return reply

    def _kept(self) -> Output | None:
        """What had arrived of an answer that broke off, if that says something; it is not asked for again."""
        part = self.task.part(complete_part(storable(self._written, "\ufffd")))
        self.broke_off = part is not None
        return part

    def _tokens_so_far(self) -> Tokens:
        """About what a stream has cost that ended before it told."""
        if not self._written:
            return Tokens()
        return Tokens(self._characters(Form.JSON_SCHEMA) // 4, len(self._written) // 4)

    def _read(self, reply: AIMessage, form: Form) -> Output | Failure:
        if reply.additional_kwargs.get("refusal"):
            return declined()
        finish = reply.response_metadata.get("finish_reason")
        if finish != "stop" and not (form is Form.TOOLS and finish == "tool_calls"):
            if finish in (None, "length") and (part := self._kept()) is not None:
                return part
            return {"length": cut_off, "content_filter": declined}.get(str(finish), unusable)()
        return self._accepted(storable(_said(reply), "\ufffd"))

    def _accepted(self, text: str) -> Output | Failure:
        """The reply as the task's output, or what makes it unusable, which the next attempt tells the model."""
        try:
            output = read_reply(text, self.task.output)
            if problem := self.task.complaint(self._given, output):
                raise UnusableReply(problem)
            return output
        except UnusableReply as problem:
            self._corrections += correction_of(text, str(problem), schema_in_words(self.task.output))
            return unusable()

    def _remember_model(self, reply: AIMessage) -> None:
        """The provider names the dated model that answered; an audit's record wants that one."""
        if name := storable(str(reply.response_metadata.get("model_name") or "")):
            self.model = name[:100]

    def _expected_cost(self, form: Form) -> Decimal:
        answer = _USUAL_ANSWER_TOKENS * self.task.length
        return expected_cost(self.asked, self._characters(form), answer, self._engine.prices)

    def _characters(self, form: Form) -> int:
        return sum(len(str(message.content)) for message in self.messages(form))

    def _count(self, tokens: Tokens, seconds: float) -> None:
        own = self._engine.prices
        priced = self.model if is_price_known(self.model, own) else self.asked
        is_priced = tokens == Tokens() or is_price_known(priced, own)
        used = Usage(tokens.input, tokens.output, cost_of(priced, tokens, own), is_priced)
        self.usage += used
        self._account.book(replace(self._call, model=self.model, usage=used, seconds=seconds))


def _said(reply: AIMessage) -> str:
    """The reply's text; of a model that called the tool, the arguments."""
    if reply.tool_calls:
        return json.dumps(reply.tool_calls[0]["args"])
    if reply.invalid_tool_calls:
        return str(reply.invalid_tool_calls[0]["args"] or "")
    return str(reply.text)


def _said_by(piece: AIMessageChunk) -> str:
    """The text of a piece of a stream, or of a tool's arguments."""
    return str(piece.text) or "".join(str(call["args"] or "") for call in piece.tool_call_chunks)


def _tokens_of(reply: AIMessage) -> Tokens | None:
    usage = reply.usage_metadata
    if usage is None:
        return None
    cached = usage.get("input_token_details", {}).get("cache_read") or 0
    return Tokens(usage["input_tokens"], usage["output_tokens"], cached)


def _tokens_of_refused(error: Exception) -> Tokens:
    """The client raises for a reply that was cut off or filtered; it was paid for all the same."""
    completion: Any = getattr(error, "completion", None)
    if not isinstance(error, openai.OpenAIError) or completion is None or completion.usage is None:
        return Tokens()
    details = completion.usage.prompt_tokens_details
    cached = (details.cached_tokens if details else 0) or 0
    return Tokens(completion.usage.prompt_tokens, completion.usage.completion_tokens, cached)
