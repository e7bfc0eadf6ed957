"""Moments as the person at the browser reads them; the database and exports keep UTC."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st


def local(moment: datetime) -> datetime:
    """The moment in the browser's time zone; in UTC where the browser names none that this machine knows."""
    return moment.astimezone(_zone(st.context.timezone))


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):  # unknown, not a name, or a folder of the time zone database
        return UTC


def told(moment: datetime) -> str:
    """Date and time as the person reads them: "24 Nov 2026, 09:05"."""
    return f"{local(moment):%d %b %Y, %H:%M}"


def short(moment: datetime, now: datetime) -> str:
    """When something last happened, in a few characters: the time today, the weekday this week, the date before that."""
    days = (now.date() - moment.date()).days
    if days <= 0:
        return f"{moment:%H:%M}"
    return f"{moment:%a}" if days < 7 else f"{moment.day} {moment:%b}"
