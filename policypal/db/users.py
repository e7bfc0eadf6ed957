"""Users and their profiles."""

from policypal.db.pool import Database
from policypal.domain.users import Profile, User


def ensure_user(db: Database, user: User) -> None:
    """Make sure the user has a row; idempotent. Every click asks, so an unchanged row is read and not written again."""
    with db.as_user(user.id) as c:
        c.execute(
            "INSERT INTO users (id, email) SELECT %(id)s, %(email)s"
            " WHERE NOT EXISTS (SELECT 1 FROM users WHERE id = %(id)s AND email = %(email)s)"
            " ON CONFLICT (id) DO UPDATE SET email = excluded.email",
            {"id": user.id, "email": user.email},
        )


def load_profile(db: Database, user_id: str) -> Profile:
    """The user's profile; empty if none was saved."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT company, country, industry, description, asked FROM profiles WHERE user_id = %s", (user_id,)
        ).fetchone()
    return Profile(**row) if row else Profile()


def save_profile(db: Database, user_id: str, profile: Profile) -> None:
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO profiles (user_id, company, country, industry, description, asked)"
            " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (user_id) DO UPDATE SET company = excluded.company,"
            " country = excluded.country, industry = excluded.industry, description = excluded.description,"
            " asked = excluded.asked, updated_at = now()",
            (user_id, profile.company, profile.country, profile.industry, profile.description, profile.asked),
        )
