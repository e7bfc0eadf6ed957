"""Deleting with a way back (D10): hidden everywhere, restored as it was, removed for good in the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from policypal.application import intake, library, reading, sample_documents, sets, trash, versions
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.db import documents as documents_db
from policypal.db import index
from policypal.db import jobs as jobs_db
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.errors import NotFound
from policypal.search.terms import term_position, terms
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS


def _statistics(app: Container, user: User) -> tuple[int, dict[int, int]]:
    positions = [term_position(t) for t in terms("records customer complaint register bank")]
    return index.corpus_frequencies(app.db, user.id, positions)


def _file(app: Container, document: Document) -> Path:
    return app.settings.data_dir / "files" / document.storage_key


def _expire(app: Container, document: Document, days: int) -> None:
    with app.db.as_owner() as c:
        c.execute(
            "UPDATE documents SET deleted_at = now() - make_interval(days => %s) WHERE id = %s", (days, document.id)
        )


def test_d10_a_deleted_document_is_hidden_everywhere(app: Container, user: User) -> None:
    kept, gone = add_text(app, user, "Complaints", OTHER_RULE), add_text(app, user, "Records", RECORDS_RULE)
    library.delete(app, user, gone.id)
    assert [d.id for d in library.list_documents(app, user)] == [kept.id]
    assert {h.passage.document_id for h in app.search.find(user.id, "customer records")} == {kept.id}
    assert app.search.find(user.id, "customer records", document_ids=[gone.id]) == []
    assert index.load_passages(app.db, user.id, gone.id) == []
    assert documents_db.load_pages(app.db, user.id, gone.id) == []
    assert documents_db.load_page_texts(app.db, user.id, [(gone.id, 1)]) == {}
    calls: list[Callable[[], object]] = [
        lambda: library.get_document(app, user, gone.id),
        lambda: library.find_by_title(app, user, "Records"),
        lambda: library.delete(app, user, gone.id),
        lambda: reading.open_page(app, user, gone.id, 1),
        lambda: intake.retry(app, user, gone.id),
        lambda: versions.link_versions(app, user, kept.id, gone.id),
    ]
    for call in calls:
        with pytest.raises(NotFound):
            call()


def test_d10_a_deleted_document_crowds_nothing_out_of_a_search(app: Container, user: User) -> None:
    """Its chunks must not take the places of candidates: 300 of them fit the question better than the one that is left."""
    flood = add_text(
        app, user, "Flood", "\n\n".join(f"Outsourcing register outsourcing {n}. " * 40 for n in range(300))
    )
    kept = add_text(app, user, "Kept", "The outsourcing register of the firm is reviewed every year by its board.")
    assert flood.chunks > index.LEXICAL_CANDIDATES
    library.delete(app, user, flood.id)
    assert [h.passage.document_id for h in app.search.find(user.id, "outsourcing register")] == [kept.id]


def test_d10_restoring_brings_everything_back(app: Container, user: User) -> None:
    gone = add_text(app, user, "Records", RECORDS_RULE, aliases=("RR",), set_name="Authority")
    add_text(app, user, "Policy", COMPANY_POLICY)
    before, hits = _statistics(app, user), app.search.find(user.id, "customer records")
    library.delete(app, user, gone.id)
    assert _statistics(app, user) != before
    (deleted,) = trash.list_deleted(app, user)
    assert deleted.document.id == gone.id
    assert trash.restore(app, user, [gone.id]) == [gone.id]
    assert library.get_document(app, user, gone.id) == gone
    assert _statistics(app, user) == before
    assert app.search.find(user.id, "customer records") == hits
    assert trash.list_deleted(app, user) == []
    assert trash.restore(app, user, [gone.id]) == []
    assert _statistics(app, user) == before


def test_d10_removing_for_good_takes_rows_and_files_and_nothing_else(app: Container, user: User) -> None:
    kept, gone = add_text(app, user, "Complaints", OTHER_RULE), add_text(app, user, "Records", RECORDS_RULE)
    alone = _statistics(app, user)
    assert trash.purge(app, user, [kept.id, gone.id]) == 0, "what was not deleted is not removed"
    trash.delete(app, user, [gone.id])
    assert _file(app, gone).exists()
    assert trash.purge(app, user, [kept.id, gone.id]) == 1
    assert not _file(app, gone).exists()
    assert _file(app, kept).exists()
    assert trash.restore(app, user, [gone.id]) == []
    with app.db.as_owner() as c:
        left = c.execute("SELECT count(*) AS n FROM lexical_vectors WHERE document_id = %s", (gone.id,)).fetchone()
    assert left == {"n": 0}
    assert _statistics(app, user) != alone
    trash.delete(app, user, [kept.id])
    trash.purge(app, user, [kept.id])
    assert _statistics(app, user) == (0, {})


def test_d10_after_thirty_days_it_is_removed(app: Container, user: User) -> None:
    old, fresh = add_text(app, user, "Old", OTHER_RULE), add_text(app, user, "Fresh", RECORDS_RULE)
    trash.delete(app, user, [old.id, fresh.id])
    _expire(app, old, trash.DAYS_KEPT + 1)
    _expire(app, fresh, trash.DAYS_KEPT - 1)
    trash.purge_expired(app.db, app.files)
    assert [d.document.id for d in trash.list_deleted(app, user)] == [fresh.id]
    assert not _file(app, old).exists()


def test_d7_the_file_of_a_deleted_document_brings_it_back(app: Container, user: User) -> None:
    gone = add_text(app, user, "Records", RECORDS_RULE)
    library.delete(app, user, gone.id)
    upload = Upload("again.txt", RECORDS_RULE.encode(), DocumentType.COMPANY, title="New name", version="2")
    again = intake.add_document(app, user, upload)
    assert (again.id, again.display_title, again.status) == (gone.id, "New name (2)", DocumentStatus.READY)
    assert trash.list_deleted(app, user) == []
    library.delete(app, user, gone.id)
    assert (
        intake.add_document(app, user, Upload("x.txt", RECORDS_RULE.encode(), DocumentType.COMPANY)).title == "New name"
    )


def test_d10_a_document_deleted_before_it_was_read_is_read_after_its_return(app: Container, user: User) -> None:
    queued = intake.add_document(app, user, Upload("r.txt", RECORDS_RULE.encode(), DocumentType.REGULATORY))
    library.delete(app, user, queued.id)
    assert (user.id, queued.id) not in jobs_db.documents_without_job(app.db)
    trash.restore(app, user, [queued.id])
    (ready,) = intake.wait_until_final(app, user, [queued.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    assert ready.status is DocumentStatus.READY


def test_x1_deleted_documents_of_others_are_out_of_reach(app: Container, user: User, other: User) -> None:
    mine = add_text(app, user, "Records", RECORDS_RULE)
    assert trash.delete(app, other, [mine.id, "no id"]) == []
    trash.delete(app, user, [mine.id])
    assert trash.list_deleted(app, other) == []
    assert trash.restore(app, other, [mine.id]) == []
    assert trash.purge(app, other, [mine.id]) == 0
    assert trash.restore_file(app, other, mine.sha256) is None
    assert [d.document.id for d in trash.list_deleted(app, user)] == [mine.id]


def test_d2_deleting_a_set_reaches_deleted_documents_too(app: Container, user: User) -> None:
    gone = add_text(app, user, "Records", RECORDS_RULE, set_name="Authority")
    library.delete(app, user, gone.id)
    sets.delete_set(app, user, sets.find_set(app, user, "Authority").id)
    trash.restore(app, user, [gone.id])
    assert library.get_document(app, user, gone.id).set_id is None


def test_r9_samples_are_removed_for_good_at_once(app: Container, user: User) -> None:
    sample_documents.add_samples(app, user)
    assert sample_documents.remove_samples(app, user) == 5
    assert trash.list_deleted(app, user) == []


@pytest.fixture
def other(app: Container) -> User:
    from uuid import uuid4

    from policypal.db import users as users_db

    someone = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, someone)
    return someone
