"""A person copies any text out of their memory. `forget` finds the text, the person selects and erases it, and then no
table contains it."""

import random

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce_relay import views
from tellonce_relay.telegram.markdown import rendered
from tellonce_server.api.text import forgotten
from tellonce_server.core.scope import PROGRAMS
from tellonce_server.domain.erasure.redaction import strings
from tellonce_server.domain.erasure.text_places import PLACES
from tellonce_server.store import threads
from tellonce_sql import query
from tellonce_text.literal import Literal
from tests.depth import depth
from tests.memory_fixtures import USER, Clock, Memory, forget, tables_with
from tests.offline_worker import work_off

pytestmark = pytest.mark.anyio

WORDS: dict[str, list[str]] = {
    "English": "we walked to the old harbor with Dr. Vuxley, Jean-Luc and 73,500 gulls in May zed@foobarx.com COVID-19 it's".split(),
    "German": "Straße größer Müller übt am Flüßchen schön Scho\u0308n Äpfel 1.234,50 Haus-Nr. Ärger wäre süß".split(),
    "Russian": "мы жили в Москве у реки её дом ёлка Щукин 12-34-56 счёт привет бабушка".split(),
    "Arabic": "مَرْحَبًا بيت كبير في القاهرة ٠١٢٣ مدرسة كتاب قَلَم شمس".split(),
    "Hindi": "नमस्ते मेरा घर दिल्ली में है किताब १२३ पानी हिन्दी स्कूल".split(),
    "Japanese": "私は東京に 住んでいます。 カタカナ ｶﾀｶﾅ がぎぐ ｆｕｌｌ－ｗｉｄｔｈ１２ 猫 学校".split(),
    "Korean": "나는 서울에 살고 있습니다 고양이 학교 한국어 책 12월".split(),
    "Turkish": "İzmirlioğlu IĞDIR ışık İstanbul'da yaşıyor çiçek şeker öğretmen gün 90-216".split(),
}
SEED = 1
MARKS = ("**{}**", "[{}](https://x.org/a_(1))", "`{}`", "~~{}~~", "*{}*&nbsp;")
RENDERED = "select concat_ws(chr(10), strings_of(sections), query) as text from context_receipts"
"""Selects the stored contexts. They contain texts from the other tables, and titles and times that the server adds.
Every erasure deletes the stored contexts."""

COLUMNS = """
    select c.table_name as table, c.column_name as column, c.udt_name as type from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.udt_name in ('text', 'jsonb', '_text')"""
OF_THE_INSTALLATION = {
    "access_tokens", "calendar", "embedding_models", "schema_migration", "server_keys", "workers",
    "model_call_months", "dropped_items",
}  # fmt: skip
"""Tables that contain only counts, vectors, and names that the operator or the program has chosen."""
WITHOUT_WORDS = {
    "class", "dedup_key", "happens_precision", "intends", "kind", "lease_by", "model", "origin", "repeats",
    "role", "state", "status", "subject", "thread_key", "tier", "trace_id", "worker",
}  # fmt: skip
"""Columns whose values the program chooses: names of kinds and models, keys, numbers of other rows."""
ERASED_WITH_THE_TEXT = {
    ("text_versions", "value"): "numbers of former_lines",
    ("forget_previews", "hits"): "numbers of matches, without text",
    ("forget_previews", "id"): "a random token",
    ("context_receipts", "id"): "a random number",
    ("tombstones", "words"): "keyed hashes",
}
CANARY = "zqvuxley81"
JSON = {
    "quotes": f'[{{"message_id": 1, "text": "{CANARY}"}}]',
    "body": f'{{"facts": ["{CANARY}"]}}',
    "slot": f'{{"slot": "{CANARY}", "type": "text"}}',
}
PLANT = """
    update {table} set {column} = $1::text::{type} {also} where ctid = (
      select ctid from {table} t order by t::text like '%zqvuxley81%', {column} is null, ctid desc limit 1)"""
"""Writes the text into a column of one row, preferably a row without a planted text. If a row contained several planted
texts, the first erasure might delete the whole row. The test would then not notice that another column is not
cleaned."""
ALSO = {("chat_context_queue", "result"): ", state = 'ready_to_write'"}
"""Only a job with this state has a result."""


