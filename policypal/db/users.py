"""Users and their profiles."""

from dataclasses import asdict

from policypal.db.pool import NOW, Database, made_one, put
from policypal.domain.users import Profile, User


def ensure_user(db: Database, user: User) -> None:
    """Make sure the user has a row; idempotent. Every click asks, so an unchanged row is read and not written again."""
    sql = (
        "INSERT INTO users (id, email) SELECT %(id)s, %(email)s"
        " WHERE NOT EXISTS (SELECT 1 FROM users WHERE id = %(id)s AND email = %(email)s)"
        " ON CONFLICT (id) DO UPDATE SET email = excluded.email"
    )
    db.run(user.id, sql, {"id": user.id, "email": user.email})


def load_profile(db: Database, user_id: str) -> Profile:
    """The user's profile; empty if none was saved."""
    row = db.row(user_id, "SELECT * FROM profiles WHERE user_id = %s", (user_id,))
    return made_one(Profile, row) or Profile()


def save_profile(db: Database, user_id: str, profile: Profile) -> None:
    db.run(user_id, *put("profiles", {"user_id": user_id}, updated_at=NOW, **asdict(profile)))
