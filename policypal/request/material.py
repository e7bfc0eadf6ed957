"""What of a message is the text to be audited, and what is a request, a greeting, a signature or a list of topics (G0).

A text to be audited states something. Where nothing does, the message holds no such text, whatever stands after a colon or
below the first line.
"""

import re
from collections.abc import Sequence

from policypal.ingest.drafts import in_quotes, is_request, without_mail_headers
from policypal.text.sentences import split_sentences

_REQUEST_WORDS = 60
_BLOCK = re.compile(r"\n[^\S\n]*\n\s*|\n[^\S\n]*[-_=*]{3,}[^\S\n]*(?:\n|$)")
_COLON = re.compile(r":(?=\s)")
_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day)|to whom)\b[^.?!\n]{0,60}[,!:]?\s*$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\W*(?:(?:with|many|kind|best|warm|and|very)\s+){0,3}(?:thanks|thank you|thx|regards|wishes|best|cheers|sincerely|yours|cordially"
    r"|greetings)\b[^.?!\n]{0,60}[.!,]?\s*$",
    re.IGNORECASE,
)
_TOPICS_FOLLOW = re.compile(
    r"\b(?:focus(?:ing|ed)?|points?|topics?|aspects?|areas?|questions?|themes?|scope|on|about|regarding|concerning|especially"
    r"|particularly|only)\W*$",
    re.IGNORECASE,
)
_TO_US = re.compile(
    r"\W*(?:(?:please|pls|kindly|and|also|but|then|now|just|so)\b\W*){0,4}(?:(?:can|could|would|will) you\b|i(?:'d|’d)? (?:would )?(?:like|need|want)\b"
    r"|let me\b|let's\b|do(?:n't|n’t| not) (?:audit|summari[sz]e|compare|forget|include)\b"
    r"|(?:focus|concentrate|limit|restrict|look|pay attention|tell|show|give|explain|highlight|summari[sz]e|compare|audit|answer|list|quote"
    r"|cite|ignore|skip)\b)",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|does|do|did|will|would|shall|should|can|could|may|might|must|cannot|needs?)\b|n[’']t\b"
    r"|\b(?:we|they|he|she|it|i|you)\s+[^\W\d_]{2,}",
    re.IGNORECASE,
)
_IGNORED = re.compile(
    r"\b(?:ignor\w+|skip\w*|leav\w+ out|without|disregard\w*|not) (?:the |my |this )?(?:attach\w+|draft|file)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[,;/&\n]|\band\b|\bor\b", re.IGNORECASE)
_SMALL = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
_LONGEST_ITEM = 4
_FOREIGN_LETTERS = 8
_READ_SENTENCES = 400


def audited_text(message: str) -> tuple[str, str]:
    """Split a message into (what is asked, the text to audit); the text is empty if nothing in the message states anything.

    The text stands after a colon, in paragraphs or lines of its own beside the request, or in quotation marks. Greetings and
    signatures belong to the request, unless the text is a letter with a salutation of its own.
    """
    for split in (_after_colon, _beside_request, in_quotes):
        request, rest = _with_closing_question(*split(message))
        text = _without_signature(rest)
        if states_something(text):
            return request, text
    return message, ""


def text_of(words: str, attached: str) -> tuple[str, str]:
    """What is asked, and the text it is asked of: the attachment's, unless it is to be left aside, or the message's own."""
    request, text = audited_text(words)
    return (request, attached) if attached and not _IGNORED.search(request) else (request, text)


def _with_closing_question(request: str, rest: str) -> tuple[str, str]:
    """A question in a paragraph of its own below the text is part of what is asked."""
    blocks = [b for b in _BLOCK.split(rest) if b.strip()]
    if len(blocks) > 1 and blocks[-1].rstrip().endswith("?") and is_request(blocks[-1]):
        return f"{request}\n{blocks[-1].strip()}", rest[: rest.rindex(blocks[-1])].rstrip()
    return request, rest


def body_of(message: str) -> str:
    """``message`` without the frame of an e-mail: headers, greeting or a line of one word, closing formula; as it is where nothing is
    left."""
    lines = [line for line in without_mail_headers(message).strip().split("\n") if line.strip()]
    while len(lines) > 1 and (_GREETING.match(lines[0]) or len(lines[0].split()) == 1):
        lines = lines[1:]
    body = _without_signature("\n".join(lines))
    asked, stop, last = body.rpartition("? ")
    body = f"{asked}?" if stop and _CLOSING.match(last) else body
    return body if re.search(r"\w", body) else message