async def stored(memory: Memory, *, contexts: bool = True) -> list[str]:
    """Every line of every stored text, except for the marks of erased text."""
    await (await memory.storage.services()).receipts.written()
    async with memory.tables() as tables:
        rows = await tables.fetch(query("texts.find"), USER, None, ["%"], list(PLACES))
        texts = [text for row in rows for text in (*row["texts"], *strings(row["body"])) if text]
        texts += [row["text"] for row in await tables.fetch(RENDERED) if contexts]
    lines = (line for text in texts for line in text.split("\n"))
    return [line for line in lines if line and "[forgotten]" not in line and not line.startswith("forgotten:")]


async def said(client: MemoryClient, *texts: str, **fields: str) -> None:
    for text in texts:
        await client.record_message(c.RecordMessageArgs.model_validate({"role": "user", "content": text, **fields}))


async def live(client: MemoryClient, chance: random.Random, words: list[str], clock: Clock) -> None:
    """Fill a memory with messages that use all fields, an edit, reworded memories, a routine, and a question of the
    assistant for a value (a slot)."""

    def word() -> str:
        said = chance.choice(words)
        at = chance.randrange(len(said))
        return said[:at] + chance.choice(MARKS).format(said[at:]) if chance.random() < 0.2 else said

    def text() -> str:
        return " ".join(word() for _ in range(9)) + chance.choice(".!?") + " " + " ".join(word() for _ in range(6))

    for number in range(24):
        who = chance.choice(words)
        await said(client, text(), message_id=f"{who}_{number}.pdf", speaker=f"{who} {chance.choice(words)}")
        await client.record_message(c.RecordMessageArgs(role="assistant", content=text(), agent_id=f"{who}-agent"))
        clock.forward(minutes=1)
        if number % 8 == 0:
            await said(client, text(), message_id=f"{who}_{number}.pdf")
    await said(client, text(), conversation_id=" ".join(chance.choices(words, k=4)))
    session = " ".join(chance.choices(words, k=4))
    await said(client, *(text() for _ in range(24)), conversation_id="plan", message_thread_id=session)
    await said(client, text(), reply_to_message_id=f"{who}_{number}.pdf")
    routine = c.RecordMessageArgs(
        role="assistant", content=text(), routine=chance.choice(words), summary=" ".join(chance.choices(words, k=5))
    )
    await client.record_message(routine)
    asks = c.Expects(slot=chance.choice(words) + " wanted", type="text")
    await client.record_message(c.RecordMessageArgs(role="assistant", content=text() + "?", expects=asks))
    for _ in range(3):
        kept = await client.remember(c.RememberArgs(content=text(), kind="fact"))
        reworded = c.UpdateMemoryArgs(memory_id=kept.memory.id, action="edit", content=text())
        await client.update_memory(reworded)


async def test_a_text_in_any_column_that_may_hold_a_persons_words_is_found_and_in_no_table_after_an_erasure(
    memory: Memory, clock: Clock
) -> None:
    """The columns are read from the database's catalog. A new column must be searched and cleaned. The only exceptions
    are named above with a reason."""
    async with memory.client() as client, memory.agent() as agent, memory.tables() as tables:
        await live(client, random.Random(SEED), WORDS["English"], clock)
        for word in WORDS["German"]:
            await client.remember(c.RememberArgs(content=f"{word} is what the neighbor of {word[::-1]} sings"))
        clock.forward(hours=1)
        failed = (await agent.claim_work(w.ClaimWorkArgs(worker="test"))).jobs[0]
        call = w.ModelCall(model="one", tier="ollama", ok=False, note="no answer")
        await agent.fail_work(
            w.FailWorkArgs(job_id=failed.job_id, fence=failed.fence, reason="no answer", calls=(call,))
        )
        clock.forward(hours=1)
        await work_off(agent)
        await client.summarize_chat(c.SummarizeChatArgs(now=True))
        await work_off(agent)
        await client.get_context(c.GetContextArgs())
        await (await memory.storage.services()).receipts.written()
        columns = {(row["table"], row["column"]): row["type"] for row in await tables.fetch(COLUMNS)}
        known = {key for key in columns if key[0] in OF_THE_INSTALLATION or key[1] in WITHOUT_WORDS}
        planted = columns.keys() - known - ERASED_WITH_THE_TEXT.keys()
        for table, column in sorted(planted):
            kind = columns[table, column]
            value = {"text": CANARY, "_text": f"{{{CANARY}}}", "jsonb": JSON.get(column, f'["{CANARY}"]')}[kind]
            also = ALSO.get((table, column), "")
            status = await tables.execute(PLANT.format(table=table, column=column, type=kind, also=also), value)
            assert status == "UPDATE 1", f"the life above leaves no row in {table}"
        assert set(await tables_with(tables, CANARY)) == {table for table, _ in planted}
        done = await forget(client, topic=CANARY)
        assert done.traces_left == 0, done.left
        assert await tables_with(tables, CANARY) == []


