"""Who is signed in: one row per browser, sealed for whoever cannot show the browser's secret (R6)."""

from policypal.db.pool import NOW, Database, delete, insert, update

_UNUSED_DAYS = 30


def add(db: Database, user_id: str, sign_in_id: bytes, sealed: bytes) -> None:
    """Remember a sign-in, and forget the user's own that nobody has used for a month."""
    with db.as_user(user_id) as c:
        c.execute(
            "DELETE FROM sign_ins WHERE user_id = %s AND renewed_at < now() - make_interval(days => %s)",
            (user_id, _UNUSED_DAYS),
        )
        c.execute(*insert("sign_ins", id=sign_in_id, user_id=user_id, sealed=sealed))


def load(db: Database, user_id: str, sign_in_id: bytes) -> bytes | None:
    """The sealed sign-in; None if there is none, or it is somebody else's."""
    sql = (
        "SELECT sealed FROM sign_ins WHERE id = %s AND user_id = %s AND renewed_at > now() - make_interval(days => %s)"
    )
    row = db.row(user_id, sql, (sign_in_id, user_id, _UNUSED_DAYS))
    return row["sealed"] if row else None


def claim(db: Database, user_id: str, sign_in_id: bytes, seconds: float) -> bytes | None:
    """Become the one who renews, for so many seconds; what is to be renewed. None: somebody else is, or it is gone."""
    sql = (
        "UPDATE sign_ins SET claimed_until = clock_timestamp() + make_interval(secs => %s)"
        " WHERE id = %s AND user_id = %s AND (claimed_until IS NULL OR claimed_until < clock_timestamp()) RETURNING sealed"
    )
    row = db.row(user_id, sql, (seconds, sign_in_id, user_id))
    return row["sealed"] if row else None


def replace(db: Database, user_id: str, sign_in_id: bytes, sealed: bytes) -> None:
    """Store what was renewed and end the claim."""
    key = {"id": sign_in_id, "user_id": user_id}
    db.run(user_id, *update("sign_ins", key, sealed=sealed, claimed_until=None, renewed_at=NOW))


def remove(db: Database, user_id: str, sign_in_id: bytes) -> None:
    db.run(user_id, *delete("sign_ins", id=sign_in_id, user_id=user_id))
