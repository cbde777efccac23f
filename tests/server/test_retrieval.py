"""Search in a real memory: scope, words in any script, time, routines, former wordings and statuses of memories, and
pages of results."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused
from tellonce.settings import ContextDefaults, ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.domain.retrieval import candidates, scored_results, signals
from tellonce_server.domain.retrieval.prompt_selection import choose
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import Result, SearchRequest
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.embedding.protocol import EmbeddingUnavailable, NoEmbedder, Vector
from tellonce_server.store.codes import ModelVector, code
from tests.memory_fixtures import USER, Clock, Memory, opened

pytestmark = pytest.mark.anyio

ZONE = ZoneInfo("Asia/Singapore")


class Axes(NoEmbedder):
    """An embedder with short lists of words. Two texts are similar if they contain words of the same list."""

    model = MODEL
    mean: Vector = (0.0,) * 384
    ready = True
    subjects = (("puppy", "dog", "animal"), ("sea", "swim", "beach"), ("salary", "promotion", "boss"))

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        self.asked += texts
        return [self._vector(text.lower()) for text in texts]

    def _vector(self, text: str) -> Vector:
        axes = [float(any(word in text for word in words)) for words in self.subjects]
        return [*(axes if any(axes) else (0.1, 0.1, 0.1)), *[0.01] * 381]


class Rough(Axes):
    """An embedder with misleading codes. A code is the signs of a vector. The code of a similar text is far from the
    question's code. The code of a different text is near the question's code."""

    def _vector(self, text: str) -> Vector:
        few, most = {"asked": (1.0, 1.0), "like": (1.0, -1.0), "unlike": (-1.0, 1.0)}.get(text, (-1.0, -1.0))
        return [*[few] * 10, *[most * 0.01] * 374]


class Away(Axes):
    """An embedder that is ready but fails when it is called."""

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        raise EmbeddingUnavailable("away")


async def say(client: MemoryClient, *texts: str, **more: object) -> list[int]:
    return [
        (await client.record_message(c.RecordMessageArgs.model_validate({"role": "user", "content": text, **more}))).id
        for text in texts
    ]


async def found(client: MemoryClient, query: str, **more: object) -> list[str]:
    args = c.SearchMemoryArgs.model_validate({"query": query, "kinds": ("message",), **more})
    return [result.text for result in (await client.search_memory(args)).results]


def request(query: str, now: datetime, **more: object) -> SearchRequest:
    base: dict[str, object] = {
        "owner_id": USER,
        "chat_id": USER,
        "thread_key": None,
        "zone": ZONE,
        "kinds": ("message",),
    }
    return SearchRequest(query=query, now=now, **(base | more))  # fields by name


async def embed_all(memory: Memory, embedder: Axes) -> None:
    async with memory.tables() as tables:
        for row in await tables.fetch("select owner_id, chat_id, id, content from messages"):
            [vector] = await embedder.embed([row["content"]], urgent=False)
            await tables.execute(
                "update messages set embedding = $4, ebits = $5 where owner_id = $1 and chat_id = $2 and id = $3",
                *(
                    row["owner_id"],
                    row["chat_id"],
                    row["id"],
                    ModelVector(vector, embedder.model),
                    code(vector, embedder.mean),
                ),
            )


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("We swam with turtles in Oman", "swimming turtle"),
        ("我昨天去了北京大学", "北京"),
        ("東京タワーに行った", "東京タワー"),
        ("Переехала в Тбилиси осенью", "Тбилиси"),
        ("Dinner with Zoë at the café", "zoe cafe"),
        ("the flat/house question is settled", "house"),
        ("Wir ziehen im Frühling nach Köln", "Frühling Köln"),
        ("Meine Schwester übt jeden Tag Geige", "ubt Geige"),
        ("明日は歯医者に行きます", "歯医者"),
        ("내일 병원에 갑니다", "병원"),
    ],
)
async def test_words_are_found_in_any_form_and_script(memory: Memory, told: str, asked: str) -> None:
    async with memory.client() as client:
        await say(client, "Good morning to you", told, "Nothing else to tell")
        assert (await found(client, asked))[0] == told


async def test_a_search_without_any_word_of_meaning_finds_nothing_and_does_not_fail(memory: Memory) -> None:
    async with memory.client() as client:
        await say(client, "I like tea")
        for query in ("the", "?!", "'; drop table messages; --", "a & b | !c", "\\'"):
            assert await found(client, query) == [], query


async def test_a_search_of_an_empty_chat_is_empty(memory: Memory) -> None:
    async with memory.client() as client:
        assert await found(client, "anything yesterday") == []


async def test_thread_scope_cuts_out_the_thread_before_ranking(memory: Memory) -> None:
    async with memory.client() as client:
        await say(client, "the budget is 400", message_thread_id=7)
        await say(client, *(f"the budget of plan {n} is 900" for n in range(9)))
        texts = await found(client, "budget", where="thread", message_thread_id=7)
    assert texts == ["the budget is 400"]


async def test_all_scope_reaches_every_chat_of_the_owner_and_no_other_owners(memory: Memory) -> None:
    async with memory.relay() as client:
        await say(client, "Zorblax in private", chat_id=42)
        await say(client, "Zorblax in my own group", chat_id=-200)
        await say(client, "Zorblax in a shared group", chat_id=-100)
        await say(client, "Zorblax of somebody else", chat_id=43)
        texts = await found(client, "Zorblax", chat_id=42, where="all")
        here = await found(client, "Zorblax", chat_id=42)
    assert set(texts) == {"Zorblax in private", "Zorblax in my own group"}
    assert here == ["Zorblax in private"]


async def test_since_and_until_are_filters(memory: Memory, clock: Clock) -> None:
    start = clock.at - timedelta(days=5)
    async with memory.client() as client:
        for day in range(5):
            await say(client, f"tea on day {day}", sent_at=(start + timedelta(days=day)).isoformat())
        texts = await found(client, "tea", since=start + timedelta(days=1), until=start + timedelta(days=3))
    assert set(texts) == {"tea on day 1", "tea on day 2"}


async def test_a_span_of_time_without_words_has_all_its_messages_and_with_words_only_theirs(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        for text in ("I bought tea", "I sold a boat"):
            await say(client, text, sent_at=clock.at.isoformat())
        span = {"since": clock.at - timedelta(hours=1), "until": clock.at + timedelta(hours=1)}
        assert set(await found(client, ".", **span)) == {"I bought tea", "I sold a boat"}
        assert await found(client, "boat", **span) == ["I sold a boat"]
        assert await found(client, ".", since=clock.at + timedelta(hours=1)) == await found(client, ".") == []


async def test_a_time_in_the_query_brings_up_what_was_said_then(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        for text in ("We talked of cheese", "We talked of wine", "We talked of bread"):
            await say(client, text, sent_at=clock.at.isoformat())
            clock.forward(days=1)
        clock.forward(days=-1, hours=3)
        assert (await found(client, "What did we talk of yesterday?"))[0] == "We talked of wine"
        assert (await found(client, "What did we say on 16 February?"))[0] == "We talked of cheese"


async def test_time_without_any_matching_word_still_finds(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "Bought a kite", sent_at=(clock.at - timedelta(days=1)).isoformat())
        await say(client, "Mended the roof", sent_at=(clock.at - timedelta(days=40)).isoformat())
        assert (await found(client, "What happened yesterday?"))[0] == "Bought a kite"


async def test_of_a_busy_month_whoever_is_named_is_found_though_others_said_more_since(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await say(client, "Mended the roof", speaker="Amy", sent_at=clock.at.isoformat())
        await say(client, *["Quiet here"] * 140, speaker="Ben", sent_at=(clock.at + timedelta(days=1)).isoformat())
        clock.forward(days=60)
        assert (await found(client, "What did Amy do in February?"))[0] == "Mended the roof"


async def test_what_is_said_of_a_month_after_its_end_is_found_too(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "Good morning", sent_at=clock.at.isoformat())
        await say(client, "Last month the roof fell in", sent_at=(clock.at + timedelta(days=35)).isoformat())
        clock.forward(days=60)
        assert (await found(client, "What happened in February?"))[0] == "Last month the roof fell in"


async def said_on_days(client: MemoryClient, first: datetime, *texts: str) -> None:
    """Record one message on each day, beginning with `first`."""
    for day, text in enumerate(texts):
        await say(client, text, sent_at=(first + timedelta(days=day)).isoformat())


@pytest.mark.parametrize(
    "query",
    ["what happened last week", "last week", "Was war letzte Woche?", "What did I tell you last week?"],
)
async def test_the_words_of_a_time_do_not_match_and_what_was_said_then_is_first(
    memory: Memory, clock: Clock, query: str
) -> None:
    async with memory.client() as client:
        await say(client, "My last day at work is next week", sent_at=(clock.at - timedelta(days=30)).isoformat())
        await said_on_days(client, clock.at - timedelta(days=6), "I sold the boat", "The oven broke")
        await say(client, "At last the rain ends, the week is saved", sent_at=clock.at.isoformat())
        clock.forward(hours=1)
        assert set((await found(client, query))[:2]) == {"I sold the boat", "The oven broke"}
        assert set(await found(client, "last week")) == {"I sold the boat", "The oven broke"}


async def test_what_was_said_on_a_day_comes_before_what_has_the_numbers_and_words_of_the_day(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        then = datetime(2025, 10, 26, 9, tzinfo=ZONE)
        await say(client, "It costs 2025 dollars, 26 of them today", "I say October is lovely")
        await say(client, "The offer is accepted", sent_at=then.isoformat())
        await say(client, "The trip is on October 26", sent_at=(then - timedelta(days=90)).isoformat())
        for query in ("What did I say on 26 October 2025?", "Was sagte ich am 26. Oktober?"):
            texts = await found(client, query)
            assert set(texts[:2]) == {"The offer is accepted", "The trip is on October 26"}, query


async def test_within_the_time_named_the_subject_decides(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "The kitchen will be green", sent_at=(clock.at - timedelta(days=40)).isoformat())
        yesterday = clock.at - timedelta(days=1)
        await say(client, "The kitchen will be yellow", "The car is sold", sent_at=yesterday.isoformat())
        texts = await found(client, "What did we decide about the kitchen yesterday?")
    assert texts[0] == "The kitchen will be yellow"


async def test_what_is_due_in_a_coming_time_is_found_though_it_was_said_before_and_in_other_words(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        due = clock.at + timedelta(days=7)
        await say(client, "What do I have to buy?", "We have to talk next time")
        await say(client, f"The dentist sees me on {due:%B %-d}")
        await client.remember(c.RememberArgs(content="Renew the passport", kind="goal", deadline=due))
        messages = await found(client, "What do I have to do next week?")
        memories = await found(client, "What do I have to do next week?", kinds=("goal",))
    assert messages[0] == f"The dentist sees me on {due:%B %-d}"
    assert memories == ["Renew the passport"]


async def test_a_time_in_a_thread_is_searched_in_this_thread(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        yesterday = (clock.at - timedelta(days=1)).isoformat()
        await say(client, "The sail is torn", message_thread_id=7, sent_at=yesterday)
        await say(client, "The oven broke", sent_at=yesterday)
        texts = await found(client, "What did I say yesterday?", where="thread", message_thread_id=7)
    assert texts == ["The sail is torn"]


async def test_another_assistant_is_told_what_was_said_on_a_day(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        then = clock.at - timedelta(days=20)
        await say(client, "I accepted the offer", sent_at=then.isoformat())
        await say(client, "I told you that I tell jokes", sent_at=(then - timedelta(days=9)).isoformat())
        asked = c.GetContextArgs(query=f"What did I tell you on {then:%B %-d}?", conversation_id="elsewhere")
        context = (await client.get_context(asked)).context or ""
    assert "I accepted the offer" in context
    assert "tell jokes" not in context


async def test_an_old_talk_is_read_from_its_own_end(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "The roof was mended", sent_at=(clock.at - timedelta(days=40)).isoformat())
        await say(client, "The roof leaks", sent_at=(clock.at - timedelta(days=9)).isoformat())
        clock.forward(days=700)
        assert (await found(client, "What about the roof last month?"))[0] == "The roof was mended"


async def test_the_speaker_named_comes_first_and_the_name_itself_is_no_match(memory: Memory) -> None:
    async with memory.client() as client:
        await say(client, "Amy, do you like it? Amy, tell me!", "I like jazz", speaker="Ben")
        await say(client, "I like opera", "Hello", speaker="Amy")
        assert (await found(client, "What does Amy like?"))[0] == "I like opera"


async def test_the_answer_beside_a_matching_question_is_found_though_it_shares_no_word(memory: Memory) -> None:
    async with memory.client() as client:
        await say(client, *(f"Filler number {n} about nothing" for n in range(30)))
        await say(client, "What is your favourite instrument?", "The cello, always.")
        await say(client, *(f"More filler {n} about nothing" for n in range(30)))
        assert "The cello, always." in (await found(client, "favourite instrument"))[:2]


async def test_a_message_is_found_by_the_memory_learned_from_it(memory: Memory) -> None:
    told, other = "I gave up meat in May. How do I mend the gate?", "I painted the gate."
    learned = c.QuotedStatement(content="The user became a vegetarian in May", quote="I gave up meat in May")

    async with memory.client() as client:
        await say(client, told, other)
        before = await found(client, "vegetarian gate", kinds=None)
        await client.remember(c.RememberArgs(statements=(learned,)))
        after = await found(client, "vegetarian gate", kinds=None)
    assert before.index(other) < before.index(told)
    assert after.index(told) < after.index(other)


async def test_answers_that_quote_the_user_never_outrank_the_message_and_do_not_fill_a_context(memory: Memory) -> None:
    told = "My cat is called Miso and she is black"
    quote = f"You told me on Feb 16: “{told}”"
    async with memory.client() as client:
        at = "2026-01-16T09:00:00Z"
        await say(client, told, sent_at=at)
        for _ in range(25):
            await say(client, "What is my cat called?", sent_at=at)
            await say(client, quote, role="assistant", sent_at=at)
        assert (await found(client, "What is my cat called?", limit=20))[0] == told
        await say(client, *(f"Number {number} rings a bell" for number in range(40)))
        args = c.GetContextArgs(query="What is my cat called?", include=("relevant",), token_budget=1_000)
        context = (await client.get_context(args)).context or ""
        assert told in context
        assert context.count("Miso") <= 2


async def test_a_long_reply_is_cut_to_the_sentences_that_answer_with_the_whole_at_hand(
    memory: Memory, clock: Clock
) -> None:
    dull = " ".join(f"This is sentence number {n} of the talk, and it says little." for n in range(80))
    async with memory.client() as client:
        await say(client, f"{dull} The hydration should be seventy percent. {dull}", role="assistant")
    retriever = Retriever((await memory.storage.services()).deps.database, NoEmbedder())
    page = await retriever.search(request("What hydration did you suggest?", clock.at))
    assert "hydration should be seventy percent" in page.results[0].text
    assert len(page.results[0].text) < 1000 < len(page.results[0].full_text)


@pytest.mark.parametrize("summary", ["Markets and weather.", None])
async def test_a_detail_of_a_routine_is_found_in_its_full_text(
    memory: Memory, clock: Clock, summary: str | None
) -> None:
    async with memory.client() as client:
        briefing = "Good morning. " + "Markets were calm. " * 90 + "The forecast says thunder at noon. Have a good day."
        await say(client, briefing, role="assistant", routine="morning-summary", summary=summary)
        await say(client, *(f"chat {n}" for n in range(12)))
        context = await client.get_context(c.GetContextArgs(query="What was the weather forecast in today's briefing?"))
    history, _, relevant = (context.context or "").partition("RELEVANT CONTEXT")
    shown = next(line for line in history.splitlines() if "morning-summary" in line)
    assert shown.endswith(summary or f"{briefing[:300]}…")
    assert "thunder at noon" in relevant


@pytest.mark.parametrize("summary", ["Markets and weather.", None])
async def test_what_is_said_about_a_routine_finds_its_full_text(memory: Memory, summary: str | None) -> None:
    async with memory.client() as client:
        briefing = "Good morning. " + "Markets were calm. " * 90 + "The forecast says thunder at noon. Have a good day."
        await say(client, briefing, role="assistant", routine="morning-summary", summary=summary)
        context = await client.get_context(c.GetContextArgs(query="The forecast of thunder at noon was wrong."))
    assert "thunder at noon" in (context.context or "").partition("RELEVANT CONTEXT")[2]


async def test_a_superseded_memory_is_found_only_by_who_asks_how_it_was(memory: Memory) -> None:
    async with memory.client() as client:
        singapore = (await client.remember(c.RememberArgs(content="I live in Singapore"))).memory
        assert singapore is not None
        await client.remember(c.RememberArgs(content="I live in Lisbon", replaces=(singapore.id,)))
        now = await client.search_memory(c.SearchMemoryArgs(query="Where do I live?", kinds=("fact",)))
        before = await client.search_memory(c.SearchMemoryArgs(query="Where did I live before?", kinds=("fact",)))
        old = await client.search_memory(c.SearchMemoryArgs(query="How old is where I live?", kinds=("fact",)))
    assert [r.text for r in now.results] == [r.text for r in old.results] == ["I live in Lisbon"]
    assert [(r.text, r.status) for r in before.results] == [
        ("I live in Singapore", "superseded"),
        ("I live in Lisbon", None),
    ]


async def test_pages_join_to_the_whole_without_gap_or_double_though_more_is_said_meanwhile(memory: Memory) -> None:
    async with memory.client() as client:
        ids = await say(client, *(f"tea number {n}" for n in range(23)))
        seen: list[int] = []
        cursor: str | None = None
        while True:
            page = await client.search_memory(
                c.SearchMemoryArgs(query="tea", kinds=("message",), limit=5, cursor=cursor)
            )
            seen += [result.id for result in page.results]
            await say(client, "tea tea tea, said meanwhile")
            if (cursor := page.next_cursor) is None:
                break
    assert sorted(seen) == ids


async def test_a_cursor_of_another_query_is_refused_with_what_to_do(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, *(f"tea number {n}" for n in range(9)))
        page = await client.search_memory(c.SearchMemoryArgs(query="tea", limit=2))
        with pytest.raises(MemoryRefused, match="same query"):
            await client.search_memory(c.SearchMemoryArgs(query="coffee", limit=2, cursor=page.next_cursor))
        of_a_day = c.SearchMemoryArgs(query="tea", limit=2, since=clock() - timedelta(days=1), cursor=page.next_cursor)
        with pytest.raises(MemoryRefused, match="same query"):
            await client.search_memory(of_a_day)


async def test_meaning_finds_what_shares_no_word(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "We bought bread", "Our puppy is called Rex", "I got a promotion", "The sea was cold")
    embedder = Axes()
    await embed_all(memory, embedder)
    page = await Retriever((await memory.storage.services()).deps.database, embedder).search(
        request("Is there a dog?", clock.at)
    )
    assert page.results[0].full_text == "Our puppy is called Rex"
    assert page.results[0].cosine == pytest.approx(1.0, abs=0.01)


async def test_what_is_near_is_found_though_the_codes_of_many_others_are_nearer(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "like", *["apart"] * 3, *["unlike"] * 170)
    embedder = Rough()
    await embed_all(memory, embedder)
    page = await Retriever((await memory.storage.services()).deps.database, embedder).search(request("asked", clock.at))
    assert page.results[0].full_text == "like"


async def test_the_vector_of_a_query_is_that_of_its_words_without_names(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "hello", speaker="Amy")
    embedder = Axes()
    await Retriever((await memory.storage.services()).deps.database, embedder).search(request("Amy's dog?", clock.at))
    # The complete question was embedded before the names of the speakers were known.
    assert embedder.asked == ["Amy's dog?", "dog?"]


async def test_what_has_no_embedding_yet_is_found_beside_what_has(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "Our puppy is called Rex")
        embedder = Axes()
        await embed_all(memory, embedder)
        await say(client, "the dog next door barks")
    page = await Retriever((await memory.storage.services()).deps.database, embedder).search(request("dog", clock.at))
    assert {hit.full_text for hit in page.results} == {"Our puppy is called Rex", "the dog next door barks"}


async def test_a_message_just_recorded_is_first_for_its_own_word_though_others_are_near_in_meaning(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await say(client, "My puppy likes me", "I saw a puppy, I like it", *(f"The boss speaks, {n}" for n in range(9)))
        embedder = Axes()
        await embed_all(memory, embedder)
        await say(client, "A quokka came by")
    page = await Retriever((await memory.storage.services()).deps.database, embedder).search(
        request("Which animal is a quokka?", clock.at)
    )
    assert page.results[0].full_text == "A quokka came by"


async def test_without_its_embedder_a_search_loses_only_the_meaning(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "Our puppy is called Rex")
    page = await Retriever((await memory.storage.services()).deps.database, Away()).search(request("puppy", clock.at))
    assert [hit.full_text for hit in page.results] == ["Our puppy is called Rex"]


async def test_numbers_below_a_bound_are_all_that_is_seen(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        ids = await say(client, *(f"tea number {n}" for n in range(6)))
    page = await Retriever((await memory.storage.services()).deps.database, NoEmbedder()).search(
        request("tea", clock.at, before_id=ids[3])
    )
    assert sorted(hit.id for hit in page.results) == ids[:3]


async def test_a_prompt_recalls_this_thread_and_another_only_when_this_one_is_silent(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await say(client, "The venue is the old mill", message_thread_id=7)
        await say(client, "The caterer is Anton", "The venue needs a deposit")
    retriever = Retriever((await memory.storage.services()).deps.database, NoEmbedder())
    ask = request("What about the venue?", clock.at, thread_key="root:42", kinds=None)
    here = await _for_prompt(retriever, ask)
    mill = request("old mill?", clock.at, thread_key="root:42", kinds=None)
    other = await _for_prompt(retriever, mill)
    assert _texts(here)[0] == "The venue needs a deposit"
    assert "The venue is the old mill" not in _texts(here)
    assert _texts(other)[0] == "The venue is the old mill"


@pytest.mark.parametrize("messages", [2, 5])
async def test_a_context_recalls_as_many_messages_as_the_settings_say(
    settings: ServerSettings, clock: Clock, messages: int
) -> None:
    limited = settings.model_copy(update={"context": ContextDefaults(messages=messages)})
    async with opened(Storage(limited, clock)) as memory, memory.client() as client:
        await say(client, *(f"Tea number {n} was good" for n in range(8)), message_thread_id=7)
        seen = await client.get_context(c.GetContextArgs(query="Tea was good.", include=("relevant",)))
    assert (seen.context or "").count("Tea number") == messages


def _texts(hits: Sequence[Result]) -> list[str]:
    return [hit.full_text for hit in hits]


async def recalled(memory: Memory, query: str, as_of: datetime) -> list[str]:
    """Return the texts of the search results that a context shows for the query at the time `as_of`."""
    retriever = Retriever((await memory.storage.services()).deps.database, NoEmbedder())
    ask = request(query, as_of, kinds=None, as_of=as_of)
    return _texts(await _for_prompt(retriever, ask))


async def _for_prompt(retriever: Retriever, ask: SearchRequest) -> list[Result]:
    ranked = await retriever.recalled(ask)
    return await retriever.with_texts(ask, choose(ranked, ask.query, ask.thread_key, frozenset(), ContextDefaults()))


async def test_as_of_a_time_memories_are_those_believed_then(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I live in Singapore"))
        clock.forward(days=10)
        then = clock.at
        clock.forward(days=10)
        await client.remember(c.RememberArgs(content="I live in Lisbon"))
        context = await client.get_context(
            c.GetContextArgs(query="Where do I live?", as_of=then, include=("relevant",))
        )
    assert await recalled(memory, "Where do I live?", then) == ["I live in Singapore"]
    assert "Singapore" in (context.context or "")
    assert "superseded" not in (context.context or "")


async def test_as_of_a_time_a_memory_edited_since_says_what_it_said(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        stored = await client.remember(c.RememberArgs(content="The offsite is in Turin"))
        clock.forward(days=1)
        then = clock.at
        clock.forward(days=1)
        await client.update_memory(
            c.UpdateMemoryArgs(memory_id=stored.memory.id, action="edit", content="The offsite is in Milan")
        )
    assert await recalled(memory, "Where is the offsite?", then) == ["The offsite is in Turin"]
    assert await recalled(memory, "Where is the offsite?", clock.at) == ["The offsite is in Milan"]


async def test_as_of_a_time_a_guess_refused_since_was_not_believed(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        stored = await client.remember(c.RememberArgs(content="I collect stamps"))
        async with memory.tables() as tables:
            await tables.execute("update memories set status = 'uncertain', confidence = 0.4")
        clock.forward(days=1)
        then = clock.at
        clock.forward(days=1)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=stored.memory.id, action="reject"))
    assert await recalled(memory, "Do I collect stamps?", then) == []


async def test_as_of_a_time_a_message_edited_since_says_what_it_said_and_a_later_one_is_not_there(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await say(client, "The offsite is on March 15", message_id="m1")
        clock.forward(days=1)
        then = clock.at
        clock.forward(days=1)
        await say(client, "The offsite is on March 22", message_id="m1")
        await say(client, "The offsite needs a bus")
    assert await recalled(memory, "When is the offsite?", then) == ["The offsite is on March 15"]
    assert set(await recalled(memory, "When is the offsite?", clock.at + timedelta(minutes=1))) == {
        "The offsite is on March 22",
        "The offsite needs a bus",
    }


SUMMARISED = """
insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id,
  from_at, to_at, count, text, body, tokens, provisional, model, created_at, updated_at, tsv)
