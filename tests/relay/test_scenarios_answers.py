"""Scenarios with a demanding person: long answers, bursts of messages, albums, and what the person sees of a stopped
answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_llm.model import Answer
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.telegram import attachment_reader, chat_surface
from tellonce_relay.updates.open_turn import OpenTurn
from tests.memory_fixtures import Memory
from tests.relay.running_relay import USER, Echo, Failing, Scripted, relaying, texts, until_recorded
from tests.stubs.telegram_emulator import Refuse, Telegram, telegram
from tests.stubs.telegram_emulator.world import units

pytestmark = pytest.mark.anyio

SOURCE = "\n".join(f"    copy('/home/mara/folder-{n}', '/mnt/nas/backup-{n}')" for n in range(28))
GUIDE = (
    "\n\n".join(f"Step {n}: choose what you want to keep, and count the disks that you own today." for n in range(48))
    + f"\n\n```python\n{SOURCE}\n```\n\n"
    + "\n".join(f"{n}. Check the copy of folder number {n} before you trust it with anything." for n in range(1, 61))
)
"""A guide of about ten thousand characters. Its code block begins in the first message and ends in the second."""


@pytest.fixture(autouse=True)
def _drafts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)
    monkeypatch.setattr(OpenTurn, "hold", lambda *_: 0.3)
    monkeypatch.setattr(attachment_reader, "PAUSE", 0.01)


def code_of(message: dict[str, object]) -> str:
    units_of = str(message["text"]).encode("utf-16-le")
    marks = [mark for mark in message.get("entities", []) if mark["type"] == "pre"]  # type: ignore[attr-defined]
    return "\n".join(units_of[2 * m["offset"] : 2 * (m["offset"] + m["length"])].decode("utf-16-le") for m in marks)


async def test_a_guide_with_code_across_two_messages_is_whole_in_each_and_one_answer(memory: Memory) -> None:
    halves = [GUIDE + "\n\n[REM", "EMBER: Mara backs up to a NAS]"]
    pieces = [GUIDE[at : at + 400] for at in range(0, len(GUIDE), 400)] + ["\n\n[REM", halves[1]]
    responder = Scripted(list(pieces), "ok")
    async with relaying(memory, responder) as api, memory.client() as client:
        await api.say("Write me the complete backup guide with the script")
        await api.until(lambda: len(api.sent) >= 4)  # the answer (three messages) and the new memory
        parts = api.sent[:3]
        await until_recorded(memory, parts[0])
        drafts = [str(call.arguments.get("text", "")) for call in api.calls if "Draft" in call.method]
        await api.say("/why", reply_to=parts[0]["message_id"])
        await api.say("/why", reply_to=parts[1]["message_id"])
        await api.say("/why", reply_to=parts[2]["message_id"], until=lambda: len(api.sent) >= 7)
        explained = texts(api)[-3:]
        await api.say("Thanks, that is all", until=lambda: len(responder.prompts) == 2)
        stored = await client.explain(c.ExplainArgs(message_id=str(parts[0]["message_id"])))
    assert all(units(part["text"]) <= 4096 for part in parts)
    assert "\n".join(code_of(part) for part in parts).strip("\n") == SOURCE, "no line of code is cut or unmarked"
    assert " ".join(" ".join(part["text"] for part in parts).split()) == " ".join(
        GUIDE.replace("```python\n", "").replace("```", "").split()
    )
    assert not [text for text in (*drafts, *texts(api)) if "[REM" in text]
    assert stored.text == GUIDE
    assert len(set(explained)) == 1
    assert responder.prompts[1].text.count("Step 7: choose") == 1


async def test_a_text_without_blanks_arrives_whole_and_refused_marks_go_plain(memory: Memory) -> None:
    rockets = "So:" + "🚀👩‍🚀" * 1050
    broken = "**bold** _not closed [link](http://x\n\na_b_c < d & e"
    responder = Scripted(rockets, broken)
    async with relaying(memory, responder) as api, memory.client() as client:
        await api.say("Give me 2,100 rockets")
        count = -(-units(rockets) // 4096)
        await api.replies(count)
        await until_recorded(memory, api.sent[0])
        api.faults["sendMessage"] = [Refuse(400, "Bad Request: can't parse entities: unsupported start tag")]
        await api.ask("Show me a broken table", replies=count + 1)
        await until_recorded(memory, api.sent[count])
        kept = [
            (await client.explain(c.ExplainArgs(message_id=str(api.sent[at]["message_id"])))).text for at in (0, count)
        ]
    assert "".join(texts(api)[:count]) == rockets
    assert len(api.sent) == count + 1
    assert "a_b_c < d & e" in texts(api)[count]
    assert kept == [rockets, broken]


async def test_a_pasted_contract_that_a_kill_cuts_is_one_question(memory: Memory, tmp_path: Path) -> None:
    first = ("The notice period is eleven weeks. " * 200)[:4090] + "Clause"
    second = " 14 says that the Lessee shall paint. " + ("The Lessee shall pay. " * 200)[: 4096 - 38]
    third = "The end. What is the notice period in this contract?"
    assert [units(first), units(second)] == [4096, 4096]
    gate = asyncio.Event()
    responder = Echo(gate)
    async with telegram() as api:
        api.world.pace = 0
        async with relaying(
            memory, Echo(asyncio.Event()), api=api, state=tmp_path, own={"breath_seconds": 10}, killed=True
        ):
            await api.say(first)
            await api.say(second)
            await api.all_fetched()
        await api.say(third)
        async with relaying(memory, responder, api=api, state=tmp_path, own={"breath_seconds": 10}):
            await api.all_fetched()
            gate.set()
            await api.replies(1)
            await api.until(lambda: "contract?" in texts(api)[-1])
    assert "Clause 14 says that the Lessee" in responder.prompts[-1].message
    assert responder.prompts[-1].message.endswith(third)
    assert " ".join(texts(api)).count("re The notice") == 1


@pytest.mark.parametrize(("failures", "seen"), [(2, 4), (0, 3)])
async def test_an_album_and_a_text_are_one_question_even_if_a_picture_fails(
    memory: Memory, failures: int, seen: int
) -> None:
    gate, flaw = asyncio.Event(), Refuse(500, "Internal Server Error")
    responder = Scripted([gate, "The third one"])
    responder.kinds = frozenset(("image",))
    async with telegram() as api:
        api.world.pace = 0
        api.faults["getFile"] = [None, None, None, *[flaw] * failures]
        async with relaying(memory, responder, api=api, own={"breath_seconds": 10}), memory.client() as client:
            numbers = await api.album("", "Which of these flats has the balcony?", "", "")
            if seen == 3:
                del api.world.files[api.world.messages[USER, numbers[-1]]["photo"][0]["file_id"]]
            await api.say("the rent must be below 1200")
            await api.all_fetched()
            gate.set()
            await api.until(lambda: "The third one" in texts(api))
            await until_recorded(memory, api.sent[-1])
            found = (await client.search_memory(c.SearchMemoryArgs(query="rent below 1200"))).results
            window = (await client.get_context(c.GetContextArgs(include=("history",)))).context or ""
    assert len(responder.prompts[-1].files) == seen
    assert responder.prompts[-1].message.count("balcony") == 1
    assert "below 1200" in responder.prompts[-1].message
    assert texts(api) == ([phrase("senses.not_fetched")] if seen == 3 else []) + ["The third one"]
    assert window.count("User: ") == 5
    assert any("below 1200" in result.text for result in found)


class Story(Scripted):
    """A responder that answers short questions at once. If a question asks for details, the responder only begins an
    answer. It records that this answer was cancelled."""

    def __init__(self) -> None:
        super().__init__("")
        self.closed: list[str] = []

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        self.prompts.append(prompt)
        if "detail" not in incoming.text:
            yield f"re {incoming.text}"
            return
        try:
            yield "Lisbon was founded long ago. [REMEMBER: Mara loves Lis"
            await asyncio.Event().wait()
        finally:
            self.closed.append(incoming.text)


async def test_stop_ends_one_persons_answer_closes_the_model_and_leaves_the_others(memory: Memory) -> None:
    responder = Story()
    async with relaying(memory, responder) as api, memory.client() as client:
        await api.say("Tell me the history of Lisbon in detail")
        await api.say("The same in detail for me", user=43, until=lambda: len(api.world.drafts) == 2)
        await api.ask("/stop", replies=2)
        await api.ask("And Porto, in one sentence?", replies=3)
        assert responder.closed == ["Tell me the history of Lisbon in detail"], "the other answer goes on"
        await api.ask("/stop", user=43, replies=5)
        window = (await client.get_context(c.GetContextArgs(include=("history",)))).context or ""
        known = await client.get_profile(c.GetProfileArgs())
    shown = [message["text"] for message in api.sent if message["chat"]["id"] == 42]
    assert shown == ["Lisbon was founded long ago.", phrase("turn.stopped"), "re And Porto, in one sentence?"]
    assert "Lisbon was founded long ago. … [the user stopped this answer here]" in window
    assert not (*known.facts, *known.pins, *known.uncertain)


async def test_a_stopped_question_is_not_answered_later_not_even_after_a_restart(
    memory: Memory, tmp_path: Path
) -> None:
    responder = Failing(always="busy")
    async with telegram() as api:
        async with relaying(memory, responder, api=api, state=tmp_path), memory.client() as client:
            await api.ask("What do I need for Porto?", replies=1)
            await api.ask("/stop", replies=2)
            responder.always = None
            window = (await client.get_context(c.GetContextArgs(include=("history",)))).context or ""
        async with relaying(memory, responder, api=api, state=tmp_path):
            await api.ask("Are you there?", replies=3)
    assert texts(api)[1:] == [phrase("turn.dropped", question="What do I need for Porto?"), "re Are you there?"]
    assert "What do I need for Porto?" in window


async def test_stop_with_nothing_to_stop_is_one_sentence(memory: Memory, api: Telegram) -> None:
    async with relaying(memory, Echo(), api=api):
        assert await api.ask("/stop", replies=1) == [phrase("turn.nothing_to_stop")]
