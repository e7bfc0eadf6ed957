"""What becomes of the files that were handed in: progress while they are stored, then what needs a look (D7)."""

from collections.abc import Collection, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from policypal.application import uploads
from policypal.application.container import Container
from policypal.application.uploads import Outcome, Progress
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, PasswordRequired
from policypal.ui import errors, labels, state
from policypal.ui.html import html
from policypal.ui.markup import plain, text

_ADDED, _DUPLICATE, _REFUSED = "added", "duplicate", "refused"
_FEW = 5
_NOT_REACHED = "The upload ended before the turn of these files. Please add them again."


def uploader_key() -> str:
    """The key of the uploader's widget; a new one empties it."""
    return f"upload_{state.nonce(state.UPLOAD_NONCE)}"


def show(app: Container, user: User, documents: Sequence[Document]) -> None:
    """The progress of the upload under way, or the results of the last one; ``documents`` say what became of its files since."""
    with errors.shown():
        progress = uploads.follow(app, user, state.nonce(state.UPLOAD))
        if progress is not None and progress.is_finished:
            _finish(progress)
            st.rerun()  # the uploader above is another one now
        if progress is not None:
            _follow(app, user)
        _results(st.session_state.get(state.UPLOAD_RESULTS) or [], documents)


def show_refusals(refusals: Sequence[tuple[str, str]]) -> None:
    """Files and the sentence about each; one box per sentence."""
    by_sentence: dict[str, list[str]] = {}
    for path, sentence in refusals:
        by_sentence.setdefault(sentence, []).append(path)
    for sentence, paths in by_sentence.items():
        few = ", ".join(plain(path) for path in paths[:_FEW])
        more = f" and {len(paths) - _FEW} more" if len(paths) > _FEW else ""
        st.error(f"**{few}{more}**: {plain(sentence)}", icon=":material/error:")
        if more:
            with st.expander(f"All {len(paths)} files"):
                html("".join(f'<div class="pp-muted">{text(path)}</div>' for path in paths))


def show_duplicate(path: str, sentence: str, existing_id: str) -> None:
    """A file that is in the library already, with the way to it (D7)."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        st.html(f'<div class="pp-notice pp-quote"><b>{text(path)}</b>: {text(sentence)}</div>', width="stretch")
        st.page_link(
            "pages/documents.py", label="Open the existing one", width="content",
            query_params={state.PARAM_DOCUMENT: existing_id},
        )  # fmt: skip


@st.fragment(run_every=0.5)
def _follow(app: Container, user: User) -> None:
    """Live, while the page can be used for other things; the page runs anew when all files had their turn."""
    progress = uploads.follow(app, user, state.nonce(state.UPLOAD))
    if progress is None or progress.is_finished:
        st.rerun(scope="app")
    done = len(progress.outcomes)
    st.progress(
        min(1.0, done / max(1, progress.total)),
        text=f"Storing file {min(done + 1, progress.total)} of {progress.total}: {plain(progress.current)}",
    )


def _finish(progress: Progress) -> None:
    """Keep the results, and empty the uploader unless trying again with the same files may help."""
    results = [_result(outcome) for outcome in progress.outcomes]
    results += [{"kind": _REFUSED, "path": f"{missed} files", "text": _NOT_REACHED, "document_id": ""}
                for missed in [progress.total - len(progress.outcomes)] if missed > 0]  # fmt: skip
    st.session_state[state.UPLOAD_RESULTS] = results
    state.renew(state.UPLOAD)
    if not any(_is_passing(outcome) for outcome in progress.outcomes):
        _release()
        state.renew(state.UPLOAD_NONCE)
        state.forget(state.UPLOAD_SEEN)


def _is_passing(outcome: Outcome) -> bool:
    """Whether the reason may be gone in a moment, so that the file should still be at hand."""
    error = outcome.error
    return error is not None and error.retryable and not isinstance(error, PasswordRequired)


def _release() -> None:
    """Let go of the uploaded bytes; Streamlit would keep them in memory until the tab is closed."""
    context = get_script_run_ctx()
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    for file in st.session_state.get(uploader_key()) or []:
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def _result(outcome: Outcome) -> dict[str, Any]:
    kind = _ADDED if outcome.is_added else _DUPLICATE if isinstance(outcome.error, DuplicateDocument) else _REFUSED
    said = outcome.error.message if outcome.error else outcome.remark
    document_id = outcome.document.id if outcome.document else ""
    return {"kind": kind, "path": outcome.path, "text": said, "document_id": document_id}


def _added(ids: Collection[str], documents: Sequence[Document]) -> None:
    """How many were added, and how many of them can be used by now."""
    ours = [d for d in documents if d.id in ids]
    failed = sum(d.status is DocumentStatus.FAILED for d in ours)
    unread = sum(not d.status.is_final for d in ours)
    told = f"{counted(len(ids), 'document')} added"
    if failed:
        reading = f", {unread} still being read" if unread else ""
        ready = len(ours) - failed - unread
        st.warning(f"{told}: {ready} ready{reading}, {failed} could not be read.", icon=":material/error:")
    else:
        they = "It can be used" if len(ids) == 1 else "They can be used"
        when = f"as soon as {'it is' if len(ids) == 1 else 'they are'} ready" if unread else "now"
        st.success(f"{told}. {they} {when}.", icon=":material/check_circle:")


def _results(results: Sequence[dict[str, Any]], documents: Sequence[Document]) -> None:
    if not results:
        return
    of_kind = {kind: [r for r in results if r["kind"] == kind] for kind in (_ADDED, _DUPLICATE, _REFUSED)}
    if added := len(of_kind[_ADDED]):
        _added({r["document_id"] for r in of_kind[_ADDED]}, documents)
    for result in [r for r in of_kind[_ADDED] if r["text"]][:_FEW]:
        st.info(f"**{plain(result['path'])}**: {plain(result['text'])}", icon=":material/info:")
    show_refusals([(r["path"], r["text"]) for r in of_kind[_REFUSED]])
    for result in labels.page_of(of_kind[_DUPLICATE], _FEW, key="upload_duplicates"):
        show_duplicate(result["path"], result["text"], result["document_id"])
    with st.container(horizontal=True, vertical_alignment="center"):
        if added < len(results) > 1:
            st.caption(
                f"{len(results)} files: {added} added, {len(of_kind[_DUPLICATE])} there already, "
                f"{len(of_kind[_REFUSED])} not added.", width="content",
            )  # fmt: skip
        st.button(
            "Dismiss", key="dismiss_results", type="tertiary", on_click=state.forget, args=(state.UPLOAD_RESULTS,)
        )
