"""The keyless engine (R4): deterministic, made of templates and quotations only."""

import time
from dataclasses import replace
from decimal import Decimal

from policypal.domain.usage import Usage
from policypal.llm.task import Given, Output, Task, TaskContext, TaskResult
from policypal.search.embeddings import OnceEmbedder


class ExtractiveEngine:
    """Runs every task by rules and similarity over the documents themselves."""

    name = "extractive"
    reading_tokens: int | None = None

    def run(self, task: Task[Given, Output], given: Given, context: TaskContext) -> TaskResult[Output]:
        started = time.perf_counter()
        output = task.extractive(given, replace(context, embedder=OnceEmbedder(context.embedder)))
        return TaskResult(output, self.name, self.name, task.version, Usage(), time.perf_counter() - started)

    def model_for(self, task: str) -> str:
        return self.name

    def expected_cost(self, task: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        return Decimal(0)
