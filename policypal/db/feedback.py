"""What a person says of an answer: a thumb (U2), at most one row per message and gone with its conversation, and pinned citations (U7)."""

from policypal.db.pool import Database
from policypal.domain.conversations import Feedback
from policypal.domain.identifiers import is_uuid

_ANSWER = "id = %(message)s AND user_id = %(user)s AND role = 'assistant'"


def put_feedback(db: Database, user_id: str, message_id: str, feedback: Feedback) -> bool:
    """Store or replace the feedback for an answer; False if the user has no such answer."""
    sql = (
        "INSERT INTO message_feedback (message_id, user_id, helpful, comment)"
        f" SELECT id, user_id, %(helpful)s, %(comment)s FROM messages WHERE {_ANSWER} ON CONFLICT (message_id)"
        " DO UPDATE SET helpful = excluded.helpful, comment = excluded.comment, updated_at = now()"
    )
    values = {"helpful": feedback.helpful, "comment": feedback.comment, "message": message_id, "user": user_id}
    return is_uuid(message_id) and db.run(user_id, sql, values) == 1


def remove_feedback(db: Database, user_id: str, message_id: str) -> bool:
    """Take the feedback for an answer back, whether or not there was any; False if the user has no such answer."""
    if not is_uuid(message_id):
        return False
    values = {"message": message_id, "user": user_id}
    with db.as_user(user_id) as c:
        c.execute("DELETE FROM message_feedback WHERE message_id = %(message)s AND user_id = %(user)s", values)
        return c.execute(f"SELECT 1 FROM messages WHERE {_ANSWER}", values).fetchone() is not None


def thread_feedback(db: Database, user_id: str, thread_id: str) -> dict[str, Feedback]:
    """The feedback for the answers of a conversation, by message id."""
    sql = (
        "SELECT f.message_id, f.helpful, f.comment FROM message_feedback f"
        " JOIN messages m ON m.id = f.message_id AND m.user_id = f.user_id WHERE m.thread_id = %s AND f.user_id = %s"
    )
    rows = db.rows(user_id, sql, (thread_id, user_id)) if is_uuid(thread_id) else []
    return {row["message_id"]: Feedback(row["helpful"], row["comment"]) for row in rows}


def set_pin(db: Database, user_id: str, message_id: str, citation_id: int, *, pinned: bool) -> bool:
    """Pin a citation of an answer, or take the pin out; False if the user has no such answer with such a citation."""
    sql = (
        "UPDATE messages SET payload = payload || jsonb_build_object('pinned',"
        " (coalesce(payload->'pinned', '[]') - %(number)s::text) || CASE WHEN %(pinned)s THEN jsonb_build_array(%(number)s::text)"
        f" ELSE '[]' END) WHERE {_ANSWER} AND payload->'citations' @> jsonb_build_array(jsonb_build_object('id', %(number)s::int))"
    )
    values = {"number": str(citation_id), "pinned": pinned, "message": message_id, "user": user_id}
    return is_uuid(message_id) and db.run(user_id, sql, values) == 1