@pytest.mark.parametrize("script", WORDS)
async def test_any_part_of_any_stored_text_is_found_erased_and_nowhere_any_more(
    memory: Memory, clock: Clock, script: str
) -> None:
    chance = random.Random(f"{script} {SEED}")
    async with memory.client() as client, memory.agent() as agent:
        await live(client, chance, WORDS[script], clock)
        await work_off(agent)
        await client.summarize_chat(c.SummarizeChatArgs(now=True))
        await work_off(agent)
        await client.get_context(c.GetContextArgs())
        for _ in range(depth(4, 8)):
            text = chance.choice(sorted(set(await stored(memory, contexts=False)) - PROGRAMS))
            text = chance.choice((text, rendered(text).text or text))
            start = chance.randrange(len(text))
            part = text[start : start + chance.randint(4, 24)]
            literal = Literal.of(part)
            if literal is None or len(literal.folded) < 3:
                continue
            done = await forget(client, (), literal=part)
            assert done.traces_left == 0, (part, done.left)
            assert [line for line in await stored(memory) if literal.spans(line)] == [], part
            await work_off(agent)
            # The summarizer can write the same text again with its own words and punctuation. Then no message contains
            # the text.
            assert {m.kind for m in (await client.forget(c.ForgetArgs(literal=part))).matches} <= {"summary"}, part


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("zed@foobarx.com", "My mail is zed@foobarx.com"),
        ("report_q3_final.pdf", "I sent you report_q3_final.pdf yesterday"),
        ("Dr. Vuxley", "Tomorrow I see Dr. Vuxley again"),
        ("Jean-Luc", "My boss is Jean Luc"),
        ("COVID-19", "I had COVID-19 twice"),
        ("May", "We marry in May"),
        ("दिल्ली", "मेरा घर दिल्ली में है"),
        ("izmirlioğlu", "My neighbor is İzmirlioğlu"),
        ("Schönbrunn", "We saw Scho\u0308nbrunn"),
        ("Vuxley", "I met Ｖｕｘｌｅｙ there"),
        ("85 000", "I earn 85,000 a year"),
        ("Vuxley", "I met Dr. **Vux**ley there"),
        ("Vuxley", "I met [Vux](https://x.org/p_(1))ley there"),
        ("Vuxley", "I met V&#117;xley there"),
    ],
)
async def test_what_is_said_by_name_is_forgotten_by_that_name(memory: Memory, topic: str, text: str) -> None:
    async with memory.client() as client:
        await said(client, text, "Tea is fine.")
        await client.remember(c.RememberArgs(content=text))
        done = await forget(client, topic=topic)
    assert (done.erased["memories"], done.erased["messages"], done.traces_left) == (1, 1, 0)
    left = await stored(memory)
    assert [line for line in left if text in line] == []
    assert "Tea is fine." in left


@pytest.mark.parametrize("field", ["speaker", "routine", "agent_id", "message_id", "summary"])
async def test_what_stands_beside_a_message_is_forgotten_and_its_text_stays(memory: Memory, field: str) -> None:
    fields = {"routine": "news", "summary": "Short."} if field in ("routine", "summary") else {}
    async with memory.client() as client:
        fields |= {"role": "assistant", field: "zed_vuxley.pdf"}
        await said(client, "The sky is blue.", **fields)
        done = await forget(client, topic="Vuxley")
    counted = "routine_summaries" if field == "summary" else "messages"
    assert (done.erased[counted], done.traces_left) == (1, 0)
    left = await stored(memory)
    assert "The sky is blue." in left
    assert "vuxley" not in " ".join(left).lower()


