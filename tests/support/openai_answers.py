"""What a well-behaved model would answer, made from the prompt by simple rules. Used by ``OpenAIServer``.

The handlers read prompts loosely: fenced blocks (``<evidence-1>…</evidence-1>``) wherever they stand. They are no
model; they give every task of the graph an answer that is valid and whose quotations are really in the evidence.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations, zip_longest
from typing import Any

_BLOCK = re.compile(r"<([A-Za-z][\w-]*)([^<>\n]*)>\n(.*?)\n</\1", re.DOTALL)
_NUMBERED = re.compile(r"\[(\d+\.\d+)\] ")
_SENTENCE = re.compile(r"[^\s].*?(?:[.;!?](?=\s|$)|$)", re.DOTALL)
_HEADING = re.compile(r"^(?:[^\n]{1,60}\n+)+(?=[A-Z(])")
_SHORT = re.compile(r"(d\d+): ")
_MARKED = re.compile(r"(d\d+) = (.*)")
_ASKING = ("goal", "question", "message", "request", "query", "clean_query", "topic")
_MAX_QUOTE = 280


@dataclass(frozen=True)
class Block:
    """A fenced part of the prompt. ``kind`` is its label without number; ``number`` the one it carries, else 0."""

    kind: str
    number: int
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def document(self) -> str:
        """The title in the block's first line, as in "d1 = Rulebook (2024), page 3, section …" and then "d1, page 4"."""
        mark, _, title = self.place.rpartition(" = ")
        return self.marks.get(title, title) if not mark else title

    @property
    def place(self) -> str:
        """What stands before the page in the first line."""
        return re.split(r", (?:(?:page|p\.) ?\d|section )", (self.text.splitlines() or [""])[0])[0].strip()

    @property
    def sentences(self) -> dict[str, str]:
        """The numbered sentences of evidence, on one line each, by number."""
        parts = _NUMBERED.split(self.text)[1:]
        return {number: " ".join(words.split()) for number, words in zip(parts[::2], parts[1::2], strict=True)}

    @property
    def cited(self) -> str:
        """The number of the first real sentence, "" where it has none."""
        return next((n for n, words in self.sentences.items() if len(words.split()) >= 4), "")

    @property
    def quote(self) -> str:
        """The first real sentence below the first line."""
        if self.cited:
            return self.sentences[self.cited]
        first, _, rest = self.text.partition("\n")
        sentences = [_HEADING.sub("", s.strip()) for s in _SENTENCE.findall(rest or first) if len(s.split()) >= 4]
        return (sentences[0] if sentences else (rest or first).strip())[:_MAX_QUOTE].strip()


