"""A context shows recent messages from other conversations with labels, but not archived ones."""

import pytest

from tellonce import contract as c
from tellonce_server.domain.context.budget import DEFAULT_TOTAL, elsewhere_share
from tests.memory_fixtures import USER, Clock, Memory, forget

pytestmark = pytest.mark.anyio

GROUP, PERSONAL, OTHER = -100, -200, 43
FRAME = 24
"""Tokens of the section's heading and fences."""


def said(text: str, **more: object) -> c.RecordMessageArgs:
    return c.RecordMessageArgs.model_validate({"role": "user", "content": text, "chat_id": USER, **more})


def asked(**more: object) -> c.GetContextArgs:
    return c.GetContextArgs.model_validate({"detail": "sections", "chat_id": USER, **more})


def section(context: c.Context, name: str) -> str:
    return next((s.text for s in context.sections or () if s.name == name), "")


async def test_a_reply_thread_and_the_main_talk_know_of_each_other_within_300_tokens(memory: Memory) -> None:
    async with memory.relay() as relay:
        for n, (role, text) in enumerate(
            [("user", "Shall we book Lisbon?"), ("assistant", "Lisbon on May 4"), ("user", "The hotel is Casa Azul")]
        ):
            await relay.record_message(said(text, role=role, message_id=str(n)))
        await relay.record_message(
            said("Make it May 6 then " + "please " * 200, message_id="7", reply_to_message_id="1")
        )
        await relay.record_message(
            said("May 6 it is", role="assistant", message_id="8", reply_to_message_id="7", exchange_of="7")
        )
        reply = await relay.get_context(asked(reply_to_message_id="8", query="And the hotel?"))
        main = await relay.get_context(asked(query="So when do we fly?"))
        plain = await relay.get_context(asked(query="So when do we fly?", detail="text"))
    assert reply.thread_key == "reply:42:1"
    assert "The hotel is Casa Azul" in section(reply, "elsewhere")
    assert "Casa Azul" not in section(reply, "history")
    assert "May 6 it is" in section(main, "elsewhere")
    assert "May 6" not in section(main, "history")
    assert "ELSEWHERE" in (plain.context or "")
    for context in (reply, main):
        assert (
            sum(s.tokens for s in context.sections or () if s.name == "elsewhere")
            <= elsewhere_share(DEFAULT_TOTAL) + FRAME
        )


async def test_the_newest_exchange_of_three_other_talks_of_the_last_day_is_shown_and_never_in_a_shared_group(
    memory: Memory, clock: Clock
) -> None:
    async with memory.relay() as relay, memory.client() as client:
        await client.record_message(said("Too long ago", chat_id=None, conversation_id="stale"))
        clock.forward(hours=25)
        for name in ("attic", "barn", "cellar", "den"):
            await client.record_message(said(f"Paint the {name}", chat_id=None, conversation_id=name, message_id="q"))
            await client.record_message(
                said(f"The {name} is painted", chat_id=None, role="assistant", conversation_id=name, exchange_of="q")
            )
            clock.forward(minutes=5)
        await relay.record_message(said("Good morning", message_id="1"))
        await relay.record_message(said("Zanzibar for two", chat_id=OTHER))
        bot = await relay.get_context(asked(query="As I told Claude?"))
        den = await client.get_context(asked(chat_id=None, conversation_id="den"))
        side = await client.get_context(asked(chat_id=None, conversation_id="den", message_thread_id="s2"))
        personal = await relay.get_context(asked(chat_id=PERSONAL))
        shared = await relay.get_context(asked(chat_id=GROUP, query="What did Ann paint?"))
    lines = section(bot, "elsewhere")
    assert [name for name in ("attic", "barn", "cellar", "den") if f"The {name} is painted" in lines] == [
        "barn",
        "cellar",
        "den",
    ]
    assert "[mcp, den | Feb 17," in lines
    assert "User: Paint the den · Assistant: The den is painted" in lines
    assert "Good morning" in section(den, "elsewhere")
    assert "The den is painted" not in section(den, "elsewhere")
    assert "The den is painted" in section(side, "elsewhere")
    assert "Good morning" in section(personal, "elsewhere")
    assert section(shared, "elsewhere") == ""
    assert "paint" not in "".join(s.text for s in shared.sections or ()).lower()
    for context in (bot, den, side, personal):
        text = "".join(s.text for s in context.sections or ())
        assert "Too long ago" not in text
        assert "Zanzibar" not in text