async def test_a_forgotten_name_of_a_conversation_goes_and_the_conversation_stays(memory: Memory) -> None:
    uuid = "7b0c1a52-90d1-4f5e-8a4c-0f1d2e3c4b5a"
    async with memory.client() as client:
        for name in ("Trip with Vuxley", "Vuxley's birthday", "Tax", uuid):
            await said(client, f"A word on this, {len(name)}.", conversation_id=name)
        preview = await client.forget(c.ForgetArgs(topic="Vuxley"))
        assert preview.would_erase == {"conversation_names": 2}
        assert preview.matches[0].others == {"conversation_names": 2}
        done = await forget(client, topic="Vuxley")
        assert (done.erased["conversation_names"], done.traces_left) == (2, 0)
        again = await client.record_message(
            c.RecordMessageArgs(role="user", content="One more.", conversation_id="Trip with Vuxley")
        )
        assert (await client.forget(c.ForgetArgs(literal="0f1d2e3c4b5a"))).matches == ()
    async with memory.tables() as tables:
        rows = await tables.fetch("select chat_id, conversation, last_id from chats where conversation is not null")
    names = {row["chat_id"]: row["conversation"] for row in rows}
    assert sorted(names.values(), key=len)[0] == "Tax"
    assert uuid in names.values()
    assert sum(name == f"forgotten:{chat}" for chat, name in names.items()) == 2
    (talk,) = [row["chat_id"] for row in rows if row["last_id"] == 2]
    assert again.thread_key == f"root:{talk}"


async def test_a_forgotten_name_of_a_session_goes_from_every_table_and_the_session_goes_on(
    memory: Memory, clock: Clock
) -> None:
    place = {"conversation_id": "home", "message_thread_id": "Vuxley: the plan"}
    async with memory.client() as client, memory.agent() as agent:
        for number in range(24):
            for role in ("user", "assistant"):
                exchange = {"role": role, "content": f"The answer is {number}.", **place}
                await client.record_message(c.RecordMessageArgs.model_validate(exchange))
            clock.forward(minutes=1)
            if number == 20:
                await client.summarize_chat(c.SummarizeChatArgs(now=True, **place))
                await work_off(agent)
        await said(client, "A file.", message_id="vuxley.pdf")
        await said(client, "About it.", reply_to_message_id="vuxley.pdf")
        await client.summarize_chat(c.SummarizeChatArgs(now=True, **place))
        preview = await client.forget(c.ForgetArgs(topic="Vuxley"))
        assert preview.would_erase == {"messages": 2, "conversation_names": 2}
        done = await forget(client, topic="Vuxley")
        assert (done.erased["conversation_names"], done.traces_left) == (2, 0)
        again = await client.record_message(c.RecordMessageArgs(role="user", content="One more.", **place))
        assert again.id == 49
        context = await client.get_context(c.GetContextArgs(query="The answer?", **place))
        assert context.thread_key == again.thread_key
        assert "The answer is 23." in (context.context or "")
        await work_off(agent)
        assert await threads.gaps((await memory.storage.services()).deps.database, USER) == []
    async with memory.tables() as tables:
        rows = await tables.fetch(
            "select thread_key, last_no from thread_state where thread_key ~ 'forgotten:[0-9a-f]{16}$'"
        )
        assert (again.thread_key, 49) in {(row["thread_key"], row["last_no"]) for row in rows}
        assert await tables_with(tables, "vuxley") == []


async def test_a_summary_written_afterwards_does_not_name_it_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for number in range(24):
            await said(client, f"We decided on vendor {number}. Tea is fine.", speaker="Zorblax")
            await said(client, f"Zorblax, the answer is {number}.")
            clock.forward(minutes=2)
        await client.summarize_chat(c.SummarizeChatArgs(now=True))
        await work_off(agent)
        await forget(client, topic="Zorblax")
        await client.summarize_chat(c.SummarizeChatArgs(now=True))
        await work_off(agent)
    assert "orblax" not in " ".join(await stored(memory))


