"""Names that a client gave, such as a channel or the id of a message, can be forgotten. A forgotten name is not stored
anywhere. A client that uses the name again still reaches the same chat and the same messages."""

from datetime import timedelta

import anyio
import pytest

from tellonce import contract as c
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.import_messages import Importer, ImportMessage
from tests.memory_fixtures import USER, Clock, Memory, forget, tables_with, until_waiting
from tests.server.test_forget_scan import said

pytestmark = pytest.mark.anyio

CHANNEL = "zqvuxley"
GROUP = -100


async def test_a_channel_that_is_forgotten_goes_from_every_table_and_its_talk_goes_on(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as tables:
        own = {"channel": CHANNEL, "conversation_id": "plan"}
        guest = {"channel": CHANNEL, "chat_id": USER}
        for place in (own, guest):
            await said(client, "The answer is 7.", message_id="7", **place)
        await said(client, "It is indeed.", message_id="8", reply_to_message_id="7", **guest)
        preview = await client.forget(c.ForgetArgs(topic=CHANNEL))
        done = await forget(client, topic=CHANNEL)
        assert (preview.would_erase, done.traces_left) == ({"conversation_names": 3}, 0)
        again = [
            await client.record_message(
                c.RecordMessageArgs.model_validate({"role": "user", "content": text, "message_id": id_, **place})
            )
            for text, id_, place in (
                ("The answer is 7.", "7", own),
                ("The answer is 8.", "7", guest),
                ("One more.", "9", own),
            )
        ]
        assert [each.outcome for each in again] == ["duplicate", "edited", "created"]
        assert again[0].thread_key == again[2].thread_key
        assert await tables_with(tables, CHANNEL) == []
        assert (await client.forget(c.ForgetArgs(topic=CHANNEL))).matches == ()


async def test_a_threads_name_goes_from_the_jobs_that_rebuild_its_summary(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as tables:
        await said(client, "The answer is 7.", message_id="7", message_thread_id="zqvuxley")
        # `queue_rolling` queues jobs with such keys.
        await tables.execute("update chat_context_queue set dedup_key = 'anew:' || thread_key")
        assert (await forget(client, topic="zqvuxley")).traces_left == 0
        assert await tables_with(tables, "zqvuxley") == []


async def test_the_present_name_of_a_telegram_group_is_stored_until_it_is_forgotten(memory: Memory) -> None:
    async with memory.client(None, "relay") as relay, memory.tables() as tables:
        named = []
        for name in ("Old name", "Zqvuxley", None, "Zqvuxley"):
            message = c.RecordMessageArgs(role="user", content="Hi.", chat_id=GROUP, conversation_id=name)
            await relay.record_message(message)
            named.append(await tables.fetchval("select conversation from chats where chat_id = $1", GROUP))
            if name is None:
                assert (await forget(relay, topic="Zqvuxley", chat_id=GROUP)).traces_left == 0
        assert named[:3] == ["Old name", "Zqvuxley", "Zqvuxley"]
        assert await tables_with(tables, "Zqvuxley") == []


async def test_a_word_in_a_channels_name_is_only_offered_and_a_known_programs_name_is_not(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as tables:
        await said(client, "A word of code.", channel="code-zqvuxley", conversation_id="plan")
        await said(client, "A word to Claude.", channel="claude-code", conversation_id="plan")
        for topic, group in (("code", [False]), ("Claude", [])):
            preview = await client.forget(c.ForgetArgs(topic=topic))
            assert [match.ticked for match in preview.matches if match.kind == "summary"] == group
            await client.forget(c.ForgetArgs(topic=topic, confirm=preview.confirm))
        names = await tables.fetch("select distinct channel from messages order by 1")
        assert [row["channel"] for row in names] == ["claude-code", "code-zqvuxley"]
        done = await forget(client, (), topic="code zqvuxley")
        assert done.traces_left == 0
        assert await tables_with(tables, "zqvuxley") == []


async def test_a_message_whose_id_was_forgotten_is_recognized_when_it_is_sent_again(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as tables:
        sent = {"role": "user", "content": "I met Vuxley. Tea is fine.", "message_id": "vuxley.pdf"}
        message = c.RecordMessageArgs.model_validate(sent)
        first = await client.record_message(message)
        await said(client, "About it.", reply_to_message_id="vuxley.pdf")
        await forget(client, topic="Vuxley")
        again = await client.record_message(message)
        answer = {"role": "assistant", "content": "Vuxley is kind.", "exchange_of": "vuxley.pdf"}
        await client.record_message(c.RecordMessageArgs.model_validate(answer))
        await said(client, "More about it.", reply_to_message_id="vuxley.pdf")
        explained = await client.explain(c.ExplainArgs(message_id="vuxley.pdf"))
        assert (again.id, again.outcome, explained.text) == (first.id, "duplicate", "Tea is fine.")
        assert await tables_with(tables, "vuxley") == []
        replies = await tables.fetch("select thread_key from messages where content ilike '%about it.' order by id")
    assert len({row["thread_key"] for row in replies}) == 1


async def test_an_import_that_is_repeated_brings_back_no_forgotten_speaker_or_id(memory: Memory, clock: Clock) -> None:
    def talk(first: int) -> list[ImportMessage]:
        begin = clock() - timedelta(days=9)
        return [
            ImportMessage(
                "user", f"Lamp {n} is lit.", f"vuxley-{n}.txt", begin + timedelta(minutes=n), CHANNEL, "Dr Vuxley"
            )
            for n in range(first, first + 3)
        ]

    async with memory.client() as client, memory.tables() as tables:
        deps = (await memory.storage.services()).deps
        await Importer(deps, ChatScope(USER, USER)).add(talk(0))
        exported = talk(1)
        await forget(client, (), topic="Vuxley")
        await forget(client, (), topic=CHANNEL)
        clock.forward(hours=1)
        again = await Importer(deps, ChatScope(USER, USER)).add(exported)
        assert (again.created, again.duplicates) == (1, 2)
        assert await tables_with(tables, CHANNEL) == []
        rows = await tables.fetch("select speaker, ext_id from messages order by id")
    assert [row["speaker"] for row in rows] == [None] * 4
    assert [row["ext_id"] for row in rows[:3] if "vuxley" in row["ext_id"]] == []


async def test_an_import_leaves_out_a_forgotten_sentence_in_other_markup_and_punctuation(
    memory: Memory, clock: Clock
) -> None:
    begin = clock() - timedelta(days=9)
    again = "I met Vuxley", "I met **Vux**ley!", "> i met  vuxley...", "- I met `Vuxley`. Tea is fine."
    other = "I met Vuxley 3.5 times", "Did I meet Vuxley?"
    async with memory.client() as client:
        importer = Importer((await memory.storage.services()).deps, ChatScope(USER, USER))
        await said(client, "I met Vuxley. Tea is fine.", "I met Vuxley 35 times.")
        await forget(client, topic="Vuxley")
        clock.forward(hours=1)
        counts = [
            (await importer.add([ImportMessage("user", text, text, begin, "telegram")])).forgotten
            for text in (*again, *other)
        ]
    assert counts == [1] * len(again) + [0] * len(other)


async def test_what_is_forgotten_while_an_import_waits_to_write_is_not_written(memory: Memory, clock: Clock) -> None:
    begin = clock() - timedelta(days=9)
    read = [ImportMessage("user", f"Zqvuxley sings. Lamp {n} is lit.", str(n), begin, "telegram") for n in range(3)]
    async with memory.client() as client, memory.tables() as tables, memory.tables() as other:
        deps = (await memory.storage.services()).deps
        await said(client, "It rains.")
        await said(client, "Zqvuxley sings.", conversation_id="plan")
        clock.forward(hours=1)
        async with anyio.create_task_group() as tasks, tables.transaction():
            await tables.execute("select from chats where chat_id = $1 for update", USER)
            tasks.start_soon(Importer(deps, ChatScope(USER, USER)).add, read)
            await until_waiting(other, 1)
            done = await forget(client, literal="Zqvuxley sings")
        assert (done.erased["messages"], done.traces_left) == (1, 0)
        assert await tables_with(tables, "zqvuxley") == []
        assert await tables.fetchval("select count(*) from messages where content ilike 'lamp%'") == 3


async def test_a_forgotten_speaker_and_id_that_a_restored_backup_brings_back_are_erased_again(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.tables() as tables:
        await said(client, "The sky is blue.", message_id="zqvuxley.pdf", speaker="Dr Zqvuxley")
        former = await tables.fetchrow("select speaker, ext_id from messages")
        clock.forward(hours=1)
        await forget(client, literal="Zqvuxley")
        clock.forward(hours=1)
        await said(client, "It is blue again.", speaker="Dr Zqvuxley")
        assert former is not None
        await tables.execute("update messages set speaker = $1, ext_id = $2 where id = 1", *former)
        again = await (await memory.storage.services()).forgetter.forget_again(USER)
        rows = await tables.fetch("select content, speaker from messages order by id")
        assert await tables.fetchval("select ext_id from messages where id = 1") != "zqvuxley.pdf"
    assert again == 1
    assert [tuple(row) for row in rows] == [("The sky is blue.", None), ("It is blue again.", "Dr Zqvuxley")]