async def test_a_new_assistant_is_shown_the_newer_words_of_another_chat_beside_an_older_memory(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        talk = {"chat_id": None, "conversation_id": "talk"}
        await client.record_message(said("I bought a Brompton folding bike", **talk))
        await client.remember(c.RememberArgs(content="I bought a Brompton folding bike", conversation_id="talk"))
        clock.forward(days=30)
        await client.record_message(said("I sold the folding bike to a colleague", **talk))
        clock.forward(days=2)
        new = asked(chat_id=None, conversation_id="new", query="Which folding bike do I have?")
        context = await client.get_context(new)
    assert "I sold the folding bike to a colleague" in section(context, "relevant")
    assert "Brompton" in section(context, "memories")


async def test_an_exchange_whose_message_was_forgotten_is_not_shown(memory: Memory) -> None:
    async with memory.relay() as relay, memory.client() as client:
        await client.record_message(said("Gretl plays the viola", chat_id=None, conversation_id="c1", message_id="1"))
        answer = {"role": "assistant", "chat_id": None, "conversation_id": "c1", "exchange_of": "1"}
        await client.record_message(said("Nice, how lovely!", **answer))
        assert "how lovely" in section(await relay.get_context(asked(query="Hi")), "elsewhere")
        await forget(client, topic="Gretl")
        assert section(await relay.get_context(asked(query="Hi")), "elsewhere") == ""


async def test_nothing_recorded_after_the_message_being_answered_is_shown(memory: Memory) -> None:
    async with memory.relay() as relay, memory.client() as client:
        await relay.record_message(said("Which is the first?", message_id="1"))
        await relay.record_message(said("And the second zebra?", message_id="2"))
        await relay.record_message(said("And the third zebra?", message_id="3"))
        await relay.record_message(said("A zebra aside", message_id="4", reply_to_message_id="1"))
        await client.record_message(said("A zebra for Claude", chat_id=None))
        await relay.record_message(said("The first it is", role="assistant", message_id="5", exchange_of="1"))
        first, second = [
            await relay.get_context(asked(exclude_message_id=n, query="zebra?", detail="text")) for n in ("1", "2")
        ]
    assert "zebra" not in (first.context or "")
    assert "Which is the first?" in (second.context or "")
    assert "The first it is" in (second.context or ""), "the answer to what was asked before it"
    assert "third" not in (second.context or "")
    assert second.coverage.gap == 0


async def test_a_new_chat_has_no_history_and_search_finds_the_former_messages(memory: Memory, clock: Clock) -> None:
    async with memory.relay() as relay:
        for n in range(30):
            await relay.record_message(said(f"Rehearsal {n} of the quartet", message_id=str(n)))
        await relay.start_new_chat(c.StartNewChatArgs(chat_id=USER))
        before = await relay.get_context(asked(detail="text"))
        for n in range(30, 72):
            await relay.record_message(said(f"Planting {n} in the garden", message_id=str(n)))
        after = await relay.get_context(asked(detail="text"))
        found = await relay.search_memory(c.SearchMemoryArgs(query="rehearsal of the quartet", chat_id=USER))
        async with memory.tables() as tables:
            jobs = await tables.fetch(
                "select from_id, to_id from chat_context_queue where kind = 'chunk_summary' order by id"
            )
        back_then = await relay.get_context(asked(detail="text", as_of=clock().isoformat()))
    assert "Rehearsal" not in (before.context or "")
    assert "Rehearsal" not in (after.context or "")
    assert "Planting 71" in (after.context or "")
    assert any("Rehearsal" in r.text for r in found.results)
    assert (before.coverage.gap, after.coverage.gap) == (0, 0)
    assert [tuple(job) for job in jobs] == [(1, 15), (16, 30), (31, 50)], "no summary spans two talks"
    assert back_then.coverage.gap == 0


async def test_a_personal_group_knows_its_user(memory: Memory) -> None:
    async with memory.relay() as relay:
        await relay.record_message(said("Hello there", chat_id=PERSONAL))
        await relay.remember(c.RememberArgs(content="The user plays the cello", chat_id=USER))
        async with memory.tables() as tables:
            await tables.execute("update user_profile set narrative = 'A cellist of Bern' where owner_id = $1", USER)
        here = await relay.get_context(asked(chat_id=PERSONAL, detail="text"))
        shared = await relay.get_context(asked(chat_id=GROUP, detail="text"))
    assert "A cellist of Bern" in (here.context or "")
    assert "plays the cello" in (here.context or "")
    assert "cell" not in (shared.context or "")


async def test_a_question_is_answered_from_another_chat_if_this_chat_does_not_answer_it(
    memory: Memory, clock: Clock
) -> None:
    question = "Where is the Kawasaki motorbike parked?"
    parked = "The Kawasaki motorbike is parked in the cellar of Ann"
    async with memory.relay() as relay, memory.client() as client:
        await client.record_message(said(parked, chat_id=None, conversation_id="shop"))
        await client.record_message(said("And what comes next?", chat_id=None, conversation_id="shop"))
        await client.record_message(said(question, chat_id=None, conversation_id="attic"))
        await relay.record_message(said("Zanzibar is where the Kawasaki motorbike is parked", chat_id=OTHER))
        clock.forward(days=3)
        await relay.record_message(said("Good morning", message_id="1"))
        bot = await relay.get_context(asked(query=question))
        personal = await relay.get_context(asked(query=question, chat_id=PERSONAL))
        shared = await relay.get_context(asked(query=question, chat_id=GROUP))
        vague = await relay.get_context(asked(query="What should I do next?"))
        talk = await relay.get_context(asked(query="The Kawasaki motorbike is parked well."))
        receipt = await relay.explain(c.ExplainArgs(receipt_id=bot.receipt_id, chat_id=USER))
        await relay.record_message(said("The Kawasaki motorbike is parked at home now", message_id="2"))
        own = await relay.get_context(asked(query=question))
    line = f"[Feb 16, 3 days ago | 09:15 AM | in mcp, shop] User: {parked}"
    assert section(bot, "relevant").split("\n")[2:-1] == [line]
    assert line in section(personal, "relevant")
    assert all("Kawasaki" not in "".join(s.text for s in x.sections or ()) for x in (shared, vague, talk))
    assert "cellar" not in section(own, "relevant")
    assert [kind for kind in receipt.included if kind.startswith("relevant message in chat ")]


async def test_nothing_later_is_shown_beside_a_quoted_message_or_from_another_chat(
    memory: Memory, clock: Clock
) -> None:
    async with memory.relay() as relay, memory.client() as client:
        for n in range(1, 5):
            await relay.record_message(said(f"The red zebra number {n}", message_id=str(n)))
        await relay.record_message(said("Which blue zebra is it?", message_id="5", reply_to_message_id="4"))
        clock.forward(minutes=1)
        await relay.record_message(said("A later zebra", message_id="6"))
        await client.record_message(said("The later blue zebra is it", chat_id=None))
        context = await relay.get_context(
            asked(exclude_message_id="5", reply_to_message_id="4", query="Which blue zebra is it?", detail="text")
        )
        guest = await client.get_context(asked(exclude_message_id="5", query="Which blue zebra is it?", detail="text"))
        main = await relay.get_context(asked(exclude_message_id="5", query="Which blue zebra is it?", detail="text"))
    text = context.context or ""
    assert "Around it:" in text
    assert "later" not in text
    assert "The red zebra number 4" in (main.context or "")
    assert "later" not in (main.context or ""), "the message being answered is in another thread"
    assert "A later zebra" in (guest.context or ""), "the id is that of another channel"
    assert all(text.count(f"The red zebra number {n}") == 1 for n in range(1, 5)), "each message is shown once"


@pytest.mark.parametrize("budget", [130, 180, 300, 900, 4000])
async def test_a_talk_is_shown_with_its_words_or_not_at_all(memory: Memory, budget: int) -> None:
    async with memory.client() as client:
        for n in range(3):
            place = {"chat_id": None, "conversation_id": f"~/project-{n}"}
            await client.record_message(said("Move the invoices to a worker, please, " * 5, message_id="q", **place))
            await client.record_message(said("Done, see worker.py. " * 9, role="assistant", exchange_of="q", **place))
        here = {"chat_id": None, "conversation_id": "here", "token_budget": budget}
        told = section(await client.get_context(asked(include=("elsewhere", "memories"), **here)), "elsewhere")
    talks = [line for line in told.splitlines() if line.startswith("[")]
    assert all("User: Move the" in line and "Assistant: Done" in line for line in talks), told
    assert (len(talks) == 3) is (budget >= 300), told
    assert bool(talks) == bool(told), "a title is shown only above a talk"


async def test_a_conversations_reply_threads_are_no_other_talks_of_the_user(memory: Memory) -> None:
    def place(**more: object) -> dict[str, object]:
        return {"chat_id": None, "conversation_id": "shop", **more}

    async with memory.client() as client:
        for number, reply_to in (("1", None), ("2", None), ("3", "1")):
            at = {"message_id": number, "reply_to_message_id": reply_to}
            await client.record_message(said(f"Paint wall number {number}", **place(**at)))
            await client.record_message(
                said(f"Wall {number} is painted", role="assistant", **place(exchange_of=number))
            )
        main = await client.get_context(asked(**place(query="Hello!")))
        reply = await client.get_context(asked(**place(query="Hello!", reply_to_message_id="3")))
    for context, beside in ((main, "Paint wall number 3"), (reply, "Paint wall number 2")):
        assert beside in section(context, "elsewhere")
        assert "other talks" not in section(context, "elsewhere")
        assert "".join(part.text for part in context.sections or ()).count(beside) == 1


async def test_a_message_of_another_talk_is_shown_once_though_the_other_talk_first_has_no_room(memory: Memory) -> None:
    shop = {"chat_id": None, "conversation_id": "shop"}
    words = ("Two checkout tests fail since the update.", "I fixed the rounding; one still fails.")
    async with memory.client() as client:
        await client.record_message(said(words[0], message_id="1", **shop))
        await client.record_message(said(words[1], role="assistant", exchange_of="1", **shop))
        question = {"query": "Which checkout tests fail since the update?", "chat_id": None, "conversation_id": "new"}
        contexts = [await client.get_context(asked(token_budget=budget, **question)) for budget in (500, 700, 4300)]
    for context in contexts:
        text = "".join(part.text for part in context.sections or ())
        assert [text.count(part) for part in words] == [1, 1]


async def test_a_question_of_only_a_time_is_answered_from_all_chats(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.record_message(said("Good morning", chat_id=None, conversation_id="new"))
        await client.record_message(said("The valve is cracked", chat_id=None, conversation_id="talk"))
        clock.forward(days=2)
        query = "What did I tell you two days ago?"
        context = await client.get_context(asked(chat_id=None, conversation_id="new", query=query))
    assert "The valve is cracked" in section(context, "relevant")
