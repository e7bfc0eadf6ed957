"""The one family of errors PolicyPal raises (X4).

Every error carries what a person needs: a ``code`` for programs, a ``title``, a ``message`` that
says what to do, and whether trying again helps. The class docstring is the default message.
"""

import errno
import inspect


class PolicyPalError(Exception):
    """PolicyPal could not complete this. Please try again; if it happens again, run `python -m policypal doctor`."""

    code = "unexpected"
    title = "Something went wrong"
    retryable = False

    def __init_subclass__(
        cls, *, code: str | None = None, title: str | None = None, retryable: bool | None = None
    ) -> None:
        """What a kind does not say of itself is as its parent's."""
        super().__init_subclass__()
        for name, value in (("code", code), ("title", title), ("retryable", retryable)):
            if value is not None:
                setattr(cls, name, value)

    def __init__(self, message: str | None = None, *, title: str | None = None, retryable: bool | None = None) -> None:
        self.message = message or " ".join((inspect.getdoc(type(self)) or "").split())
        if title is not None:
            self.title = title
        if retryable is not None:
            self.retryable = retryable
        super().__init__(self.message)

    def as_dict(self) -> dict[str, object]:
        """The error as the command line and the event stream show it (section K)."""
        return {
            "type": "error",
            "code": self.code,
            "title": self.title,
            "message": self.message,
            "retryable": self.retryable,
        }


class ConfigurationError(PolicyPalError, code="configuration", title="Configuration problem"):
    """A setting is missing or wrong. Run `python -m policypal doctor` to see which."""


class NotFound(PolicyPalError, code="not_found", title="Not found"):
    """Not found. It may have been deleted, or it belongs to somebody else."""


class InvalidInput(PolicyPalError, code="invalid_input", title="Please check your input"):
    """The request cannot be understood as it is. Please correct it and try again."""


class Conflict(PolicyPalError, code="conflict", title="It was changed meanwhile"):
    """Somebody changed this meanwhile, perhaps you in another tab. Look at the newer version, then try again."""


class TooManyDocuments(InvalidInput, code="too_many_documents", title="Maximum five documents"):
    """At most five documents can be used in one request. Please remove some and send again."""


class IdentityError(PolicyPalError, code="identity", title="Sign-in failed"):
    """Signing in did not work. Please try again."""


class WrongCredentials(IdentityError, code="wrong_credentials", title="Could not sign in"):
    """The e-mail address or the password is wrong. Please check both and try again."""


class EmailNotConfirmed(IdentityError, code="email_not_confirmed", title="E-mail address not confirmed"):
    """Please confirm your e-mail address first: open the link in the message that was sent to you, then sign in."""


class AccountExists(IdentityError, code="account_exists", title="Account exists"):
    """There is already an account with this e-mail address. Please sign in, or ask for a new password."""


class WeakPassword(IdentityError, code="weak_password", title="Password too weak"):
    """This password is too easy to guess. Please choose a longer one with letters, digits and symbols."""


class SignUpClosed(IdentityError, code="sign_up_closed", title="Sign-up is closed"):
    """New accounts cannot be created here. Please ask your administrator for an invitation."""


class AccountBlocked(IdentityError, code="account_blocked", title="Account blocked"):
    """This account has been blocked. Please ask your administrator."""


class SecondFactorUnsupported(IdentityError, code="second_factor", title="Second factor not supported"):
    """This account is protected by a second factor, which PolicyPal cannot ask for yet. Please ask your administrator."""


class LinkExpired(IdentityError, code="link_expired", title="Link no longer valid"):
    """This link is invalid, has expired or was used before. Please ask for a new one."""


class TooManyAttempts(IdentityError, code="too_many_attempts", title="Please wait a moment", retryable=True):
    """There were too many attempts in a short time. Please wait a minute and try again."""


class SignInUnavailable(IdentityError, code="sign_in_unavailable", title="Sign-in service unavailable", retryable=True):
    """The sign-in service does not answer as it should. Please try again in a moment."""


class SessionEnded(IdentityError, code="session_ended", title="Signed out"):
    """Your session has ended, please sign in again."""


class DatabaseUnavailable(PolicyPalError, code="database_unavailable", title="Database unavailable", retryable=True):
    """The database cannot be reached. Your work is kept; please try again in a moment."""


class DiskFull(PolicyPalError, code="disk_full", title="The disk is full", retryable=True):
    """There is no room left on the disk PolicyPal's data is on. Nothing was stored half. Make room there (`python -m policypal doctor` tells how much there is), then try again."""


class StorageError(PolicyPalError, code="storage", title="File store unavailable", retryable=True):
    """The file store cannot be reached. Nothing was changed; please try again."""


class StorageTimeout(StorageError, code="storage_timeout", title="File store did not answer"):
    """The file store did not answer in time. Nothing was changed; please try again."""


class StorageRateLimited(StorageError, code="storage_rate_limited", title="File store is busy"):
    """The file store is limiting requests. Nothing was changed; please wait a minute and try again."""


class StorageAnswerInvalid(StorageError, code="storage_answer", title="Unusable file store answer"):
    """The file store's answer could not be understood. Please try again; check SUPABASE_URL if it happens again."""


class StorageAccessRefused(StorageError, code="storage_access", title="File store refused the key", retryable=False):
    """The file store refused the key. Please ask whoever runs PolicyPal to check SUPABASE_SERVICE_KEY."""


