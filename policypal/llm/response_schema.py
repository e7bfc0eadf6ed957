"""A task's output type as the JSON schema dialect of structured outputs, and back."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

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
_THOUGHTS_END = "</think>"
_MOST_BEGINNINGS = 20
"""Places where an object may begin that are tried; a reply of thousands of braces is no reply."""
_SHOWN_PROBLEMS = 10


class UnusableReply(ValueError):
    """A model's text is not the agreed object. ``str(error)`` says why, in words meant for the model."""


def response_format(output: type[BaseModel]) -> dict[str, Any]:
    """The ``response_format`` of a chat completion, named after the output type; strict where the type allows it."""
    schema = closed_schema(output)
    return {
        "type": "json_schema",
        "json_schema": {"name": output.__name__, "schema": schema, "strict": not _has_free_keys(schema)},
    }


def response_tool(output: type[BaseModel]) -> dict[str, Any]:
    """The one tool a model has to call where it takes no ``response_format``; its arguments are the object."""
    described = {"name": output.__name__, "description": "Gives the answer.", "parameters": closed_schema(output)}
    return {"type": "function", "function": described}


def schema_in_words(output: type[BaseModel]) -> str:
    """The schema as a part of a prompt, for models that are only told, and for corrections."""
    schema = json.dumps(closed_schema(output), ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object and nothing else: no introduction, no code fence. It has every field of this JSON "
        f"schema and no others:\n{schema}"
    )


def closed_schema(output: type[BaseModel]) -> dict[str, Any]:
    """The type's JSON schema with every property required and no others allowed."""
    return _closed(_with_object_at_root(output.model_json_schema()))


def read_reply(text: str, output: type[Output]) -> Output:
    """The validated object in a model's text. Where it stands is the model's affair: after its thoughts, in a code fence,
    between sentences. What it holds is not: every field of the schema is there, also those with defaults, and no other is.

    Raises:
        UnusableReply: there is no JSON object, or it does not fit the type.
    """
    try:
        read = output.model_validate(_cleaned(_object_in(text)), extra="forbid")
    except ValidationError as error:
        raise UnusableReply(_problems(error)) from None
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be read"
        raise UnusableReply(f"- the answer is not valid JSON: {reason}") from None
    if problems := list(_misfits(read)):
        raise UnusableReply("\n".join(f"- {problem}" for problem in problems[:_SHOWN_PROBLEMS]))
    return read


def complete_part(text: str) -> dict[str, Any]:
    """What is complete of the JSON object that a text begins; empty where that is nothing. Of a list, the objects that are closed."""
    begun = text.rpartition(_THOUGHTS_END)[2]
    start, end = begun.find("{"), begun.rfind("}") + 1
    try:
        found = from_json(begun[start:end], allow_partial=True) if 0 <= start < end else {}
    except ValueError:
        return {}
    return _cleaned(found) if isinstance(found, dict) else {}


def _object_in(text: str) -> Any:
    """The JSON value that a text is, or the longest JSON object in it.

    Raises:
        ValueError, RecursionError: there is none.
    """
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    try:
        return decoder.decode(text.strip())
    except json.JSONDecodeError as error:
        after_thoughts = text.rpartition(_THOUGHTS_END)[2]
        found = max(_objects_in(after_thoughts, decoder), key=lambda held: held[0], default=None)
        if found is None:
            raise error from None
        return found[1]


def _objects_in(text: str, decoder: json.JSONDecoder) -> Iterator[tuple[int, Any]]:
    """Length and value of the objects in a text, none of them inside another."""
    at = text.find("{")
    for _ in range(_MOST_BEGINNINGS):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
            yield end - at, value
        except json.JSONDecodeError:
            end = at + 1
        at = text.find("{", end)


def _misfits(value: Any, name: str = "") -> Iterator[str]:
    """The fields that a validated object has only by their defaults, and those it has though nobody asked for them."""
    if isinstance(value, BaseModel):
        asked = _asked_for(type(value))
        for field in type(value).model_fields:
            inside = f"{name}.{field}" if name else field
            if (field in value.model_fields_set) != (field in asked):
                yield f"{inside}: {'Field required' if field in asked else 'Extra inputs are not permitted'}"
            elif field in asked:
                yield from _misfits(getattr(value, field), inside)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _misfits(part, f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value):
            yield from _misfits(part, f"{name}.{at}")


@lru_cache(maxsize=256)
def _asked_for(output: type[BaseModel]) -> frozenset[str]:
    """The fields of a type that its schema has; ``SkipJsonSchema`` marks those that only the rules fill in."""
    return frozenset(_with_object_at_root(output.model_json_schema()).get("properties", ()))


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
