"""The effects of an import on an existing memory, on a real PostgreSQL."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce import reminders as r
from tellonce import work as w
from tellonce_cli.import_ import Tally, _report, take
from tellonce_cli.importers.files import Source
from tellonce_cli.importers.items import Item, Unreadable
from tellonce_cli.importers.recognition import READERS
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.export import entries
from tellonce_server.services.import_memories import ImportMemory
from tellonce_server.services.import_messages import Imported, Importers, ImportMessage
from tellonce_server.store import queue, threads
from tellonce_server.store.database import Database, Row
from tests.hand_worker import read as reading
from tests.hand_worker import say
from tests.memory_fixtures import START, USER, Clock, Memory, forget

pytestmark = pytest.mark.anyio

OTHER = 43
HERE, THERE = ChatScope(USER, USER), ChatScope(OTHER, OTHER)
LONG_AGO = START - timedelta(days=2000)


def spoken(number: int, **more: object) -> ImportMessage:
    values = {"role": "assistant" if number % 2 else "user", "content": f"We talked about item {number}", **more}
    at = START - timedelta(days=30) + timedelta(minutes=number)
    return ImportMessage(message_id=f"telegram:1:{number}", sent_at=at, channel="telegram", **values)


async def taken(memory: Memory, *items: Item, where: ChatScope = HERE) -> Tally:
    """Run the command once on these entries."""
    services = await memory.storage.services()
    return await take(services, iter(items), Importers(services.deps, where))


async def active(memory: Memory) -> list[str]:
    async with memory.client() as client:
        profile = await client.get_profile(c.GetProfileArgs())
    listed = (*profile.facts, *profile.preferences, *profile.goals, *profile.dates, *profile.pins)
    return list(dict.fromkeys(m.content for m in listed))


async def test_what_was_forgotten_does_not_come_back_with_old_material(memory: Memory) -> None:
    saved = ImportMemory("I am allergic to peanuts", said_at=LONG_AGO)
    await taken(memory, saved)
    async with memory.client() as client:
        await forget(client, topic="peanuts")
        again = await taken(memory, saved, ImportMemory("I am allergic to peanuts"))
        assert again.memories == {"forgotten": 2}
        assert await active(memory) == []
        await client.remember(c.RememberArgs(content="I am allergic to peanuts"))
    assert await active(memory) == ["I am allergic to peanuts"]


async def test_a_forgotten_sentence_does_not_come_back_as_another_message(memory: Memory, clock: Clock) -> None:
    """In another export, the same conversation may have other message ids. What is said after the erasure is kept."""
    old = replace(spoken(1), content="My locker opens with zq77a1. It rains today.", sent_at=LONG_AGO)
    await taken(memory, old)
    async with memory.client() as client:
        await forget(client, topic="zq77a1")
    again = replace(old, message_id="other:1", content=f"{old.content} It is cold.")
    alone = replace(old, message_id="other:2", content="my locker opens with ZQ77A1.")
    tally = await taken(memory, again, alone)
    assert (tally.created, tally.forgotten) == (2, 2)
    kept = [e["content"] for e in await exported(memory, USER) if e["type"] == "message"]
    assert kept == ["It rains today.", "It rains today. It is cold.", "[forgotten]"]
    clock.forward(hours=1)
    since = replace(old, message_id="other:3", sent_at=clock())
    assert (await taken(memory, since)).forgotten == 0
    assert old.content in [e["content"] for e in await exported(memory, USER) if e["type"] == "message"]


async def test_an_old_export_never_supersedes_what_was_said_later(memory: Memory) -> None:
    """Only a model supersedes a statement. Without a model, both statements stay, the newest first."""
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I live in Oslo"))
    await taken(memory, ImportMemory("I live in Rome", said_at=LONG_AGO))
    assert await active(memory) == ["I live in Oslo", "I live in Rome"]


async def test_an_undated_statement_is_as_old_as_the_newest_message_before_it(memory: Memory) -> None:
    message = spoken(1)
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I live in Oslo"))
        await taken(memory, message, ImportMemory("I live in Rome"))
        facts = (await client.get_profile(c.GetProfileArgs())).facts
    assert [(m.content, m.valid_from == message.sent_at) for m in facts] == [
        ("I live in Oslo", False),
        ("I live in Rome", True),
    ]


async def test_an_undated_statement_is_due_only_on_a_day_that_its_words_give_in_full(memory: Memory) -> None:
    texts = ("Dentist tomorrow", "Dentist on 3 March", "Dentist on 3 March 2026")
    items = [ImportMemory(text, kind="date") for text in texts]
    tally = await taken(memory, spoken(1), *items, ImportMemory("Exam on 4 March", kind="date", said_at=START))
    async with memory.client() as client:
        dates = (await client.get_profile(c.GetProfileArgs())).dates
    assert tally.undated == 3
    assert {m.content for m in dates if m.deadline is not None} == {"Dentist on 3 March 2026", "Exam on 4 March"}


@pytest.mark.parametrize(("found", "said"), [(None, "the import"), (START, "the newest message before it in the file")])
def test_an_import_says_which_date_an_undated_statement_got(
    found: datetime | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _report(Tally(memories=Counter(kept=2), undated=2, newest=found), "jsonl", None)
    text = " ".join(capsys.readouterr().out.split())
    assert f"2 memories have no date in the file: each got the date of {said}" in text


async def test_what_another_assistant_remembered_is_marked_as_imported(memory: Memory) -> None:
    await taken(memory, ImportMemory("Plays the cello in a quartet", said_at=LONG_AGO))
    async with memory.client() as client:
        (fact,) = (await client.get_profile(c.GetProfileArgs())).facts
    assert (fact.origin, fact.user_confirmed, fact.valid_from) == ("import", False, LONG_AGO)


async def test_what_an_import_brings_is_not_listed_as_recently_learned(memory: Memory) -> None:
    """The screen Today would otherwise show only imported statements after an import."""
    await taken(memory, ImportMemory("Plays the cello in a quartet", said_at=LONG_AGO))
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I live in Oslo"))
        today = (await client.mcp.call_tool("page_today", {})).structured_content
    assert today is not None
    listed = {name: [entry["memory"]["content"] for entry in today[name]] for name in ("learned", "told")}
    assert listed == {"learned": ["I live in Oslo"], "told": ["Plays the cello in a quartet"]}


async def test_a_secret_in_a_saved_memory_is_masked(memory: Memory) -> None:
    await taken(memory, ImportMemory("My API key is sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))
    assert "AAAAAAAA" not in " ".join(await active(memory))


async def test_an_import_that_died_loses_no_learning_when_it_is_started_again(memory: Memory) -> None:
    """The second run recognizes the messages of the killed import as duplicates. These duplicates must still be queued
    for learning."""
    whole = [spoken(number) for number in range(1, 1801)]

    class Killed(BaseException):
        pass

    def dying() -> Iterator[Item]:
        yield from whole[:1100]
        raise Killed

    services = await memory.storage.services()
    with pytest.raises(Killed):
        await take(services, dying(), Importers(services.deps, HERE))
    tally = await taken(memory, *whole)
    assert (tally.created, tally.duplicates) == (800, 1000)
    jobs = [job async for job in exchanges(memory)]
    assert sorted(n for first, last in jobs for n in range(first, last + 1)) == list(range(1, 1801))
    assert await threads.gaps(services.deps.database, USER) == []


async def exchanges(memory: Memory) -> AsyncIterator[tuple[int, int]]:
    database = (await memory.storage.services()).deps.database
    number = 1
    while job := await queue.find(database, USER, USER, number):
        if job.kind == "exchange":
            yield job.from_id, job.to_id
        number += 1


async def test_text_no_database_holds_costs_nobody_the_import(memory: Memory) -> None:
    odd = [spoken(2, content="half a pair \ud83d"), spoken(4, content=" \x00 "), spoken(6, content="wörter " * 40_000)]
    tally = await taken(memory, *odd, Unreadable("KeyError: 'id'"), ImportMemory("..."), spoken(8))
    assert tally.created == 2 + len(("wörter " * 40_000).encode()) // 65_532 + 1
    assert (tally.unreadable, tally.first_unreadable) == (1, ["KeyError: 'id'"])
    assert tally.memories == {"unfit": 1}


@pytest.fixture
async def lived_in(memory: Memory) -> Memory:
    """A memory with threads of each kind, and memories of each status."""
    topic = [spoken(n, message_thread_id=7) for n in range(50, 56)]
    replies = [spoken(60, reply_to_message_id="telegram:1:3"), spoken(61, reply_to_message_id="telegram:1:60")]
    bob = spoken(70, speaker="Bob", content="Bob says: ünïcode 😀 [/b]")
    tokyo = spoken(80)
    abroad = replace(tokyo, sent_at=tokyo.sent_at.astimezone(timezone(timedelta(hours=9))))
    await taken(memory, *(spoken(n) for n in range(1, 10)), *topic, *replies, bob, abroad)
    async with memory.client() as client:
        rome = await client.remember(c.RememberArgs(content="I live in Rome"))
        await client.remember(c.RememberArgs(content="I live in Oslo", replaces=(rome.memory.id,)))
        for text in ("I prefer tea", "My goal is to run a marathon by May 2027"):
            await client.remember(c.RememberArgs(content=text))
        await client.remember(c.RememberArgs(content="I play the cello", scope="global", pinned=True))
        wrong = await client.remember(c.RememberArgs(content="My cat is called Tom"))
        await client.update_memory(c.UpdateMemoryArgs(memory_id=wrong.memory.id, action="reject"))
        quoted = {"content": "The user talked about item 80", "kind": "fact", "quote": "talked about item 80"}
        await client.remember(c.RememberArgs.model_validate({"statements": [quoted]}))
        source = c.RememberArgs(content="My flight is on 3 May 2027", source_message_id="telegram:1:4")
        flight = await client.remember(source)
        await client.update_memory(
            c.UpdateMemoryArgs(memory_id=flight.memory.id, action="edit", content="My flight is on 4 May 2027")
        )
        await client.set_reminder(r.SetReminderArgs(content="Call Ann", at=START + timedelta(days=9)))
    return memory


async def test_an_export_is_imported_again_with_nothing_lost(lived_in: Memory, tmp_path: Path) -> None:
    """An import into another person's empty memory restores texts, speakers, times, threads, and memories with their
    history."""
    wrote = await exported(lived_in, USER)
    tea = next(e for e in wrote if e.get("content") == "I prefer tea")
    until = START.replace(tzinfo=UTC, microsecond=0)
    when = c.When(start=until - timedelta(days=9), end=until).model_dump(mode="json")
    tea |= {"about": "Ann", "when": when, "valid_to": when["end"], "user_name": "Priya", "categories": ["drink"]}
    tally = await taken(lived_in, *again(wrote, tmp_path), where=THERE)
    read_back = await exported(lived_in, OTHER)
    assert comparable(read_back) == comparable(wrote)
    assert ["talked about item 80"] in [[q["text"] for q in e["quotes"]] for e in read_back if e.get("quotes")]
    assert {e["status"] for e in wrote if e["type"] == "memory"} == {"active", "superseded", "rejected"}
    assert len({e["thread_key"] for e in wrote if e["type"] == "message"}) == 3
    assert {str(e["sent_at"])[-6:] for e in wrote if e["type"] == "message"} == {"+08:00", "+09:00"}
    assert tally.duplicates == 0


class CountedQueries:
    """Counts the statements of an export."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.names: list[str] = []

    async def rows(self, name: str, *args: Any) -> list[Row]:
        self.names.append(name)
        return await self._database.rows(name, *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        self.names.append(name)
        return await self._database.row(name, *args)

    async def value(self, name: str, *args: Any) -> Any:
        self.names.append(name)
        return await self._database.value(name, *args)

    async def run(self, name: str, *args: Any) -> int:
        raise NotImplementedError


async def test_the_statements_of_an_export_do_not_grow_with_the_memories(lived_in: Memory) -> None:
    async def statements() -> list[str]:
        counted = CountedQueries((await lived_in.storage.services()).deps.database)
        assert [entry async for entry in entries(counted, USER)] == await exported(lived_in, USER)
        return counted.names

    few = await statements()
    async with lived_in.client() as client:
        for number in range(20):
            await client.remember(c.RememberArgs(content=f"Shelf {number} is for jars"))
    assert await statements() == few


async def test_importing_ones_own_export_where_it_came_from_changes_nothing(lived_in: Memory, tmp_path: Path) -> None:
    before = await exported(lived_in, USER)
    tally = await taken(lived_in, *again(before, tmp_path))
    assert await exported(lived_in, USER) == before
    assert (tally.created, tally.memories["kept"]) == (0, 0)


async def test_messages_that_came_without_an_id_are_known_again_and_stay_forgotten(
    memory: Memory, tmp_path: Path
) -> None:
    async with memory.client() as client:
        for text in ("I keep bees. The locker opens with zq77a1", "It rains"):
            await client.record_message(c.RecordMessageArgs(role="user", content=text))
        wrote = await exported(memory, USER)
        await forget(client, topic="zq77a1")
    tally = await taken(memory, *again(wrote, tmp_path))
    assert (tally.created, tally.duplicates) == (0, 2)
    assert "zq77a1" not in json.dumps(await exported(memory, USER))


async def test_a_message_of_another_memory_with_a_number_that_is_taken_here_is_no_duplicate(memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="It rains"))
    tally = await taken(memory, replace(spoken(2), message_id=f"{USER}:1"))
    assert (tally.created, tally.duplicates) == (1, 0)