class DocumentRejected(PolicyPalError, code="document_rejected", title="File refused"):
    """This file cannot be added to the library."""


class NotADocument(DocumentRejected, code="not_a_document", title="Not a readable document"):
    """This file is not a document PolicyPal can read. Please upload a PDF, Word, HTML, Markdown or text file."""


class EmptyDocument(DocumentRejected, code="empty_document", title="Empty file"):
    """This file is empty. Please check that the upload was complete."""


class DamagedDocument(DocumentRejected, code="damaged_document", title="Damaged file"):
    """This PDF is damaged and cannot be opened. Please obtain it again from its source."""


class PasswordRequired(DocumentRejected, code="password_required", title="Password required", retryable=True):
    """This PDF is protected by a password. Please enter the password and try again."""


class NoReadableText(DocumentRejected, code="no_readable_text", title="No readable text"):
    """This document holds no readable text. Please open it: where its pages are blank, it may be damaged; where they are
    pictures, text recognition (OCR) can read them."""


class DocumentTooLarge(DocumentRejected, code="document_too_large", title="Document too large"):
    """This document is larger than the configured limit. Please split it."""


class ArchiveRefused(DocumentRejected, code="archive_refused", title="Archive not opened"):
    """This archive cannot be opened safely. Please unpack it and upload the files in it."""


class ExtractionLimit(DocumentRejected, code="extraction_limit", title="Document stopped"):
    """Reading this document took more time or memory than allowed, so it was stopped. Other documents are not affected."""


class DuplicateDocument(DocumentRejected, code="duplicate_document", title="Already in the library"):
    """The same file is already in your library."""

    def __init__(self, existing_id: str, existing_title: str) -> None:
        self.existing_id = existing_id
        super().__init__(f"The same file is already in your library as “{existing_title}”.")


class ModelError(PolicyPalError, code="model", title="Language model unavailable", retryable=True):
    """The language model could not complete this request. Please try again."""


class ModelRateLimited(ModelError, code="model_rate_limited", title="Provider is busy"):
    """The language model provider is limiting requests. Please wait a minute and try again."""


class ModelQuotaExceeded(ModelError, code="model_quota", title="Provider quota used up", retryable=False):
    """The quota of your language model account is used up. Check the provider's billing page, or remove the key to use the extractive engine."""


class ModelAuthenticationFailed(
    ModelError, code="model_authentication", title="Provider refused the key", retryable=False
):
    """The language model provider refused the key. Please check OPENAI_API_KEY."""


class ModelTimeout(ModelError, code="model_timeout", title="Provider did not answer"):
    """The language model did not answer in time. Please try again."""


class ModelOutputInvalid(ModelError, code="model_output", title="Unusable model answer"):
    """The language model's answer was incomplete or not in the agreed form, twice. Please try again."""


class WebSearchError(PolicyPalError, code="web_search", title="Web search failed", retryable=True):
    """The web search provider could not be reached. Please try again later."""


class WebSearchRateLimited(WebSearchError, code="web_rate_limited", title="Web search is busy"):
    """The web search provider is limiting requests. Please wait a minute and try again."""


class WebSearchTimeout(WebSearchError, code="web_timeout", title="Web search did not answer"):
    """The web search provider did not answer in time. Please try again."""


class WebSearchOutputInvalid(WebSearchError, code="web_output", title="Unusable web search answer"):
    """The web search provider's answer could not be understood. Please try again later."""


class WebSearchAuthenticationFailed(
    WebSearchError, code="web_authentication", title="Web search refused the key", retryable=False
):
    """The web search provider refused the key. Please check TAVILY_API_KEY and EXA_API_KEY."""


class WebQuotaExceeded(WebSearchError, code="web_quota", title="Web search limit reached", retryable=False):
    """This month's web searches are used up."""


class PageUnavailable(PolicyPalError, code="page_unavailable", title="Page not read"):
    """The web page could not be read."""


class AddressRefused(PageUnavailable, code="address_refused", title="Address refused"):
    """The web page's address is not a public one."""


class RunInProgress(PolicyPalError, code="run_in_progress", title="Still working", retryable=True):
    """This conversation is still working on the previous message. Please wait for it, or stop it."""


class NoPendingQuestion(PolicyPalError, code="no_pending_question", title="Nothing to answer"):
    """There is no open question in this conversation; it may have been answered already. Nothing was changed."""


class QuestionPending(PolicyPalError, code="question_pending", title="Please answer first"):
    """PolicyPal is waiting for your answer to its last question. Please answer or cancel it first."""


class RunStopped(PolicyPalError, code="run_stopped", title="Stopped", retryable=True):
    """The run was stopped as requested. You can send the message again."""


class RunInterrupted(PolicyPalError, code="run_interrupted", title="Run was interrupted", retryable=True):
    """The application was restarted while it worked. Your message is kept, and so are the finished parts of an audit or of a large document: it goes on from there."""


class BudgetExceeded(PolicyPalError, code="budget_exceeded", title="Budget used up"):
    """This month's model budget is used up. Raise it in Settings, or continue without a model: the extractive engine costs nothing."""


MODEL_CODES = frozenset({BudgetExceeded.code, ModelError.code, *(kind.code for kind in ModelError.__subclasses__())})
"""Codes of the errors after which the same message can be answered without a model."""


def is_no_space(error: OSError) -> bool:
    """Whether the system has no room left for this user."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
