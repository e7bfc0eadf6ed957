"""The OpenAI engine: any endpoint that speaks the protocol, with structured outputs (R4, M7, M8)."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Generic

import openai
from langchain_core.messages import AIMessage, BaseMessage
from langchain_openai import ChatOpenAI

from policypal.config import Settings
from policypal.domain.text import storable
from policypal.domain.usage import ModelCall, Usage
from policypal.services.account import Account
from policypal.services.llm.prices import Tokens, cost_of, expected_cost, is_price_known
from policypal.services.llm.prompting import PREFIX_VERSION, correction_of, messages_of
from policypal.services.llm.provider_access import provider_access, traced_only_with_key
from policypal.services.llm.provider_failures import PROVIDER_EXCEPTIONS, cut_off, declined, failure_of, unusable
from policypal.services.llm.response_schema import UnusableReply, read_reply, response_format
from policypal.services.llm.retries import Failure, RetryPolicy
from policypal.services.llm.routing import ModelRoutes
from policypal.services.llm.task import Given, Output, Task, TaskContext, TaskResult

_USUAL_ANSWER_TOKENS = 1_000
"""What an answer is taken to cost when the account is asked, because only the provider will know."""


class OpenAIEngine:
    """Runs every task with one structured chat completion. Thread-safe.

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
        self._retries = retries or RetryPolicy()
        self._clients: dict[str, ChatOpenAI] = {}
        self._lock = threading.Lock()

    def model_for(self, task: str) -> str:
        """The model a task is sent to, for display and for the run's record."""
        return self._routes.model_for(task)

    def run(self, task: Task[Given, Output], given: Given, context: TaskContext) -> TaskResult[Output]:
        """One request to the provider, or as many as M8 allows.

        Raises:
            ModelError: or one of its kinds.
            BudgetExceeded: the account does not cover the next request.
        """
        started = time.perf_counter()
        client = self._client(self.model_for(task.name))
        version = f"{task.version}+{PREFIX_VERSION}"
        call = ModelCall(task.name, self.name, client.model_name, version, Usage(), 0.0)
        messages = messages_of(task.prompt(given), context.profile)
        timeout = self._access.timeout_seconds * task.length
        exchange = _Exchange(client, task, given, messages, call, context.account, timeout)
        output = self._retries.run(exchange.attempt)
        seconds = time.perf_counter() - started
        return TaskResult(output, self.name, exchange.model, version, exchange.usage, seconds)

    def _client(self, model: str) -> ChatOpenAI:
        with self._lock:
            if model not in self._clients:
                self._clients[model] = self._new_client(model)
            return self._clients[model]

    def _new_client(self, model: str) -> ChatOpenAI:
        return ChatOpenAI(
            model=model,
            api_key=self._access.key,
            base_url=self._access.base_url,
            timeout=self._access.timeout_seconds,
            temperature=0,
            max_retries=0,  # the client would retry an exhausted quota too; RetryPolicy decides
            disable_streaming=True,  # a stream that breaks off looks like a success
            use_responses_api=False,
        )


class _Exchange(Generic[Output]):
    """One task's conversation with the provider over all its attempts, and what they consumed together.

    Every attempt is charged as soon as it is answered: one that could not be used, or that nobody waits for any more, was
    paid for all the same. ``call`` is what the charges have in common.
    """

    def __init__(
        self,
        client: ChatOpenAI,
        task: Task[Given, Output],
        given: Given,
        messages: list[BaseMessage],
        call: ModelCall,
        account: Account,
        timeout_seconds: float,
    ) -> None:
        self.model = client.model_name
        self.usage = Usage()
        self._call = call
        self._account = account
        self._client = client
        self._output = task.output
        self._complaint = partial(task.complaint, given)
        self._format = response_format(task.output)
        self._timeout = timeout_seconds
        self._expected_tokens = _USUAL_ANSWER_TOKENS * task.length
        self._messages = messages

    def attempt(self) -> Output | Failure:
        self._account.admit(self._expected_cost())
        started = time.perf_counter()
        try:
            with traced_only_with_key():
                reply = self._client.invoke(self._messages, response_format=self._format, timeout=self._timeout)
        except PROVIDER_EXCEPTIONS as error:
            self._count(_tokens_of_refused(error), time.perf_counter() - started)
            return failure_of(error, self._client.model_name)
        self._remember_model(reply)
        self._count(_tokens_of(reply), time.perf_counter() - started)
        return self._read(reply)

    def _read(self, reply: AIMessage) -> Output | Failure:
        if reply.additional_kwargs.get("refusal"):
            return declined()
        finish = reply.response_metadata.get("finish_reason")
        if finish != "stop":
            return {"length": cut_off, "content_filter": declined}.get(str(finish), unusable)()
        text = storable(str(reply.text), "\ufffd")
        try:
            return self._accepted(read_reply(text, self._output))
        except UnusableReply as problem:
            self._messages = [*self._messages, *correction_of(text, str(problem))]
            return unusable()

    def _accepted(self, output: Output) -> Output:
        """
        Raises:
            UnusableReply: the task's post-condition does not hold.
        """
        if problem := self._complaint(output):
            raise UnusableReply(problem)
        return output

    def _remember_model(self, reply: AIMessage) -> None:
        """The provider names the dated model that answered; an audit's record wants that one."""
        if name := storable(str(reply.response_metadata.get("model_name") or "")):
            self.model = name[:100]

    def _expected_cost(self) -> Decimal:
        characters = sum(len(str(message.content)) for message in self._messages)
        return expected_cost(self._client.model_name, characters, self._expected_tokens)

    def _count(self, tokens: Tokens, seconds: float) -> None:
        priced = self.model if is_price_known(self.model) else self._client.model_name
        used = Usage(tokens.input, tokens.output, cost_of(priced, tokens))
        self.usage += used
        self._account.book(replace(self._call, model=self.model, usage=used, seconds=seconds))


def _tokens_of(reply: AIMessage) -> Tokens:
    usage = reply.usage_metadata
    if usage is None:
        return Tokens()
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