async def test_history_of_a_statement_forgotten_here_is_not_put_back(lived_in: Memory, tmp_path: Path) -> None:
    backup = await exported(lived_in, USER)
    async with lived_in.client() as client:
        await forget(client, topic="I live in Oslo")
    await taken(lived_in, *again(backup, tmp_path))
    kept = [str(e["content"]) for e in await exported(lived_in, USER) if e["type"] == "memory"]
    assert not any("Oslo" in text or "Rome" in text for text in kept)
    assert any("tea" in text for text in kept)


async def test_reading_an_imported_export_revives_nothing_that_was_corrected_or_rejected(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    """While an export is imported, a worker reads all messages that it is allowed to read, and keeps each sentence."""
    async with memory.client() as client, memory.agent() as agent:
        for number, text in {"u1": "My boss is called Petra", "u2": "Plan a trip to Oslo"}.items():
            await say(client, clock, text, number)
        await reading(agent, verbatim)
        boss, trip = (await client.get_profile(c.GetProfileArgs())).facts[::-1]
        edit = c.UpdateMemoryArgs(memory_id=boss.id, action="edit", content="My boss is called Karin")
        await client.update_memory(edit)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=trip.id, action="reject"))
        for content, hours, repeats in (("bread", 1, None), ("Ann", 9, None), ("plants", 2, "0 8 * * 1")):
            at = clock() + timedelta(hours=hours)
            await client.set_reminder(r.SetReminderArgs(content=content, at=at, repeats=repeats))
        wrote = await exported(memory, USER)
        clock.forward(hours=3)
        services = await memory.storage.services()
        importers = ReadAtOnce(services.deps, THERE)
        importers.read = lambda: reading(agent, verbatim)
        await take(services, iter(again(wrote, tmp_path)), importers)
        assert importers.learned == []
        assert [done["dropped"] for done in await reading(agent, verbatim)] == [2]
    async with memory.client(OTHER) as client:
        profile = await client.get_profile(c.GetProfileArgs())
        (boss,) = profile.facts
        why = await client.explain(c.ExplainArgs(memory_id=boss.id))
        alarms = (await client.list_reminders(r.ListRemindersArgs())).reminders
    assert (boss.content, [v.text for v in why.versions]) == ("My boss is called Karin", ["My boss is called Petra"])
    assert [s.text for s in why.sources] == ["My boss is called Petra"]
    assert why.quotes == ("My boss is called Petra",)
    assert not [m for m in profile.dates if "bread" in m.content]
    assert [(one.chat_id, one.memory.content.split()[0]) for one in alarms] == [(OTHER, "Ann"), (OTHER, "plants")]
    assert alarms[1].due_at == datetime(2026, 2, 23, 8, tzinfo=ZoneInfo("Asia/Singapore"))


