"""Scores answers without a model. They must quote the sentence that answers the question, and must quote a current state
before a former state."""

import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.prompt import Prompt
from tests.local_model import embed, with_local_model
from tests.memory_fixtures import USER, Clock, Memory

TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


async def recorded(memory: Memory, client: MemoryClient, clock: Clock) -> None:
    """Record the table's messages, each with an answer, and give all of them their vectors."""
    for one in TABLE["message"]:
        at = clock() - timedelta(days=one["days"])
        said = c.RecordMessageArgs(role="user", content=one["text"], sent_at=at, chat_id=USER)
        await client.record_message(said)
        kept = {"role": "assistant", "content": phrase("offline.kept"), "sent_at": at + timedelta(seconds=2)}
        await client.record_message(said.model_copy(update=kept))
    await embed(memory)


def is_right(answer: str, question: dict[str, Any]) -> bool:
    current, former = answer.find(question["answer"]), answer.find(question.get("older", "\0"))
    return current >= 0 and (former < 0 or current < former)


@pytest.mark.model
@pytest.mark.anyio
async def test_most_questions_are_answered_and_by_what_is_so_now(settings: ServerSettings, clock: Clock) -> None:
    async with with_local_model(settings, clock) as memory, memory.relay() as client:
        await recorded(memory, client, clock)
        wrong: dict[str, str] = {}
        for question in TABLE["question"]:
            asked = Incoming(text=question["text"], chat_id=USER, message_id="9", sent_at=clock(), channel="telegram")
            pieces = [str(piece) async for piece in OfflineResponder().answer(Prompt((), ""), asked, client)]
            if not is_right("".join(pieces), question):
                wrong[question["text"]] = "".join(pieces)
    assert len(wrong) <= 3, wrong
