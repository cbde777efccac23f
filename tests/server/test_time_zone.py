"""A change of the user's time zone. A whole day stays the same day, and a moment stays the same moment."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr

from tellonce import contract as c
from tellonce import reminders as r
from tellonce.client import MemoryClient
from tellonce.contract_types import MemoryKind, When
from tellonce.settings import ServerSettings
from tellonce_cli.import_ import take
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.recognition import READERS
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.memory import expiry
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_server.services.export import Entry, entries
from tellonce_server.services.import_messages import Importers
from tellonce_server.store import calendar
from tellonce_sql import migrations
from tests.hand_worker import claim, drain, exchange, item, say, submit
from tests.memory_fixtures import USER, Clock, Memory, database, opened
from tests.server.older_release import last_release
from tests.server.test_scarce_days import MESSAGE

pytestmark = pytest.mark.anyio

SINGAPORE, NEW_YORK, AUCKLAND, KOLKATA = "Asia/Singapore", "America/New_York", "Pacific/Auckland", "Asia/Kolkata"
BEIRUT = "Asia/Beirut"
"""A zone whose summer time begins at midnight, so that a day begins at one o'clock."""
ELSEWHERE = [NEW_YORK, AUCKLAND, KOLKATA, "Europe/Berlin", "Pacific/Honolulu", BEIRUT, "UTC"]
PARTY, PASSPORT, LOST_MIDNIGHT = date(2026, 12, 12), date(2027, 5, 1), date(2027, 3, 28)


@asynccontextmanager
async def in_zone(settings: ServerSettings, clock: Clock, zone: str) -> AsyncGenerator[Memory]:
    """The memory of a server that was started with this time zone."""
    async with opened(Storage(settings.model_copy(update={"timezone": zone}), clock)) as memory:
        yield memory


def at(zone: str, day: date, hour: int = 0, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), ZoneInfo(zone))


def day_of(moment: datetime | None, zone: str) -> date | None:
    return moment.astimezone(ZoneInfo(zone)).date() if moment is not None else None


async def dates_of(memory: Memory) -> dict[str, c.Memory]:
    async with memory.client() as client:
        known = await client.get_profile(c.GetProfileArgs())
    return {one.content: one for entries in known.lists.values() for one in entries}


async def remember_day(memory: Memory, content: str, day: date, kind: MemoryKind = "date") -> None:
    midnight = at(memory.settings.timezone, day)
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content=content, kind=kind, deadline=midnight))


async def learn_party(memory: Memory, zone: str) -> None:
    """A worker learns a statement about a day, with an end in the last minute of the day."""
    async with memory.client() as client:
        said = "Tom has his birthday party on December 12"
        await client.record_message(c.RecordMessageArgs(role="user", content=said, message_id="u"))
        await client.record_message(c.RecordMessageArgs(role="assistant", content="Nice", exchange_of="u"))
    async with memory.agent() as agent:
        job = await claim(agent)
        when = When(start=at(zone, PARTY), end=at(zone, PARTY, 23, 59), precision="day")
        await submit(agent, job, exchange(item(job.input, said, when=when)), "claude", model="haiku")


async def test_a_whole_day_stays_that_day_through_every_zone_and_back(settings: ServerSettings, clock: Clock) -> None:
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await remember_day(memory, "Passport expires", PASSPORT)
        await remember_day(memory, "Clocks change", LOST_MIDNIGHT)
        await learn_party(memory, SINGAPORE)
    for zone in [*ELSEWHERE, SINGAPORE]:
        async with in_zone(settings, clock, zone) as memory:
            known = await dates_of(memory)
            async with memory.client() as client:
                context = (await client.get_context(c.GetContextArgs(query="passport"))).context or ""
        (party,) = (one for one in known.values() if "Tom" in one.content)
        assert party.when is not None
        assert day_of(known["Passport expires"].deadline, zone) == PASSPORT, zone
        assert day_of(known["Clocks change"].deadline, zone) == LOST_MIDNIGHT, zone
        assert [day_of(moment, zone) for moment in (party.when.start, party.when.end)] == [PARTY, PARTY], zone
        assert "on May 1, 2027" in context, zone
    assert known["Passport expires"].deadline == at(SINGAPORE, PASSPORT)
    assert known["Clocks change"].deadline == at(SINGAPORE, LOST_MIDNIGHT)
    assert (party.when.start, party.when.end) == (at(SINGAPORE, PARTY), at(SINGAPORE, PARTY, 23, 59))


