"""The one family of errors PolicyPal raises (X4).

Every error carries what a person needs: a ``code`` for programs, a ``title``, a ``message`` that
says what to do, and whether trying again helps. The class docstring is the default message.
"""

from __future__ import annotations

import errno
import inspect


class PolicyPalError(Exception):
    """PolicyPal could not complete this. Please try again; if it happens again, run `python -m policypal doctor`."""

    code = "unexpected"
    title = "Something went wrong"
    retryable = False

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


class ConfigurationError(PolicyPalError):
    """A setting is missing or wrong. Run `python -m policypal doctor` to see which."""

    code, title = "configuration", "Configuration problem"


class NotFound(PolicyPalError):
    """Not found. It may have been deleted, or it belongs to somebody else."""

    code, title = "not_found", "Not found"


class InvalidInput(PolicyPalError):
    """The request cannot be understood as it is. Please correct it and try again."""

    code, title = "invalid_input", "Please check your input"


class Conflict(PolicyPalError):
    """Somebody changed this meanwhile, perhaps you in another tab. Look at the newer version, then try again."""

    code, title = "conflict", "It was changed meanwhile"


class TooManyDocuments(InvalidInput):
    """At most five documents can be used in one request. Please remove some and send again."""

    code, title = "too_many_documents", "Maximum five documents"


class IdentityError(PolicyPalError):
    """Signing in did not work. Please try again."""

    code, title = "identity", "Sign-in failed"


class WrongCredentials(IdentityError):
    """The e-mail address or the password is wrong. Please check both and try again."""

    code, title = "wrong_credentials", "Could not sign in"


class EmailNotConfirmed(IdentityError):
    """Please confirm your e-mail address first: open the link in the message that was sent to you, then sign in."""

    code, title = "email_not_confirmed", "E-mail address not confirmed"


class AccountExists(IdentityError):
    """There is already an account with this e-mail address. Please sign in, or ask for a new password."""

    code, title = "account_exists", "Account exists"


class WeakPassword(IdentityError):
    """This password is too easy to guess. Please choose a longer one with letters, digits and symbols."""

    code, title = "weak_password", "Password too weak"


class SignUpClosed(IdentityError):
    """New accounts cannot be created here. Please ask your administrator for an invitation."""

    code, title = "sign_up_closed", "Sign-up is closed"


class AccountBlocked(IdentityError):
    """This account has been blocked. Please ask your administrator."""

    code, title = "account_blocked", "Account blocked"


class SecondFactorUnsupported(IdentityError):
    """This account is protected by a second factor, which PolicyPal cannot ask for yet. Please ask your administrator."""

    code, title = "second_factor", "Second factor not supported"


class LinkExpired(IdentityError):
    """This link is invalid, has expired or was used before. Please ask for a new one."""

    code, title = "link_expired", "Link no longer valid"


class TooManyAttempts(IdentityError):
    """There were too many attempts in a short time. Please wait a minute and try again."""

    code, title, retryable = "too_many_attempts", "Please wait a moment", True


class SignInUnavailable(IdentityError):
    """The sign-in service does not answer as it should. Please try again in a moment."""

    code, title, retryable = "sign_in_unavailable", "Sign-in service unavailable", True


class SessionEnded(IdentityError):
    """Your session has ended, please sign in again."""

    code, title = "session_ended", "Signed out"


class DatabaseUnavailable(PolicyPalError):
    """The database cannot be reached. Your work is kept; please try again in a moment."""

    code, title, retryable = "database_unavailable", "Database unavailable", True


class DiskFull(PolicyPalError):
    """There is no room left on the disk PolicyPal's data is on. Nothing was stored half. Make room there (`python -m policypal doctor` tells how much there is), then try again."""

    code, title, retryable = "disk_full", "The disk is full", True


class StorageError(PolicyPalError):
    """The file store cannot be reached. Nothing was changed; please try again."""

    code, title, retryable = "storage", "File store unavailable", True


class StorageTimeout(StorageError):
    """The file store did not answer in time. Nothing was changed; please try again."""

    code, title = "storage_timeout", "File store did not answer"


class StorageRateLimited(StorageError):
    """The file store is limiting requests. Nothing was changed; please wait a minute and try again."""

    code, title = "storage_rate_limited", "File store is busy"


class StorageAnswerInvalid(StorageError):
    """The file store's answer could not be understood. Please try again; check SUPABASE_URL if it happens again."""

    code, title = "storage_answer", "Unusable file store answer"


class StorageAccessRefused(StorageError):
    """The file store refused the key. Please ask whoever runs PolicyPal to check SUPABASE_SERVICE_KEY."""

    code, title, retryable = "storage_access", "File store refused the key", False


class DocumentRejected(PolicyPalError):
    """This file cannot be added to the library."""

    code, title = "document_rejected", "File refused"


class NotADocument(DocumentRejected):
    """This file is not a document PolicyPal can read. Please upload a PDF, Word, HTML, Markdown or text file."""

    code, title = "not_a_document", "Not a readable document"


class EmptyDocument(DocumentRejected):
    """This file is empty. Please check that the upload was complete."""

    code, title = "empty_document", "Empty file"


