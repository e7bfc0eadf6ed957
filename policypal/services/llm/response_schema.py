"""A task's output type as the JSON schema dialect of structured outputs, and back."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from policypal.domain.text import storable

Output = TypeVar("Output", bound=BaseModel)

_SAID_IN_WORDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
}
"""Constraints the dialect does not accept everywhere: the description states them and pydantic checks them."""

_DROPPED = {"default", "title", "examples", "format", "discriminator", "uniqueItems"}
_FENCE = re.compile(r"^```[a-zA-Z]*\s*\n(.*)\n```$", re.DOTALL)
_SHOWN_PROBLEMS = 10


class UnusableReply(ValueError):
    """A model's text is not the agreed object. ``str(error)`` says why, in words meant for the model."""


def response_format(output: type[BaseModel]) -> dict[str, Any]:
    """The ``response_format`` of a chat completion, named after the output type; strict where the type allows it."""
    schema = _closed(_with_object_at_root(output.model_json_schema()))
    return {
        "type": "json_schema",
        "json_schema": {"name": output.__name__, "schema": schema, "strict": not _has_free_keys(schema)},
    }


def read_reply(text: str, output: type[Output]) -> Output:
    """The validated object in a model's text.

    Raises:
        UnusableReply: it is not JSON, or does not fit the type.
    """
    body = _FENCE.sub(r"\1", text.strip())
    try:
        return output.model_validate(_cleaned(json.loads(body, parse_constant=_refuse_constant)))
    except ValidationError as error:
        raise UnusableReply(_problems(error)) from None
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be read"
        raise UnusableReply(f"- the answer is not valid JSON: {reason}") from None


def _with_object_at_root(schema: dict[str, Any]) -> dict[str, Any]:
    """A type that refers to itself is a reference at the root, which the dialect does not accept."""
    if "$ref" not in schema:
        return schema
    return {**schema["$defs"][schema["$ref"].rpartition("/")[2]], "$defs": schema["$defs"]}


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every object closed and every property required, as strict mode demands."""
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    closed = {k: _closed_part(k, v) for k, v in schema.items() if k not in _DROPPED and k not in _SAID_IN_WORDS}
    if "oneOf" in closed:
        closed["anyOf"] = closed.pop("oneOf")
    if said := [words.format(schema[k]) for k, words in _SAID_IN_WORDS.items() if k in schema]:
        closed["description"] = " ".join(filter(None, (closed.get("description"), f"({', '.join(said)})")))
    if closed.get("type") == "object":
        closed.setdefault("additionalProperties", False)
        closed["required"] = list(closed.get("properties", {}))
    return closed


def _closed_part(key: str, value: Any) -> Any:
    if key in ("properties", "$defs"):
        return {name: _closed(part) for name, part in value.items()}
    if isinstance(value, dict):
        return _closed(value)
    if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        return [_closed(part) for part in value]
    return value


def _has_free_keys(schema: Any) -> bool:
    """Whether some object may have keys of its own choosing (``dict[str, …]``), which strict mode does not know."""
    if isinstance(schema, dict):
        return bool(schema.get("additionalProperties")) or any(map(_has_free_keys, schema.values()))
    return isinstance(schema, list) and any(map(_has_free_keys, schema))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value, "\ufffd")
    if isinstance(value, list):
        return [_cleaned(v) for v in value]
    if isinstance(value, dict):
        return {storable(k, "\ufffd"): _cleaned(v) for k, v in value.items()}
    return value


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "\n".join(f"- {'.'.join(map(str, e['loc'])) or 'the object'}: {e['msg']}" for e in found[:_SHOWN_PROBLEMS])


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