select owner_id, chat_id, 1, 'chunk', thread_key, 0, 1, thread_no, id, id, sent_at, sent_at, thread_no, $1, '{}', 9, false,
  'test', $2, $3, to_tsvector('chatmem', $1) || array_to_tsvector(array['@o' || owner_id, '@c' || chat_id])
from messages
"""


async def test_as_of_a_time_a_summary_is_recalled_only_as_it_stood(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await say(client, "Hello there")
    made, remade = clock.at + timedelta(days=2), clock.at + timedelta(days=4)
    async with memory.tables() as tables:
        await tables.execute(SUMMARISED, "They planned a regatta", made, made)
    assert await recalled(memory, "What about the regatta?", made - timedelta(days=1)) == []
    assert await recalled(memory, "What about the regatta?", made + timedelta(days=1)) == ["They planned a regatta"]
    async with memory.tables() as tables:
        await tables.execute("update conversation_summaries set updated_at = $1", remade)
    assert await recalled(memory, "What about the regatta?", made + timedelta(days=1)) == []
    assert await recalled(memory, "What about the regatta?", remade) == ["They planned a regatta"]


async def test_every_line_recalled_has_its_date_messages_memories_and_summaries_alike(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await say(client, "We sail the regatta in the old boat")
        async with memory.tables() as tables:
            await tables.execute(SUMMARISED, "They planned a regatta", clock.at, clock.at)
        await client.remember(c.RememberArgs(content="The regatta starts at Sorrento"))
        clock.forward(days=40)
        await say(client, *(f"Small talk number {n}, and more of it" for n in range(25)))
        context = await client.get_context(c.GetContextArgs(query="What about the regatta?", include=("relevant",)))
    lines = [line for line in (context.context or "").splitlines() if "regatta" in line]
    assert len(lines) == 3
    assert all(line.startswith("[") and "Feb 16" in line.split("]")[0] for line in lines)


async def test_scores_are_the_same_whenever_the_same_is_asked(memory: Memory) -> None:
    async with memory.client() as client:
        await say(client, *(f"tea and {word}" for word in ("milk", "lemon", "honey", "mint")))
        args = c.SearchMemoryArgs(query="tea with honey")
        first, second = await client.search_memory(args), await client.search_memory(args)
    assert first == second
    assert [r.score for r in first.results] == sorted((r.score for r in first.results), reverse=True)
    assert first.results[0].at.tzinfo is not None
    assert first.results[0].at.astimezone(UTC).year == 2026


async def test_a_question_of_many_words_has_the_same_results_however_its_words_are_read(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = c.SearchMemoryArgs(query="Which green boat did Ann paint with Tom in the harbour last spring?", limit=40)
    words = "green boat Ann paint Tom harbour spring lamp".split()
    async with memory.client() as client:
        for number in range(60):
            said = f"We saw the {words[number % 8]} and then the {words[number * 5 % 7]} of house {number}."
            await client.record_message(c.RecordMessageArgs(role="user", content=said))
        at_once = await client.search_memory(asked)
        monkeypatch.setattr(candidates, "SMALL", 0)
        assert await client.search_memory(asked) == at_once
    assert len(at_once.results) == 40


async def test_only_the_beginning_of_a_long_memory_is_searched_for_times(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []

    def mentions(text: str, *more: Any) -> bool:
        lengths.append(len(text))
        return signals.mentions(text, *more)

    monkeypatch.setattr(scored_results, "mentions", mentions)
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="Anna went on 4 July 2025 " + "and last week on Tuesday " * 1500))
        assert await found(client, "Where did Anna go on 4 July 2025?", kinds=("fact",))
    assert lengths == [600]