async def test_matches_newer_than_the_preview_stay_and_are_reported(memory: Memory) -> None:
    async with memory.client() as client, memory.client() as other:
        await said(client, "My dog is Zorblax")
        preview = await client.forget(c.ForgetArgs(topic="Zorblax"))
        await said(other, "Zorblax barks a lot")
        done = await client.forget(c.ForgetArgs(topic="Zorblax", confirm=preview.confirm))
    assert (done.erased["messages"], done.traces_left) == (1, 1)
    assert [match.text for match in done.left] == ["Zorblax barks a lot"]
    assert done.notes[0] == "New or changed since the preview, so not erased: 1 match."


async def test_a_message_edited_after_the_preview_is_not_the_one_that_was_shown(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "My dog is Zorblax", message_id="7")
        preview = await client.forget(c.ForgetArgs(topic="Zorblax"))
        await said(client, "My cat is Zorblax", message_id="7")
        done = await client.forget(c.ForgetArgs(topic="Zorblax", confirm=preview.confirm))
    assert done.erased["messages"] == 0
    assert done.traces_left


async def test_previews_that_share_messages_are_all_confirmed_with_what_is_left_of_them(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "Zorblax barks. Quibble purrs. Tea is fine.", "Zorblax and Quibble play.")
        await said(client, "Zorblax runs. Quibble sleeps.", message_id="8")
        await said(client, "Quibble eats.", "Only Zorblax here.")
        topics = [c.ForgetArgs(topic=topic) for topic in ("Zorblax", "Quibble", "Quibble")]
        asked = [args.model_copy(update={"confirm": (await client.forget(args)).confirm}) for args in topics]
        await said(client, "Zorblax ran. Quibble slept.", message_id="8")
        done = [await client.forget(args) for args in (*asked, asked[1])]
        left = [line for line in await stored(memory) if "Quibble" in line or "Zorblax" in line]
    assert [each.erased["messages"] for each in done] == [3, 2, 0, 0]
    assert left == ["Zorblax ran. Quibble slept."]
    assert {each.traces_left for each in done} == {1}, "the message that was edited after the previews"


async def test_a_memory_that_was_erased_meanwhile_leaves_no_message_that_is_called_forgotten(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "We are by the sea now, in the white town.", message_id="7")
        kept = await client.remember(c.RememberArgs(content="The user lives in Zorblax", source_message_id="7"))
        by_number = c.ForgetArgs(memory_ids=(kept.memory.id,))
        async with memory.tables() as tables:
            quote = '[{"message_id": 1, "text": "We are by the sea now, in the white town."}]'
            await tables.execute("update memories set quotes = $1::text::jsonb", quote)
        preview = await client.forget(by_number)
        await forget(client, topic="Zorblax")
        done = await client.forget(by_number.model_copy(update={"confirm": preview.confirm}))
    assert [match.text for match in done.left] == ["We are by the sea now, in the white town."]
    assert (done.traces_left, done.erased["messages"]) == (1, 0)
    assert done.notes[0] == "New or changed since the preview, so not erased: 1 match."


async def test_another_subjects_sentence_goes_only_when_it_is_ticked(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "I live in Berlin", "My brother lives in Berlin")
        mine = await client.remember(c.RememberArgs(content="I live in Berlin"))
        preview = await client.forget(c.ForgetArgs(memory_ids=(mine.memory.id,)))
        await client.forget(c.ForgetArgs(memory_ids=(mine.memory.id,), confirm=preview.confirm))
        left = await stored(memory)
        again = await forget(client, (), topic="Berlin")
    ticks = {match.text: match.ticked for match in preview.matches if match.kind == "message"}
    assert ticks == {"I live in Berlin": True, "My brother lives in Berlin": False}
    assert "My brother lives in Berlin" in left
    assert "I live in Berlin" not in left
    assert again.traces_left == 0


