"""Pinned sources: numbers of citations, kept with the answer that cites them (U7)."""

from __future__ import annotations

from policypal.db.pool import Database
from policypal.domain.identifiers import is_uuid


def set_pin(db: Database, user_id: str, message_id: str, citation_id: int, *, pinned: bool) -> bool:
    """Pin a citation of an answer, or take the pin out; False if the user has no such answer with such a citation."""
    if not is_uuid(message_id):
        return False
    with db.as_user(user_id) as c:
        done = c.execute(
            "UPDATE messages SET payload = payload || jsonb_build_object('pinned',"
            " (coalesce(payload->'pinned', '[]') - %(number)s::text) || CASE WHEN %(pinned)s THEN jsonb_build_array(%(number)s::text)"
            " ELSE '[]' END) WHERE id = %(message)s AND user_id = %(user)s AND role = 'assistant'"
            " AND payload->'citations' @> jsonb_build_array(jsonb_build_object('id', %(number)s::int))",
            {"number": str(citation_id), "pinned": pinned, "message": message_id, "user": user_id},
        )
        return done.rowcount == 1
