"""A note that may contradict an earlier shown note is shown too, whichever of the two is read first."""

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tests.hand_worker import item, read
from tests.local_model import with_local_model
from tests.memory_fixtures import Clock

pytestmark = pytest.mark.anyio

BOUGHT = "I bought a Brompton bike, dark blue."
SOLD = "I sold the Brompton bike to a colleague."
OTHER = "The soup was too salty yesterday."


async def hear(client: MemoryClient, agent: MemoryClient, clock: Clock, text: str, *, day: int, shown: bool) -> None:
    """The user said the text on this day, and a worker now keeps it as a note."""
    said_at = clock().replace(day=day)
    await client.record_message(c.RecordMessageArgs(role="user", content=text, sent_at=said_at))
    await client.record_message(c.RecordMessageArgs(role="assistant", content="I see.", sent_at=said_at))
    await read(agent, lambda work: [item(work, text, note=True, shown=shown)], "keep")


@pytest.mark.parametrize("newest_first", [False, True])
async def test_a_later_sentence_on_the_subject_of_a_shown_note_is_shown(
    settings: ServerSettings, clock: Clock, newest_first: bool
) -> None:
    heard = [(BOUGHT, 2, True), (SOLD, 9, False), (OTHER, 12, False)]
    async with with_local_model(settings, clock) as memory, memory.client() as client, memory.agent() as agent:
        for text, day, shown in heard[::-1] if newest_first else heard:
            await hear(client, agent, clock, text, day=day, shown=shown)
        known = await client.get_profile(c.GetProfileArgs())
    assert [fact.content for fact in known.facts] == [SOLD, BOUGHT]
    assert known.only_searched == 1


async def test_an_earlier_sentence_on_the_subject_stays_for_search_only(settings: ServerSettings, clock: Clock) -> None:
    async with with_local_model(settings, clock) as memory, memory.client() as client, memory.agent() as agent:
        await hear(client, agent, clock, BOUGHT, day=2, shown=False)
        await hear(client, agent, clock, SOLD, day=9, shown=True)
        known = await client.get_profile(c.GetProfileArgs())
    assert [fact.content for fact in known.facts] == [SOLD]
