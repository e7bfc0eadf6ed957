"""What the badge of an answer says (C4)."""

_OF_ANSWERS = {"high": "Exact provision", "medium": "Related, please read", "low": "Nothing close"}
_OF_READINGS = {
    "high": "Quotations verified",
    "medium": "Most quotations verified",
    "low": "Read in part or not verified",
}


def badge_words(level: str, action: str) -> str:
    """The words for a stored level ("high", "medium", "low"): of an answer to a question how near its provisions are, of other actions
    what of the documents was read and verified. Anything unknown counts as low."""
    words = _OF_ANSWERS if action == "inquire" else _OF_READINGS
    return words.get(level, words["low"])
