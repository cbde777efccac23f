"""The time of the last backup that was made on this machine."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from tellonce.plural import quantity
from tellonce.settings import ServerSettings

MADE = "last-backup"
"""A file in the data folder. Its modification time is the time of the last backup."""


def note_backup(settings: ServerSettings) -> None:
    """Store the current time as the time of the last backup."""
    with suppress(OSError):  # the backup is made, even if its time cannot be stored
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        (settings.data_dir / MADE).touch()


def last_backup(settings: ServerSettings, now: datetime) -> str | None:
    """The age of the last backup, as in `3 days ago`. None if no backup was made on this machine."""
    file = settings.data_dir / MADE
    if not file.exists():
        return None
    hours = int((now - datetime.fromtimestamp(file.stat().st_mtime, UTC)) / timedelta(hours=1))
    if hours < 1:
        return "less than an hour ago"
    return f"{quantity(hours, 'hour')} ago" if hours < 48 else f"{quantity(hours // 24, 'day')} ago"