async def test_other_forms_of_a_word_are_offered_and_stay_unless_they_are_picked(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "Rose is my aunt", "Prices rise every year", "She rises early", "A roseate sky")
        preview = await client.forget(c.ForgetArgs(topic="Rose"))
        await client.forget(c.ForgetArgs(topic="Rose", confirm=preview.confirm))
        left = await stored(memory)
        offered = await client.forget(c.ForgetArgs(topic="Rose"))
        nothing = await client.forget(c.ForgetArgs(topic="Rose", confirm=offered.confirm))
    ticks = {match.text: (match.match, match.ticked) for match in preview.matches}
    assert ticks["Rose is my aunt"] == ("exact", True)
    assert ticks["Prices rise every year"] == ("form", False)
    assert "Prices rise every year" in left
    assert "Rose is my aunt" not in left
    assert not any(match.ticked for match in offered.matches)
    assert nothing.erased["messages"] == 0
    assert nothing.notes[0] == "Nothing was erased: no match was ticked."


async def test_a_short_numbers_digits_in_a_row_of_numbers_are_only_offered(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "Count 1, 2, 3 and go", "My room is 123")
        preview = await client.forget(c.ForgetArgs(literal="123"))
    assert {m.text: (m.match, m.ticked) for m in preview.matches} == {
        "Count 1, 2, 3 and go": ("number", False),
        "My room is 123": ("exact", True),
    }


async def test_matches_are_kept_by_their_numbers(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "Zorblax one", "Zorblax two", "Zorblax three")
        done = await forget(client, (2,), topic="Zorblax")
    assert [line for line in await stored(memory) if "orblax" in line] == ["Zorblax two"]
    assert done.traces_left == 0


async def test_messages_are_forgotten_whole_by_their_numbers_and_nothing_beside_them(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "The first thing. It rains.", "The second thing.", "The third thing.")
        found = await client.search_memory(c.SearchMemoryArgs(query="first thing"))
        number = next(result.id for result in found.results if "first" in result.text)
        preview = await client.forget(c.ForgetArgs(message_ids=(number,)))
        await client.forget(c.ForgetArgs(message_ids=(number,), confirm=preview.confirm))
        beside = await client.forget(c.ForgetArgs(topic="second thing"))
    assert [match.text for match in preview.related] == ["The second thing.", "The third thing."]
    assert [match.text for match in beside.related] == ["The third thing."]
    left = await stored(memory)
    assert "The second thing." in left
    assert "It rains" not in " ".join(left)


@pytest.mark.parametrize("how", ["topic", "literal"])
async def test_a_line_copied_from_a_context_is_found_with_all_that_the_context_added(
    memory: Memory, clock: Clock, how: str
) -> None:
    """The lines of a context that are about Zorblax are copied and forgotten one by one."""
    async with memory.client() as client:
        await said(client, "We met Zorblax last Saturday in the harbor.", "Zorblax will call tomorrow, I hope (maybe).")
        await client.remember(c.RememberArgs(content="Lunch with Zorblax next Tuesday at 3pm by the sea"))
        clock.forward(days=1)
        await said(client, "It rains in the valley.")
        lines = ((await client.get_context(c.GetContextArgs(query="Zorblax"))).context or "").split("\n")
        shown = [line for line in lines if "Zorblax" in line and not line.startswith("User: ")]
        for line in shown:
            done = await forget(client, (), **{how: line})
            assert done.traces_left == 0
    assert len(shown) == 3
    assert [line for line in await stored(memory, contexts=False) if "Zorblax" in line] == []
    assert "It rains in the valley." in await stored(memory)


