"""Tests the upgrade of reminders on the 31st. An earlier release skipped the months without this day."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce_relay.cron import next_due
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_sql import migrations
from tests.server.older_release import last_release

pytestmark = pytest.mark.anyio

BERLIN = ZoneInfo("Europe/Berlin")
LAST_SKIPPING = 80
"""The schema version of the last release whose reminders skipped these months."""

MESSAGE = """
insert into user_profile (owner_id, last_memory_id) values (42, 20);
insert into chats (owner_id, chat_id, last_id, created_at) values (42, 42, 1, now());
insert into messages (owner_id, chat_id, id, thread_key, thread_no, epoch, role, content, channel, importance, tokens,
  sent_at, utc_offset, recorded_at)
values (42, 42, 1, 'root:42', 1, 0, 'user', 'Remind me', 'telegram', 0.5, 2, now(), 60, now())
"""
MEMORY = """
insert into memories (owner_id, id, kind, status, content, confidence, priority, importance, pinned, valid_from, origin,
  user_confirmed, source_ids, version, created_at, updated_at, tsv, deadline)
values (42, $1, 'date', 'active', 'Pay', 1, 3, 0.5, false, now(), 'user', true, '{}', 1, now(), now(), '', $2)
"""
REMINDER = """
insert into reminders (owner_id, memory_id, chat_id, due_at, repeats, created_at, done_at)
values (42, $1, 42, $2, $3, now(), $4)
"""


def berlin(year: int, month: int, day: int, hour: int, minute: int) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=BERLIN)


OLD = [
    ("0 8 31 * *", berlin(2096, 3, 31, 8, 0)),
    ("0 0 30 * *", berlin(2095, 3, 30, 0, 0)),
    ("0 8 31 * * until 2097-01-01T23:59", berlin(2096, 8, 31, 8, 0)),
    ("5 21 29 2 *", berlin(2096, 2, 29, 21, 5)),
    ("0 8 29 * *", berlin(2096, 2, 29, 8, 0)),
    ("0 8 28 * *", berlin(2096, 2, 28, 8, 0)),
    ("0 8 1,31 * *", berlin(2096, 3, 1, 8, 0)),
    ("0 8 29 1 *", berlin(2096, 1, 29, 8, 0)),
    ("R/2026-01-31T08:00/P2M", berlin(2096, 3, 31, 8, 0)),
    (None, berlin(2096, 3, 31, 8, 0)),
]
NEW = [
    ("R/2024-01-31T08:00/P1M", berlin(2096, 2, 29, 8, 0)),
    ("R/2024-01-30T00:00/P1M", berlin(2095, 2, 28, 0, 0)),
    ("R/2024-01-31T08:00/P1M until 2097-01-01T23:59", berlin(2096, 8, 31, 8, 0)),
    ("R/2024-02-29T21:05/P12M", berlin(2093, 2, 28, 21, 5)),
    ("R/2024-01-29T08:00/P1M", berlin(2096, 2, 29, 8, 0)),
    *OLD[5:],
]


async def test_a_reminder_that_skipped_short_months_comes_on_their_last_day(postgres: EmbeddedPostgres) -> None:
    async with last_release(postgres, MESSAGE, LAST_SKIPPING) as db:
        for number, (repeats, due) in enumerate([*OLD, OLD[0]]):
            done = due if number == len(OLD) else None
            await db.execute(MEMORY, number, due)
            await db.execute(REMINDER, number, due, repeats, done)
        await migrate(db, migrations())
        found = await db.fetch("select repeats, due_at from reminders order by memory_id")
        deadlines = await db.fetch("select deadline from memories order by id")
    *upcoming, delivered = (tuple(row) for row in found)
    assert upcoming == NEW
    assert delivered == (NEW[0][0], OLD[0][1])
    assert [row["deadline"] for row in deadlines] == [row["due_at"] for row in found]
    assert next_due("R/2024-01-31T08:00/P1M", berlin(2096, 2, 29, 8, 0), BERLIN) == OLD[0][1]