async def test_a_moment_stays_the_same_moment_even_if_it_is_midnight_elsewhere(
    settings: ServerSettings, clock: Clock
) -> None:
    visa = at(SINGAPORE, PASSPORT, 9)
    midnight_there = at(KOLKATA, PASSPORT)
    async with in_zone(settings, clock, SINGAPORE) as memory, memory.client() as client:
        for content, due in (("Visa appointment", visa), ("Call India", midnight_there)):
            await client.remember(c.RememberArgs(content=content, kind="date", deadline=due))
    for zone in (KOLKATA, NEW_YORK, SINGAPORE):
        async with in_zone(settings, clock, zone) as memory:
            known = await dates_of(memory)
        assert (known["Visa appointment"].deadline, known["Call India"].deadline) == (visa, midnight_there)


async def test_a_day_that_is_set_after_the_change_stays_too(settings: ServerSettings, clock: Clock) -> None:
    async with in_zone(settings, clock, SINGAPORE):
        pass
    async with in_zone(settings, clock, NEW_YORK) as memory:
        await remember_day(memory, "Passport expires", PARTY)
        (known,) = (await dates_of(memory)).values()
        async with memory.client() as client:
            changed = c.UpdateMemoryArgs(memory_id=known.id, action="edit", content="Passport expires on May 1, 2027")
            await client.update_memory(changed)
    async with in_zone(settings, clock, AUCKLAND) as memory:
        (known,) = (await dates_of(memory)).values()
    assert day_of(known.deadline, AUCKLAND) == PASSPORT


async def test_a_day_is_over_when_it_is_over_in_the_present_zone(settings: ServerSettings, clock: Clock) -> None:
    """In the former zone, the day of the goal would be over already."""
    async with in_zone(settings, clock, AUCKLAND) as memory:
        await remember_day(memory, "Send the form", date(2026, 2, 18), kind="goal")
    clock.at = at("Pacific/Honolulu", date(2026, 2, 18), 20)
    async with in_zone(settings, clock, "Pacific/Honolulu") as memory:
        async with memory.client() as client:
            before = (await client.get_context(c.GetContextArgs(query="form"))).context or ""
            clock.forward(hours=5)
            after = (await client.get_context(c.GetContextArgs(query="form"))).context or ""
        await expiry.tidy((await memory.storage.services()).deps)
    assert "due Feb 18" in before
    assert "overdue since Feb 18" in after


async def test_the_first_and_the_last_day_of_a_statement_stay_these_days(
    settings: ServerSettings, clock: Clock
) -> None:
    first, last = date(2026, 2, 1), date(2026, 2, 10)
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await remember_day(memory, "Fair", last)
        async with memory.tables() as tables:
            ended = "update memories set status = 'completed', valid_from = $1, valid_to = $2, deadline = $2"
            await tables.execute(ended, at(SINGAPORE, first), at(SINGAPORE, last, 23, 59))
    for zone in (NEW_YORK, AUCKLAND):
        async with in_zone(settings, clock, zone) as memory, memory.client() as client:
            (fair,) = (await client.get_profile(c.GetProfileArgs(status="completed"))).dates
        assert (day_of(fair.valid_from, zone), day_of(fair.valid_to, zone)) == (first, last)


@pytest.mark.parametrize("imports", [True, False])
async def test_a_statement_that_ended_in_the_last_minute_of_a_day_ended_at_that_moment(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock, tmp_path: Path, imports: bool
) -> None:
    ended = at(SINGAPORE, date(2026, 2, 17), 23, 59)
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await remember_day(memory, "Fair", date(2026, 2, 20))
        async with memory.tables() as tables:
            await tables.execute("update memories set status = 'completed', valid_to = $1", ended)
        wrote = await exported(memory)
    async with database(postgres) as dsn:
        there = settings.model_copy(update={"database_url": SecretStr(dsn)}) if imports else settings
        async with in_zone(there, clock, NEW_YORK) as memory, memory.client() as client:
            if imports:
                await imported(memory, wrote, tmp_path)
            (fair,) = (await client.get_profile(c.GetProfileArgs(status="completed"))).dates
    assert fair.valid_to == ended
    assert fair.deadline == at(NEW_YORK, date(2026, 2, 20))