def verbatim(work: w.ExchangeInput) -> list[w.ExchangeItem]:
    """One note for each of the user's messages, with the same text."""
    return [
        w.ExchangeItem.model_validate(
            {"text": m.text, "kind": "fact", "note": True, "quotes": [{"message_id": m.id, "text": m.text}]}
        )
        for m in work.messages
        if m.role == "user"
    ]


class ReadAtOnce(Importers):
    """An import whose messages are offered to a worker after each batch."""

    read: Callable[[], Awaitable[list[dict[str, int]]]]
    learned: list[dict[str, int]]

    async def add(self, batch: Sequence[ImportMessage]) -> Imported:
        done = await super().add(batch)
        self.learned = await self.read()
        return done


async def exported(memory: Memory, owner_id: int) -> list[dict[str, Any]]:
    return [entry async for entry in entries((await memory.storage.services()).deps.database, owner_id)]


def again(found: list[dict[str, Any]], folder: Path) -> list[Item]:
    file = folder / "all.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in found))
    return list(READERS["jsonl"](Source(file, chat_id=USER), lambda _: None))


def comparable(found: list[dict[str, Any]]) -> list[str]:
    """The entries without database numbers. If a memory names another memory as its successor, the number of the
    successor is replaced by the successor's text."""
    texts = {e["id"]: e["content"] for e in found if e["type"] == "memory"}
    lines = [e for e in found if e["type"] == "message"]
    for e in (e for e in found if e["type"] == "memory"):
        own = {k: v for k, v in e.items() if k not in ("id", "sources")}
        lines.append({**own, "superseded_by": texts.get(e["superseded_by"])})
    # A thread key contains the number of its chat.
    return sorted(json.dumps(line, sort_keys=True).replace(str(OTHER), str(USER)) for line in lines)
