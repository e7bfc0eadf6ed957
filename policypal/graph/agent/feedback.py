"""What PolicyPal says when a question is cancelled, and what it can do (G2, G8; texts of the feature specification)."""

from collections.abc import Sequence

from policypal.domain.text import counted

INTENT_CANCELLED = "I wasn't sure which action to perform. Try again using @Summarize, @Inquire, @Compare, or @Audit."
COMPARE_CANCELLED = "Compare requires at least 2 documents. Please @tag them and try again."
AUDIT_TARGET_CANCELLED = "I need a regulation document to run Audit. Please @tag one and try again."
AUDIT_SOURCE_CANCELLED = "I need the text you'd like to audit. Please include it with a @tagged regulation document."
AUDIT_CANCELLED = "The audit was not started, and nothing was spent."
RETRIEVAL_CANCELLED = (
    "The search was cancelled because no strong matches were found. Please tag the relevant documents or rephrase the"
    " question."
)
SEVERAL_FIT = "Several documents may be meant."
WEB_CANCELLED = "The request was cancelled because web search is not configured."
WEB_SETUP = (
    "Web search is not configured. Set TAVILY_API_KEY or EXA_API_KEY in the environment or in `.env`, restart PolicyPal,"
    " and send the message again. `python -m policypal doctor` shows what is configured."
)
DISCLAIMER = "Limited information available. Verification with source documents recommended."
COMPARE_WITHOUT_WEB = "Web search is not supported for Compare; the comparison uses the documents only."
WEB_NOT_CONFIGURED = "Web search is not configured; this answer rests on your documents only."
NEAREST = "The nearest provisions:"
TAG_THE_DOCUMENT = "Please tag the document you would like to reference."
NEAREST_NAMES = "These names come nearest:"
WEB_COULD_HELP = "Nothing close was found in your documents. Tag @WebSearch to search the web for this, too."
WEB_NOT_NEEDED = (
    "The web was not searched: your documents answer this with high confidence. Tag @WebSearch to search it regardless."
)
WEB_INSTEAD = "No passage of your library fits this question; the web was searched instead."
WEB_WITHOUT_SUBJECT = "The web was not searched: the message names no subject to search for."
WEB_WITHHELD = "The web was not searched: the search would have told it what only your company's own documents say."
WEB_NOT_CITED = "The pages the web search found add nothing to this answer."
WEB_CAUTION = (
    "Statements marked 🌐 rest on web pages. Their reliability is not rated; verify them at their source before relying on"
    " them."
)
INDEX_INCOMPLETE = "The search index is being renewed for another embedding model; until then, passages are found by their words alone."
RECOGNISED_TEXT = (
    "Text of scanned pages was recognised by OCR and may contain errors. Please check the quotations marked “OCR” on the"
    " picture of their page."
)

ANSWER_STOPPED = (
    "Stopped; what stands here was checked against your documents. Send the message again for all of the answer."
)

CAPABILITIES = """I can work with the documents in your library in four ways:

- **Summarize** one to five documents: key obligations, deadlines and thresholds.
- **Inquire**: answer a question with quotations you can check.
- **Compare** two to five documents, or two versions of one.
- **Audit** a policy, an e-mail or any text against regulations, with findings you can export.

Please name or @tag the documents and state what you need, for example “Audit @Our Policy against @The Rulebook”."""
GLADLY = "Gladly. Please state what you would like to examine next."
"""The reply to thanks and the like in a conversation that knows already what PolicyPal can do."""
GREETING = "Good day. Please state what you would like to examine.\n\n" + CAPABILITIES


def not_in_library(names: Sequence[str]) -> str:
    """Names that no document has; empty without any."""
    return f"I could not find {', '.join(f'“{name}”' for name in names)} in your library." if names else ""


def only_one_fits(title: str) -> str:
    """When the only document that can be meant was taken without asking."""
    return f"{title} is taken: no other document of your library fits."


def edition_taken(title: str, others: Sequence[str], is_newest: bool) -> str:
    """When the message names no edition and there are others (G4)."""
    why = "the edition in force" if is_newest else "the edition of this conversation"
    return (
        f"{title}, {why}, is used. Also in your library: {', '.join(others)}; name the year or version to use another."
    )


def not_a_rule(titles: str) -> str:
    """When company documents were found that are neither what is audited nor named as the rules (G0)."""
    return f"Left out of this audit: {titles}. A company document is a rule only where you say “against” it."


def nothing_close(provisions: int, documents: int, *, by_model: bool) -> str:
    """What was searched in vain: never that the documents do not contain it (A2)."""
    where = f"{counted(provisions, 'provision')} of {counted(documents, 'document')}"
    seen = " The model sees no answer in what was found." if by_model else ""
    return f"Nothing close (searched {where}).{seen} {NEAREST}"


def web_failed(reason: str) -> str:
    """When a search that was wanted did not happen."""
    return f"{reason} This answer rests on your documents only."


def web_found_nothing(query: str) -> str:
    return f"The web search for “{query}” found nothing that could be used; this answer rests on your documents only."


def web_excerpts_only(unread: int) -> str:
    """When pages could not be read."""
    pages = "One web page" if unread == 1 else f"{unread} web pages"
    return f"{pages} could not be read; what is cited of such pages is the search provider's excerpt."


def document_cancelled(action: str) -> str:
    """After cancelling the choice of a document."""
    return f"I can't proceed with {action.capitalize()} without a specific document."