STORED = """
insert into memories (owner_id, id, kind, status, content, confidence, priority, importance, pinned, valid_from, origin,
  user_confirmed, source_ids, version, created_at, updated_at, tsv, deadline, happens_from, happens_precision)
values (42, $1, 'date', 'active', $2, 1, 3, 0.5, false, '2026-02-15 04:00Z', 'user', true, '{}', 1, now(), now(), '',
  $3, $4, $5)
"""
FORMER_VERSION = 82
"""The schema version of the last release that did not know the zone of a stored day."""


async def test_a_day_that_an_older_release_stored_stays_that_day(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    """The upgraded server first starts in the zone in which the day was stored."""
    visa = at(SINGAPORE, PASSPORT, 9)
    async with last_release(postgres, MESSAGE, FORMER_VERSION) as db:
        await db.execute(STORED, 1, "Passport expires", at(SINGAPORE, PASSPORT), None, None)
        await db.execute(STORED, 2, "Tom has a party", None, at(SINGAPORE, PARTY), "day")
        await db.execute(STORED, 3, "Visa appointment", visa, visa, "instant")
        await migrate(db, migrations())
        there = settings.model_copy(update={"database_url": SecretStr(postgres.dsn(database="upgrading"))})
        for zone in (SINGAPORE, NEW_YORK):
            async with in_zone(there, clock, zone) as memory:
                known = await dates_of(memory)
            party = known["Tom has a party"].when
            assert party is not None
            assert day_of(known["Passport expires"].deadline, zone) == PASSPORT
            assert day_of(party.start, zone) == PARTY
            assert known["Visa appointment"].deadline == visa


async def exported(memory: Memory) -> list[Entry]:
    return [entry async for entry in entries((await memory.storage.services()).deps.database, USER)]


async def imported(memory: Memory, found: list[Entry], folder: Path) -> None:
    file = folder / "all.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in found))
    services = await memory.storage.services()
    items = iter(list(READERS["jsonl"](Source(file, chat_id=USER), lambda _: None)))
    await take(services, items, Importers(services.deps, ChatScope(USER, USER)))


async def test_a_day_stays_that_day_in_a_memory_of_another_zone_that_imports_it(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock, tmp_path: Path
) -> None:
    visa = at(SINGAPORE, PASSPORT, 9)
    async with in_zone(settings, clock, SINGAPORE) as memory, memory.client() as client:
        await remember_day(memory, "Passport expires", PASSPORT)
        await client.remember(c.RememberArgs(content="Visa appointment", kind="date", deadline=visa))
        await learn_party(memory, SINGAPORE)
        await client.set_reminder(r.SetReminderArgs(content="Call mom", at=at(SINGAPORE, PASSPORT, 9)))
        daily = r.SetReminderArgs(content="Pills", at=at(SINGAPORE, PASSPORT, 21), repeats="0 21 * * *", words="daily")
        await client.set_reminder(daily)
        wrote = await exported(memory)
    async with database(postgres) as dsn:
        there = settings.model_copy(update={"database_url": SecretStr(dsn), "timezone": NEW_YORK})
        async with in_zone(there, clock, NEW_YORK) as memory:
            for _ in range(2):
                await imported(memory, wrote, tmp_path)
            known = await dates_of(memory)
            again = await exported(memory)
    (party,) = (one for one in known.values() if "Tom" in one.content)
    assert party.when is not None
    assert day_of(party.when.start, NEW_YORK) == PARTY
    assert day_of(known["Passport expires"].deadline, NEW_YORK) == PASSPORT
    assert known["Visa appointment"].deadline == visa
    assert known["Call mom (2027-04-30 21:00)"].deadline == at(NEW_YORK, date(2027, 4, 30), 21)
    assert known["Pills (daily)"].deadline == at(NEW_YORK, date(2026, 2, 15), 21)
    assert len([entry for entry in again if entry["type"] == "memory"]) == len(known)


SIX_PM = at(SINGAPORE, date(2026, 2, 17), 18, 14)


async def set_here(memory: Memory, due: datetime, repeats: str | None) -> None:
    async with memory.client() as client:
        words = "as asked" if repeats is not None else None
        await client.set_reminder(r.SetReminderArgs(content="Check", at=due, repeats=repeats, words=words))


async def pending(memory: Memory) -> r.Reminder:
    async with memory.client() as client:
        (one,) = (await client.list_reminders(r.ListRemindersArgs())).reminders
    return one


@pytest.mark.parametrize("zone", [KOLKATA, NEW_YORK, AUCKLAND])
@pytest.mark.parametrize("repeats", ["14 18 * * *", "14 6,18 * * *", "14 18 * * 2", "R/2026-02-15T18:14/P2D"])
async def test_a_repeated_reminder_comes_once_on_its_day_at_its_time_in_the_new_zone(
    settings: ServerSettings, clock: Clock, zone: str, repeats: str
) -> None:
    clock.at = at(SINGAPORE, date(2026, 2, 16), 19)  # it has been delivered on this day
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await set_here(memory, SIX_PM, repeats)
    for there in (zone, zone, SINGAPORE, zone):
        async with in_zone(settings, clock, there) as memory:
            one = await pending(memory)
        assert one.due_at == one.memory.deadline == at(there, date(2026, 2, 17), 18, 14)
        assert one.memory.content == "Check (as asked)"


@pytest.mark.parametrize("repeats", ["*/30 * * * *", "0 9-17 * * *", "R/2026-02-15T18:14/PT2H"])
async def test_a_reminder_every_few_minutes_or_hours_pauses_for_no_change_of_zone(
    settings: ServerSettings, clock: Clock, repeats: str
) -> None:
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await set_here(memory, SIX_PM, repeats)
    async with in_zone(settings, clock, NEW_YORK) as memory:
        assert (await pending(memory)).due_at == SIX_PM


@pytest.mark.parametrize("due", [SIX_PM, at(SINGAPORE, date(2026, 2, 17)), at(SINGAPORE, date(2026, 2, 17), 23, 59)])
async def test_a_single_reminder_keeps_its_moment_and_its_text_gives_this_moment(
    settings: ServerSettings, clock: Clock, due: datetime
) -> None:
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await set_here(memory, due, None)
    for zone in (NEW_YORK, KOLKATA, SINGAPORE):
        async with in_zone(settings, clock, zone) as memory:
            one = await pending(memory)
            local = due.astimezone(ZoneInfo(zone))
            async with memory.client() as client:
                found = await client.search_memory(c.SearchMemoryArgs(query=f"{local:%Y-%m-%d}", kinds=("date",)))
                await set_again(client, due)
            again = await pending(memory)
        assert (one.due_at, one.memory.deadline) == (due, due)
        assert one.memory.content == f"Check ({local:%Y-%m-%d %H:%M})"
        assert [result.text for result in found.results] == [one.memory.content]
        assert again.memory.id == one.memory.id


@pytest.mark.parametrize("repeats", [None, "14 18 * * *"])
async def test_a_moved_reminder_is_shown_and_found_with_its_new_time_everywhere(
    settings: ServerSettings, clock: Clock, repeats: str | None
) -> None:
    later = SIX_PM + timedelta(hours=1)
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await set_here(memory, SIX_PM, repeats)
        number = (await pending(memory)).memory.id
        async with memory.client() as client:
            await client.change_reminder(r.ChangeReminderArgs(memory_id=number, action="move", at=later))
            found = await client.search_memory(c.SearchMemoryArgs(query="check", kinds=("date",)))
        one = await pending(memory)
    assert (one.due_at, one.memory.deadline, one.repeats) == (later, later, repeats)
    assert one.memory.content == ("Check (2026-02-17 19:14)" if repeats is None else "Check (as asked)")
    assert [(result.text, result.due) for result in found.results] == [(one.memory.content, later)]
    async with in_zone(settings, clock, KOLKATA) as memory:
        moved = await pending(memory)
    assert moved.memory.content == ("Check (2026-02-17 16:44)" if repeats is None else "Check (as asked)")
    assert moved.due_at == moved.memory.deadline


async def test_the_profile_text_is_written_for_the_new_zone(settings: ServerSettings, clock: Clock) -> None:
    async def narrative(memory: Memory, jobs: int) -> str:
        async with memory.agent() as agent, memory.client() as client:
            assert len(await drain(agent)) == jobs
            return (await client.get_profile(c.GetProfileArgs())).narrative

    async with in_zone(settings, clock, SINGAPORE) as memory, memory.client() as client:
        await set_here(memory, SIX_PM, None)
        await say(client, clock, "Hello")
        assert await narrative(memory, jobs=2) == "Check (2026-02-17 18:14)"
    for zone, jobs in ((SINGAPORE, 0), (KOLKATA, 1), (KOLKATA, 0)):
        async with in_zone(settings, clock, zone) as memory:
            shown = await narrative(memory, jobs)
    assert shown == "Check (2026-02-17 15:44)"


@asynccontextmanager
async def beside(settings: ServerSettings, clock: Clock, zone: str) -> AsyncGenerator[Memory]:
    """The memory of a process that is not the HTTP server, with this time zone."""
    there = settings.model_copy(update={"timezone": zone})
    async with opened(Storage(there, clock, keeps_tokens=False)) as memory:
        yield memory


async def zone_of(memory: Memory) -> str | None:
    return await calendar.zone((await memory.storage.services()).deps.database)


async def test_a_process_beside_the_server_uses_the_zone_of_the_server(settings: ServerSettings, clock: Clock) -> None:
    clock.at = at(SINGAPORE, date(2026, 2, 16), 19)
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await remember_day(memory, "Passport expires", PASSPORT)
        await set_here(memory, SIX_PM, "14 18 * * *")
        async with beside(settings, clock, "UTC") as other, other.client() as client:
            midnight = datetime.combine(PASSPORT, time())
            visa = c.RememberArgs.model_construct(content="Visa ends", kind="date", deadline=midnight)
            await client.remember(visa)
            assert await zone_of(other) == SINGAPORE
            known = await dates_of(other)
        assert known["Visa ends"].deadline == known["Passport expires"].deadline == at(SINGAPORE, PASSPORT)
        assert (await pending(memory)).due_at == SIX_PM


@pytest.mark.parametrize("chosen", [True, False])
async def test_a_process_without_a_server_changes_the_zone_only_if_the_user_chose_it(
    settings: ServerSettings, clock: Clock, monkeypatch: pytest.MonkeyPatch, chosen: bool
) -> None:
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await remember_day(memory, "Passport expires", PASSPORT)
    monkeypatch.setattr("tellonce.settings.system_timezone", lambda: NEW_YORK)
    values = {name: getattr(settings, name) for name in settings.model_fields_set - {"timezone"}}
    monkeypatch.delenv("USER_TIMEZONE", raising=False)
    here = ServerSettings.model_validate(values | ({"timezone": NEW_YORK} if chosen else {}))
    assert here.timezone == NEW_YORK
    async with opened(Storage(here, clock, keeps_tokens=False)) as memory:
        assert await zone_of(memory) == (NEW_YORK if chosen else SINGAPORE)
        known = await dates_of(memory)
    assert known["Passport expires"].deadline == at(NEW_YORK if chosen else SINGAPORE, PASSPORT)


async def test_a_reminder_that_is_being_delivered_keeps_its_moment(settings: ServerSettings, clock: Clock) -> None:
    async with in_zone(settings, clock, SINGAPORE) as memory:
        await set_here(memory, SIX_PM, "14 18 * * *")
        async with memory.tables() as tables:
            leased = "update reminders set worker = 'relay', leased_until = $1"
            await tables.execute(leased, clock() + timedelta(minutes=1))
    async with in_zone(settings, clock, NEW_YORK) as memory:
        assert (await pending(memory)).due_at == SIX_PM


async def set_again(client: MemoryClient, due: datetime) -> None:
    """Set the same reminder a second time. The server must not add a second reminder."""
    await client.set_reminder(r.SetReminderArgs(content="Check", at=due))