class DamagedDocument(DocumentRejected):
    """This PDF is damaged and cannot be opened. Please obtain it again from its source."""

    code, title = "damaged_document", "Damaged file"


class PasswordRequired(DocumentRejected):
    """This PDF is protected by a password. Please enter the password and try again."""

    code, title, retryable = "password_required", "Password required", True


class NoReadableText(DocumentRejected):
    """This document holds no readable text. Please open it: where its pages are blank, it may be damaged; where they are
    pictures, text recognition (OCR) can read them."""

    code, title = "no_readable_text", "No readable text"


class DocumentTooLarge(DocumentRejected):
    """This document is larger than the configured limit. Please split it."""

    code, title = "document_too_large", "Document too large"


class ArchiveRefused(DocumentRejected):
    """This archive cannot be opened safely. Please unpack it and upload the files in it."""

    code, title = "archive_refused", "Archive not opened"


class ExtractionLimit(DocumentRejected):
    """Reading this document took more time or memory than allowed, so it was stopped. Other documents are not affected."""

    code, title = "extraction_limit", "Document stopped"


class DuplicateDocument(DocumentRejected):
    """The same file is already in your library."""

    code, title = "duplicate_document", "Already in the library"

    def __init__(self, existing_id: str, existing_title: str) -> None:
        self.existing_id = existing_id
        super().__init__(f"The same file is already in your library as “{existing_title}”.")


class ModelError(PolicyPalError):
    """The language model could not complete this request. Please try again."""

    code, title, retryable = "model", "Language model unavailable", True


class ModelRateLimited(ModelError):
    """The language model provider is limiting requests. Please wait a minute and try again."""

    code, title = "model_rate_limited", "Provider is busy"


class ModelQuotaExceeded(ModelError):
    """The quota of your language model account is used up. Check the provider's billing page, or remove the key to use the extractive engine."""

    code, title, retryable = "model_quota", "Provider quota used up", False


class ModelAuthenticationFailed(ModelError):
    """The language model provider refused the key. Please check OPENAI_API_KEY."""

    code, title, retryable = "model_authentication", "Provider refused the key", False


class ModelTimeout(ModelError):
    """The language model did not answer in time. Please try again."""

    code, title = "model_timeout", "Provider did not answer"


class ModelOutputInvalid(ModelError):
    """The language model's answer was incomplete or not in the agreed form, twice. Please try again."""

    code, title = "model_output", "Unusable model answer"


class WebSearchError(PolicyPalError):
    """The web search provider could not be reached. Please try again later."""

    code, title, retryable = "web_search", "Web search failed", True


class WebSearchRateLimited(WebSearchError):
    """The web search provider is limiting requests. Please wait a minute and try again."""

    code, title = "web_rate_limited", "Web search is busy"


class WebSearchTimeout(WebSearchError):
    """The web search provider did not answer in time. Please try again."""

    code, title = "web_timeout", "Web search did not answer"


class WebSearchOutputInvalid(WebSearchError):
    """The web search provider's answer could not be understood. Please try again later."""

    code, title = "web_output", "Unusable web search answer"


class WebSearchAuthenticationFailed(WebSearchError):
    """The web search provider refused the key. Please check TAVILY_API_KEY and EXA_API_KEY."""

    code, title, retryable = "web_authentication", "Web search refused the key", False


class WebQuotaExceeded(WebSearchError):
    """This month's web searches are used up."""

    code, title, retryable = "web_quota", "Web search limit reached", False


class PageUnavailable(PolicyPalError):
    """The web page could not be read."""

    code, title = "page_unavailable", "Page not read"


class AddressRefused(PageUnavailable):
    """The web page's address is not a public one."""

    code, title = "address_refused", "Address refused"


class RunInProgress(PolicyPalError):
    """This conversation is still working on the previous message. Please wait for it, or stop it."""

    code, title, retryable = "run_in_progress", "Still working", True


class NoPendingQuestion(PolicyPalError):
    """There is no open question in this conversation; it may have been answered already. Nothing was changed."""

    code, title = "no_pending_question", "Nothing to answer"


class QuestionPending(PolicyPalError):
    """PolicyPal is waiting for your answer to its last question. Please answer or cancel it first."""

    code, title = "question_pending", "Please answer first"


class RunStopped(PolicyPalError):
    """The run was stopped as requested. You can send the message again."""

    code, title, retryable = "run_stopped", "Stopped", True


class RunInterrupted(PolicyPalError):
    """The run ended unexpectedly because the application was restarted. Your message is kept; please send it again."""

    code, title, retryable = "run_interrupted", "Run was interrupted", True


class BudgetExceeded(PolicyPalError):
    """This month's model budget is used up. Raise it in Settings, or continue without a model: the extractive engine costs nothing."""

    code, title = "budget_exceeded", "Budget used up"


MODEL_CODES = frozenset({BudgetExceeded.code, ModelError.code, *(kind.code for kind in ModelError.__subclasses__())})
"""Codes of the errors after which the same message can be answered without a model."""


def is_no_space(error: OSError) -> bool:
    """Whether the system has no room left for this user."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
