"""Scores answers about a message that the person corrected right afterwards, in words that do not name the subject. Such a
correction must be quoted before the corrected message. An unrelated message at the same place should not be quoted."""

import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.follow_ups import follow_up
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.prompt import Prompt
from tests.local_model import embed, with_local_model
from tests.memory_fixtures import USER, Clock
from tests.relay.running_relay import relaying, until_recorded

TABLE: dict[str, list[dict[str, str]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PAIRS = [pair for both in zip(TABLE["correction"], TABLE["unrelated"], strict=True) for pair in both]


AT = datetime(2026, 2, 16, 9, 15, tzinfo=UTC)
KEPT = phrase("offline.kept")


async def said(client: MemoryClient, text: str, at: datetime) -> None:
    """Record a message and the bot's acknowledgement."""
    user = c.RecordMessageArgs(role="user", content=text, sent_at=at, chat_id=USER)
    await client.record_message(user)
    kept = {"role": "assistant", "content": KEPT, "sent_at": at + timedelta(seconds=2)}
    await client.record_message(user.model_copy(update=kept))


async def answered(client: MemoryClient, question: str, at: datetime) -> str:
    incoming = Incoming(text=question, chat_id=USER, message_id="9", sent_at=at, channel="telegram")
    return "".join([str(piece) async for piece in OfflineResponder().answer(Prompt((), ""), incoming, client)])


def is_corrected(answer: str, pair: dict[str, str]) -> bool:
    """Whether the answer quotes both messages, the newer one first."""
    return 0 <= answer.find(pair["then"].rstrip(".!")) < answer.find(pair["told"])


@pytest.mark.model
@pytest.mark.anyio
async def test_most_corrections_are_quoted_before_the_corrected_message_and_few_unrelated_messages_are_quoted(
    settings: ServerSettings, clock: Clock
) -> None:
    async with with_local_model(settings, clock) as memory, memory.relay() as client:
        for hours, pair in enumerate(reversed(PAIRS), 1):
            at = clock() - timedelta(hours=hours)
            await said(client, pair["told"], at)
            await said(client, pair["then"], at + timedelta(seconds=20))
        await embed(memory)
        answers = {pair["told"]: await answered(client, pair["question"], clock()) for pair in PAIRS}
    missed = [p["told"] for p in TABLE["correction"] if not is_corrected(answers[p["told"]], p)]
    added = [p["told"] for p in TABLE["unrelated"] if p["then"] in answers[p["told"]]]
    assert len(missed) <= 11, {one: answers[one] for one in missed}
    assert len(added) <= 13, {one: answers[one] for one in added}


CONVERSATION = (
    "My salary is 2,850 euros net",
    "The dentist appointment is on Friday at 14:30",
    "no, sorry, on Thursday at 15:00",
    "I have a Vespa scooter",
    "no, I sold it",
    "buy milk",
    "my shoe size is 38",
    "oops, 39 not 38",
    "I live at 14 Rue Mercière",
    "I moved again: now 3 Place Bellecour",
)


@pytest.mark.model
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("when is the dentist?", (2, 1)),
        ("do I have a scooter?", (4, 3)),
        ("what's my shoe size?", (7, 6)),
        ("where do I live?", (9, 8)),
    ],
)
async def test_in_a_conversation_a_correction_comes_first_and_nothing_else_is_quoted(
    settings: ServerSettings, clock: Clock, question: str, quoted: Sequence[int]
) -> None:
    async with with_local_model(settings, clock) as memory, relaying(memory, clock=clock) as api:
        api.world.clock = clock
        for count, text in enumerate(CONVERSATION, 1):
            clock.forward(seconds=5)
            await api.ask(text, replies=count)
            await until_recorded(memory, api.sent[-1])
        await embed(memory)
        shown = await api.ask(question, replies=len(CONVERSATION) + 1)
    lines = shown[-1].splitlines()
    assert [CONVERSATION[one] in line for one, line in zip(quoted, lines, strict=True)] == [True, True]


def message(id: int, text: str, score: float, role: str = "user", **changes: Any) -> c.SearchResult:
    known = {"speaker": None, "thread_key": "root:1", "age": "now", "chat_id": 1, "sources": ()} | changes
    at = AT + timedelta(seconds=id)
    return c.SearchResult.model_validate(
        {"id": id, "kind": "message", "text": text, "role": role, "at": at, "score": score, **known}
    )


TOLD = message(1, "The vet is on Friday", 5)


def about_told(*later: c.SearchResult) -> c.SearchResult | None:
    return follow_up(TOLD, later, lambda text: not text.endswith("?"))


@pytest.mark.parametrize(
    "between",
    [
        message(3, "buy milk", -1),
        message(3, "when is the vet?", 3),
        message(3, "You told me on Feb 16: “The vet is on Friday”", 3, "assistant"),
        message(3, "no, on Monday", 2, speaker="Ben"),
        message(3, "no, on Monday " + "and Tuesday " * 5, 2),
        message(3, "[photo]", 2),
    ],
)
def test_what_follows_another_message_is_not_about_the_first(between: c.SearchResult) -> None:
    kept, correction = message(2, KEPT, 0, "assistant"), message(4, "no, on Thursday", 1)
    assert about_told(correction, kept) == correction
    assert about_told(correction, between, kept) is None


def test_a_message_in_another_thread_is_not_between() -> None:
    kept, correction = message(2, KEPT, 0, "assistant"), message(4, "no, on Thursday", 1)
    assert about_told(correction, message(3, "buy milk", -1, thread_key="root:2"), kept) == correction


def test_without_an_acknowledgement_nothing_shows_what_is_unrelated() -> None:
    assert about_told(message(2, "no, on Thursday", 1)) is None