def own_statement(message: str) -> str:
    """The sentences of a message that state something and ask nothing: the text of "We share data with anyone. Is that
    allowed?", where the request itself names none."""
    told = [s.text for s in split_sentences(_without_signature(message))[:_READ_SENTENCES]]
    return " ".join(s for s in told if _states(s) and not is_request(s))


def states_something(text: str) -> bool:
    """Whether some sentence of ``text`` is a statement: no question, no instruction to us, no heading, no list of topics."""
    return any(_states(s.text) for s in split_sentences(text)[:_READ_SENTENCES])


def _states(sentence: str) -> bool:
    words = sentence.split()
    if sentence.rstrip(' "”»)').endswith("?") or _TO_US.match(sentence) or _CLOSING.match(sentence):
        return False
    if sum(c.isalpha() and ord(c) > 0x24F for c in sentence) >= _FOREIGN_LETTERS:
        return True  # another script: its grammar is not judged here
    if _is_list(sentence) or _is_heading(words):
        return False
    return len(words) > 2


def _is_list(sentence: str) -> bool:
    """ "complaints, record keeping and outsourcing": short pieces without a verb."""
    items = [i.split() for i in _ITEM.split(sentence.strip(" .;!")) if i.strip()]
    return len(items) > 1 and all(len(i) <= _LONGEST_ITEM for i in items) and not _FINITE.search(sentence)


def _is_heading(words: Sequence[str]) -> bool:
    """Every word that carries meaning begins with a capital letter or a digit: a title, a name."""
    carrying = [w.strip("\"“”‘’'()[]–—-") for w in words if w.lower() not in _SMALL]
    return all(not w or w[0].isupper() or w[0].isdigit() for w in carrying)


def _after_colon(message: str) -> tuple[str, str]:
    for colon in _COLON.finditer(message):
        head, rest = message[: colon.start()], message[colon.end() :]
        if len(head.split()) > _REQUEST_WORDS or len(_BLOCK.split(head.strip())) > 2:
            break
        if _GREETING.match(head):
            continue
        if _TOPICS_FOLLOW.search(head):
            continue
        if is_request(head):
            return head, _unquoted(rest)
        if "\n" not in head.strip():  # "Policy vs practice: we do this. Is that allowed?"
            return message, own_statement(rest)
    return message, ""


def _unquoted(text: str) -> str:
    """ "“Our returns are guaranteed”" without its marks, if they enclose all of it."""
    text = text.strip()
    enclosed = len(text) > 1 and text[0] in '"“«„' and text[-1] in '"”»“' and not re.search(r"[\"“”«»„]", text[1:-1])
    return text[1:-1].strip() if enclosed else text


def _beside_request(message: str) -> tuple[str, str]:
    """The blocks below the request, or above it; of a message in one block its lines."""
    blocks = [b.strip() for b in _BLOCK.split(message) if b.strip()]
    lines = [line.strip() for line in blocks[0].splitlines()] if blocks else []
    blocks = [*(line for line in lines if line), *blocks[1:]]
    opening = 1 if len(blocks) > 1 and _GREETING.match(blocks[0]) else 0
    if len(blocks) - opening < 2:
        return message, ""
    closing = _closing_at(blocks)
    if not is_request(blocks[opening]) and closing - opening > 1 and is_request(blocks[closing - 1]):
        return "\n".join([*blocks[:opening], *blocks[closing - 1 :]]), "\n\n".join(blocks[opening : closing - 1])
    if len(blocks[opening].split()) > _REQUEST_WORDS:
        return message, ""
    return "\n".join(blocks[: opening + 1]), "\n\n".join(blocks[opening + 1 :])


def _closing_at(blocks: Sequence[str]) -> int:
    """Where the signature begins; the number of blocks where there is none."""
    return next((n for n, block in enumerate(blocks) if n and _CLOSING.match(block.split("\n")[0])), len(blocks))


def _without_signature(text: str) -> str:
    """``text`` up to its closing formula. A letter with a salutation is kept whole: the formula is part of it."""
    lines = text.strip().split("\n")
    if _GREETING.match(lines[0]) or lines[0].casefold().startswith("dear "):
        return text.strip()
    return "\n".join(lines[: next((n for n, line in enumerate(lines) if _CLOSING.match(line)), len(lines))]).strip()