@dataclass(frozen=True)
class ChatRequest:
    """A chat completion request as a handler sees it."""

    body: dict[str, Any]
    schema: dict[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def content(self) -> str:
        """The task's own content: the first user message."""
        return next((str(m["content"]) for m in self.body["messages"] if m["role"] == "user"), "")

    @property
    def blocks(self) -> list[Block]:
        marks = {m[1]: m[2] for b in map(_block, _BLOCK.finditer(self.content)) if (m := _MARKED.fullmatch(b.place))}
        return [replace(_block(m), marks=marks) for m in _BLOCK.finditer(self.content)]

    @property
    def asked(self) -> str:
        """The user's words."""
        found = [b.text for kind in _ASKING for b in self.blocks if b.kind == kind]
        return found[0] if found else self.content.strip().rpartition("\n")[2]

    def numbered(self, *kinds: str) -> list[Block]:
        """Blocks that carry a number; of these kinds, if any are named."""
        return [b for b in self.blocks if b.number and (not kinds or any(k in b.kind for k in kinds))]


Handler = Callable[[ChatRequest], dict[str, Any]]


def _block(match: re.Match[str]) -> Block:
    label, attributes, text = match.groups()
    number = re.search(r"\d+", label + attributes)
    return Block(label.rstrip("0123456789-_").lower(), int(number[0]) if number else 0, text)


def _cited(block: Block) -> dict[str, Any]:
    return said(block.quote, block.cited) if block.cited else said(block.quote)


def said(text: str, *cites: str) -> dict[str, Any]:
    """A statement that cites sentences by their numbers."""
    return {"text": text, "cites": list(cites)}


def number_of(request: ChatRequest, words: str) -> str:
    """The number of the first sentence of the evidence that holds these words."""
    wanted = " ".join(words.split())
    return next(n for b in request.numbered("evidence") for n, text in b.sentences.items() if wanted in text)


_ACTIONS = (
    ("compare", r"\bcompar|\bdiffer|\bversus\b|\bvs\b|what changed"),
    ("audit", r"\baudit|\bcomplian|\bcomply|\bviolat|\bcheck (?:this|my|our)"),
    ("summarize", r"\bsummar|\boverview\b|\bkey points\b"),
)


def route(request: ChatRequest) -> dict[str, Any]:
    """The action by its words; documents whose title or alias stands in the message, those of the conversation for "that
    regulation"."""
    asked = request.asked.lower()
    requested = [name for name, pattern in _ACTIONS if re.search(pattern, asked)]
    settled = re.search(r"The action is settled: (\w+)", request.content)
    action = settled[1] if settled else requested[0] if requested else "inquire"
    chat = re.fullmatch(r"\W*(hi|hello|hey|thanks|thank you|good morning)\b.{0,20}", asked)
    unclear = "have a look" in asked
    help_wanted = re.search(r"what can you do|how (?:do|can) (?:i|you) use|\bhelp\b", asked)
    return {
        "kind": "small_talk" if chat else "help" if help_wanted else "action",
        "action": action,
        "confidence": "low" if unclear else "high",
        "requested_actions": requested or [action],
        "alternatives": list(
            dict.fromkeys([action, *requested, "inquire", "summarize", *(("compare", "audit") if unclear else ())])
        ),
        "documents": _meant(request, asked),
        "question": " ".join(request.asked.split()),
        "web_query": " ".join(request.asked.split())[:120],
    }


def _meant(request: ChatRequest, asked: str) -> list[str]:
    tagged = re.findall(r"d\d+", (re.search(r"Already tagged: (.*)", request.content) or [""])[0])
    library = "\n".join(b.text for b in request.blocks if b.kind == "library")
    listed = [(m[1], line) for line in library.splitlines() if (m := _SHORT.match(line)) and m[1] not in tagged]
    named = [i for i, line in listed if any(name in asked for name in _names(line))]
    implicit = not named and bool(re.search(r"\b(it|its|that|this|those|these|both|them)\b", asked))
    return list(dict.fromkeys(named or [i for i, line in listed if implicit and "conversation" in line.lower()]))


def _names(line: str) -> list[str]:
    pieces = re.split(r"[|;,:()\[\]{}\"“”•]|\s[-–—]\s|\baliases\b", line.lower())
    return [p.strip() for p in pieces if len(p.strip()) >= 5 and p.strip() not in _COMMON]


_COMMON = {"version -", "regulatory", "company", "used in this conversation"}


def answer(request: ChatRequest) -> dict[str, Any]:
    evidence = request.numbered("evidence", "passage") or request.numbered()
    if evidence:
        return {"sentences": [_cited(evidence[0])], "found": True}
    if re.search(r"\bmode\W+general\b", request.content, re.IGNORECASE):
        return {"sentences": [said("In general, this depends on the applicable regulation.")], "found": True}
    return {"sentences": [said("The documents do not contain this information.")], "found": False}


def summary(request: ChatRequest) -> dict[str, Any]:
    documents = [
        {
            "document": title,
            "key_points": [_cited(b) for b in blocks[:3]],
            "obligations": [],
        }
        for title, blocks in _by_document(request).items()
    ]
    return {"documents": documents, "relevance": []}


def chosen_passages(request: ChatRequest) -> dict[str, Any]:
    """The passages that oblige somebody, under a topic those with one of its words."""
    topic = next((_words(b.text) for b in request.blocks if b.kind == "topic"), set())
    blocks = request.numbered("evidence")
    wanted = [b.number for b in blocks if (topic & _words(b.text) if topic else "must" in b.text)]
    return {"numbers": wanted or ([] if topic else [blocks[0].number])}


def comparison(request: ChatRequest) -> dict[str, Any]:
    groups = _by_document(request)
    cells = [_cited(blocks[0]) for blocks in groups.values()]
    row = {"aspect": "First provision", "cells": cells, "differs": len({c["text"] for c in cells}) > 1}
    return {"overview": [said("The documents are compared.")], "rows": [row], "unique": [], "implications": []}


def _by_document(request: ChatRequest) -> dict[str, list[Block]]:
    """Evidence per document, in the order in which the prompt lists the documents, if it does."""
    groups: dict[str, list[Block]] = {}
    for block in request.numbered("evidence", "passage") or request.numbered():
        groups.setdefault(block.document, []).append(block)
    listed = [line.strip() for b in request.blocks if b.kind in ("documents", "titles") for line in b.text.splitlines()]
    return {t: groups[t] for t in [*(t for t in listed if t in groups), *(t for t in groups if t not in listed)]}


def support(request: ChatRequest) -> dict[str, Any]:
    """Carried is a statement whose numbers, and most of whose words, stand in what it cites."""
    return {"verdicts": [_verdict(block) for block in request.numbered("statement")]}


def _verdict(block: Block) -> dict[str, Any]:
    statement, _, cited = block.text.partition("\nCITED")
    held = set(re.findall(r"\w+", cited.lower()))
    words = re.findall(r"\w+", statement.lower())
    lacking = [w for w in words if w not in held]
    carried = len(lacking) <= len(words) // 3 and not any(w.isdigit() for w in lacking)
    verdict = "supported" if carried else "not"
    return {"number": block.number, "reading": "", "lacks": "" if carried else " ".join(lacking), "verdict": verdict}


_LINE = re.compile(r"^\[([SR]\d+)\] (.*)$", re.MULTILINE)
_FIGURE = re.compile(r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)
_ALIKE = 0.4


def numbered_lines(text: str, side: str) -> dict[str, str]:
    """The numbered sentences of one side ("S" or "R") in a prompt."""
    return {number: words for number, words in _LINE.findall(text) if number.startswith(side)}


def asked_obligations(text: str) -> list[str]:
    """The numbers a request for judgements asks for."""
    listed = text.rpartition("JUDGE:")[2].strip()
    return [] if listed == "none" else listed.split(", ")


def judgements(request: ChatRequest) -> dict[str, Any]:
    """Each obligation beside the sentence with most of its words: met where the figures agree, violated where they do not."""
    source, rules = numbered_lines(request.content, "S"), numbered_lines(request.content, "R")
    is_policy = "SOURCE, a POLICY" in request.content
    return {"judgements": [judgement(n, rules[n], source, is_policy) for n in asked_obligations(request.content)]}


def judgement(number: str, rule: str, source: dict[str, str], is_policy: bool) -> dict[str, Any]:
    told = {
        "obligation": number,
        "sentences": [],
        "reasoning": "They were compared.",
        "delta": "",
        "severity": "none",
        "suggestion": "",
    }
    wanted = _words(rule)
    nearest = max(source, key=lambda s: len(wanted & _words(source[s])), default="")
    if not nearest or len(wanted & _words(source[nearest])) < _ALIKE * len(wanted):
        grave = {"delta": "Source: nothing → rule: a duty", "severity": "Medium", "suggestion": "Add the duty."}
        return {**told, "verdict": "gap", **grave} if is_policy else {**told, "verdict": "unclear"}
    agree = set(_FIGURE.findall(rule.lower())) == set(_FIGURE.findall(source[nearest].lower()))
    told["sentences"] = [nearest]
    if agree:
        return {**told, "verdict": "covered"}
    grave = {
        "delta": "Source and rule name different figures",
        "severity": "High",
        "suggestion": "Take over the figure of the rule.",
    }
    return {**told, "verdict": "violated", **grave}


def _words(text: str) -> set[str]:
    return {w[:6] for w in re.findall(r"[a-z]{3,}", text.lower())}


def looks(request: ChatRequest) -> dict[str, Any]:
    """Every finding stands, as grave as it was."""
    numbers = re.findall(r"^FINDING (F\d+):", request.content, re.MULTILINE)
    return {
        "looks": [
            {"finding": n, "reasoning": "No reading saves it.", "stands": True, "severity": "High", "same_as": ""}
            for n in numbers
        ]
    }


def web_supplement(request: ChatRequest) -> dict[str, Any]:
    return {"sentences": [_cited(b) for b in request.numbered("evidence")[:3]]}


def outline(request: ChatRequest) -> dict[str, Any]:
    """Five sections over the evidence, each passage under one of them."""
    numbers = [b.number for b in request.numbered("evidence")]
    shares = [numbers[at::5] for at in range(min(5, len(numbers)))]
    sections = [
        {"heading": f"Requirements {'ABCDE'[at]}", "focus": request.asked[:80], "kind": "theme", "evidence": share}
        for at, share in enumerate(shares)
    ]
    if len(sections) == 5:
        sections[4] |= {"heading": "Deadlines and thresholds", "kind": "deadlines"}
    return {"title": " ".join(request.asked.split()[:8]), "sections": sections, "unanswered": []}


def section(request: ChatRequest) -> dict[str, Any]:
    """A sentence for each of the first passages, of several documents where there are, or of those that were chosen for the section of
    whole ones; deadlines as a table."""
    chosen = re.search(r"<nearest>\n([\d, ]+)\n", request.content)
    nearest = set(map(int, chosen[1].split(","))) if chosen else None
    turns = (b for turn in zip_longest(*_by_document(request).values()) for b in turn if b is not None)
    blocks = [b for b in turns if (nearest is None or b.number in nearest) and b.quote.endswith((".", ";", ":"))][
        :4
    ]  # no good writer quotes a heading
    told: dict[str, Any] = {"sentences": [_cited(b) for b in blocks], "table": None}
    if re.search(r"^Kind: deadlines$", request.content, re.MULTILINE):
        rows = [{"cells": [said("Provision"), _cited(b), said(b.document)]} for b in blocks]
        told["table"] = {"columns": ["Deadline or threshold", "Requirement", "Source"], "rows": rows}
    return told


def source_conflicts(request: ChatRequest) -> dict[str, Any]:
    """Claims of two sources that say the same but for their figures."""
    claims = request.numbered("claim")
    conflicts = [
        {
            "left": one.number,
            "right": other.number,
            "subject": " ".join(_wording(one).split()[:4]),
            "explanation": f"{one.document} and {other.document} set different figures.",
        }
        for one, other in combinations(claims, 2)
        if one.document != other.document and _wording(one) == _wording(other) and one.quote != other.quote
    ]
    return {"conflicts": conflicts[:3]}


def _wording(block: Block) -> str:
    return re.sub(r"\d+", "N", block.quote)


HANDLERS: dict[str, Handler] = {
    "SupportVerdicts": support,
    "Route": route,
    "Answer": answer,
    "Summary": summary,
    "Comparison": comparison,
    "ChosenPassages": chosen_passages,
    "Judgements": judgements,
    "Looks": looks,
    "WebSupplement": web_supplement,
    "Outline": outline,
    "WrittenSection": section,
    "ClaimsCheck": source_conflicts,
}


def example_of(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """The smallest value that fits a schema: for output types without a handler."""
    root = root or schema
    part = _resolved(schema, root)
    if "enum" in part:
        return part["enum"][0]
    if "const" in part:
        return part["const"]
    if "anyOf" in part:
        return example_of(part["anyOf"][-1], root)
    if part.get("type") == "object":
        return {name: example_of(p, root) for name, p in part.get("properties", {}).items()}
    return {"array": [], "string": "None.", "integer": 1, "number": 0.5, "boolean": False}.get(str(part.get("type")))


def completed(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """``value`` with the fields of the schema that it does not name, empty: a good model names all of them."""
    root = root or schema
    part = _resolved(schema, root)
    if "anyOf" in part and value is not None:
        fitting = [p for p in part["anyOf"] if _resolved(p, root).get("type") != "null"]
        return completed(value, fitting[0], root)
    if isinstance(value, list):
        return [completed(item, part.get("items", {}), root) for item in value]
    if not isinstance(value, dict):
        return value
    fields = part.get("properties", {})
    named = {name: completed(item, fields.get(name, {}), root) for name, item in value.items()}
    return {**{name: _empty(field, root) for name, field in fields.items() if name not in value}, **named}


def _empty(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    found = example_of(schema, root)
    return "" if found == "None." else found


def _resolved(part: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    found: dict[str, Any] = root["$defs"][part["$ref"].rpartition("/")[2]]
    return found


_COMMON_DIRECTION = 0.8


def embedding_of(text: str, dimensions: int) -> list[float]:
    """A unit vector of the text's longer words, hashed: texts that share words are similar, on every machine.

    All vectors share one direction, as real embeddings do, so that related texts reach the usual thresholds:
    half of the words in common gives a similarity of about 0.7, none about 0.4.
    """
    words = Counter(w for w in re.findall(r"\w+", text.lower()) if len(w) > 3 or w.isdigit())
    length = math.sqrt(sum(n * n for n in words.values())) or 1.0
    vector = [0.0] * dimensions
    vector[0] = _COMMON_DIRECTION
    for word, count in words.items():
        code = zlib.crc32(word.encode())
        vector[1 + code % (dimensions - 1)] += (1 if code & 0x80000000 else -1) * count / length
    norm = math.sqrt(sum(x * x for x in vector))
    return [x / norm for x in vector]