@pytest.mark.parametrize(
    ("word", "line", "kept"),
    [
        ("Zorblax.", "The user's dog is called Zorblax.", "The user lives in Oslo."),
        ("リスボン", "ユーザーはリスボンに住んでいます。", "ユーザーは猫が好きです。"),
    ],
)
async def test_a_message_of_one_word_takes_the_lines_that_repeat_it(
    memory: Memory, word: str, line: str, kept: str
) -> None:
    async with memory.client() as client, memory.tables() as tables:
        await said(client, word, "Yes.", "It rains in the valley.")
        await client.remember(c.RememberArgs(content=kept))
        text = f"{line}\n{kept}"
        await tables.execute("update user_profile set narrative = $1", text)
        await tables.execute(
            "insert into chat_metadata (owner_id, chat_id, epoch, general_summary, updated_at) values ($1, $1, 0, $2, now())",
            USER,
            text,
        )
        agreed = await forget(client, message_ids=(2,))
        assert line in await stored(memory), "a word that tells nothing takes no line"
        done = await forget(client, message_ids=(1,))
    left = await stored(memory)
    assert (agreed.traces_left, done.traces_left, done.erased["messages"]) == (0, 0, 1)
    assert [text for text in left if word.strip(".") in text] == []
    assert left.count(kept) == 3, "the memory, the profile and the summary"


async def test_a_stretch_of_time_is_forgotten_with_its_memories(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await said(client, "Before all that I liked chess.")
        clock.forward(days=2)
        since = clock()
        await said(client, "Then I kept bees for a while.")
        await client.remember(c.RememberArgs(content="I keep bees", kind="fact"))
        clock.forward(days=2)
        until = clock()
        clock.forward(days=2)
        await said(client, "Now I keep bees no more.")
        done = await forget(client, since=since, until=until)
    assert (done.erased["messages"], done.erased["memories"], done.traces_left) == (1, 1, 0)
    left = await stored(memory)
    assert "Before all that I liked chess." in left
    assert "Now I keep bees no more." in left
    assert "Then I kept bees for a while." not in left


async def test_what_rests_on_the_same_message_is_offered_beside_it(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "I moved to Oslo and I adopted a heron", message_id="7")
        for content in ("I moved to Oslo", "I adopted a heron"):
            await client.remember(c.RememberArgs(content=content, kind="fact", source_message_id="7"))
        preview = await client.forget(c.ForgetArgs(topic="heron"))
    assert [match.text for match in preview.related] == ["I moved to Oslo"]
    assert not any(match.ticked for match in preview.related)


async def test_a_related_text_is_not_called_another_form_of_the_words(memory: Memory) -> None:
    async with memory.client() as client:
        for text in ("I bought a harpsichord.", "Hi null."):
            await client.record_message(c.RecordMessageArgs(role="user", content=text))
        preview = await client.forget(c.ForgetArgs(topic="harpsichord"))
    (near,) = preview.related
    assert (near.text, near.match) == ("Hi null.", None)
    (line,) = [line for line in forgotten(preview).split("\n") if "Hi null." in line]
    assert "form" not in line
    assert "form" not in views.match_view(near, near.at)


async def test_a_preview_holds_numbers_and_no_text(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as tables:
        await said(client, "My dog is Zorblax")
        await client.forget(c.ForgetArgs(topic="Zorblax"))
        rows = await tables.fetch("select x::text as row from forget_previews x where owner_id = $1", USER)
    assert len(rows) == 1
    assert "orblax" not in rows[0]["row"]


async def test_an_old_token_and_a_number_that_was_not_shown_are_refused(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await said(client, "My dog is Zorblax")
        preview = await client.forget(c.ForgetArgs(topic="Zorblax"))
        confirm = c.ForgetArgs(topic="Zorblax", confirm=preview.confirm)
        with pytest.raises(Exception, match="no match 9 in that preview; it has 1 match"):
            await client.forget(confirm.model_copy(update={"except_": (9,)}))
        clock.forward(minutes=16)
        with pytest.raises(Exception, match="too old"):
            await client.forget(confirm)
    assert "My dog is Zorblax" in await stored(memory)


async def test_the_name_kept_beside_a_reworded_memory_is_found_and_erased(memory: Memory) -> None:
    async with memory.client() as client:
        kept = await client.remember(c.RememberArgs(content="My name is somebody else's now", kind="fact"))
        async with memory.tables() as tables:
            await tables.execute("update memories set user_name = 'Vasilisk'")
        done = await forget(client, literal="Vasilisk")
        assert (done.traces_left, done.erased["memory_quotes"]) == (0, 1)
        assert [line for line in await stored(memory) if "Vasilisk" in line] == []
        assert (await client.search_memory(c.SearchMemoryArgs(query="my name"))).results[0].text == kept.memory.content
