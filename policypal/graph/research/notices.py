"""What a report says about how it came about (W1, W5)."""

LIBRARY_ALONE = (
    "Web search is not configured, so this report rests on your library alone. To search the web too, set TAVILY_API_KEY or"
    " EXA_API_KEY and start PolicyPal again."
)
CHOSEN_LIBRARY = "As you chose, no web page was read: this report rests on your library alone."
WITHHELD = "A search would have told the web what is confidential, so it was made in the library only."
CANCELLED = (
    "The research was cancelled. Nothing was published; you can start it again, or fork it from an earlier step."
)
NOTHING_FOUND = (
    "No report was written: nothing was found on this goal, neither in your library nor on the web as far as it could be"
    " searched. Nothing was made up in its place. Try other words, add documents to the library, or configure web search."
)
NOTHING_SUPPORTED = (
    "No report was written: the sources that were found do not support a single statement on this goal. Nothing was made up"
    " in its place. Say the goal in the words of the documents, or ask it in the chat, which shows the nearest provisions."
)


def web_problem(problem: str) -> str:
    """A search of the web that failed."""
    return f"Not everything could be searched for on the web: {problem}"


def with_notice(held: list[str], *new: str) -> list[str]:
    """The notices with the new ones last, each once."""
    return [*(n for n in held if n not in new), *dict.fromkeys(new)]
