"""Whether an answer fits the question that is open (G7, G9)."""

from collections.abc import Sequence

from policypal.domain.documents import Document
from policypal.domain.events import InterruptEvent
from policypal.domain.interrupts import ALL, TEXT, Answer
from policypal.errors import InvalidInput, NotFound
from policypal.request.composer import check_document_limit

MAX_MESSAGE_CHARACTERS = 50_000


def check_documents(ids: Sequence[str], library: Sequence[Document]) -> None:
    """Raises NotFound: a document is not in the library any more; InvalidInput: a document is not ready yet."""
    known = {d.id: d for d in library if d.id in ids}
    if missing := [i for i in ids if i not in known]:
        raise NotFound(f"{len(missing)} tagged document(s) are no longer in your library. Please tag again.")
    if waiting := [d.display_title for d in known.values() if d.status != "ready"]:
        raise InvalidInput(f"Not ready yet: {', '.join(waiting)}. Please wait until the document is ready.")


def checked_answer(question: InterruptEvent, answer: Answer, library: Sequence[Document]) -> Answer:
    """The answer as it can be stored. Raises InvalidInput, TooManyDocuments: it does not fit the question; NotFound: a
    document it names is not in the library any more."""
    if answer.type == "cancel":
        return Answer(type="cancel")
    if answer.type != question.interrupt_type:
        raise InvalidInput(f"The open question expects an answer of type {question.interrupt_type}.")
    answer = answer.cleaned()
    if question.options is None or question.expects == "document":
        _check_text(question, answer)
    elif question.expects == "text":
        _check_own_words(question, answer)
    else:
        _check_choice(question, answer)
    documents = [*answer.document_ids, *_chosen_documents(question, answer)]
    check_document_limit(documents)
    check_documents(documents, library)
    return answer


def _check_text(question: InterruptEvent, answer: Answer) -> None:
    if len(answer.values) > 1:
        raise InvalidInput("Please write one answer only.")
    if not any(v.strip() for v in answer.values) and not answer.document_ids:
        raise InvalidInput("Please choose or write an answer.")
    # a text to be audited may be as long as an attached draft
    if question.expects != "text" and any(len(v) > MAX_MESSAGE_CHARACTERS for v in answer.values):
        raise InvalidInput("This answer is too long. Please name or tag the document.")


def _check_own_words(question: InterruptEvent, answer: Answer) -> None:
    """Options, or one answer in one's own words."""
    own = [v for v in answer.values if v not in {o.id for o in question.options or []}]
    if not own:
        _check_choice(question, answer)
    elif len(own) > 1 or (len(answer.values) > 1 and not question.allow_multiple):
        raise InvalidInput("Please choose one option, or write one answer.")
    elif not own[0].strip():
        raise InvalidInput("Please choose or write an answer.")
    elif len(own[0]) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput("This answer is too long.")


def _check_choice(question: InterruptEvent, answer: Answer) -> None:
    chosen = answer.values
    tags_instead = question.interrupt_type == "retrieval_low" and answer.document_ids
    if set(chosen) - {o.id for o in question.options or []} or not (chosen or tags_instead):
        raise InvalidInput("Please choose one of the offered options.")
    if len(chosen) > 1 and not question.allow_multiple:
        raise InvalidInput("Please choose one option only.")


def _chosen_documents(question: InterruptEvent, answer: Answer) -> list[str]:
    """The documents chosen by their options; "all" stands for all of them, and a text of the message is none."""
    if question.interrupt_type != "doc_choice" and question.expects != "document":
        return []
    offered = [o.id for o in question.options or [] if o.id not in (ALL, TEXT)]
    return [i for i in offered if ALL in answer.values or i in answer.values]
