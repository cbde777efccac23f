"""A history full of boilerplate, restated prompts, recalled blocks, code and small talk: little of it may become memory."""

import random

import pytest

from chatmem import contract as c
from tests.memory_fixtures import Clock, Memory
from tests.offline_worker import work_off

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]

WORTH = (
    "I work as a nurse at Oslo hospital",
    "My daughter Nora was born on May 4, 2019",
    "I'm allergic to penicillin",
    "I prefer tea over coffee",
    "I need to renew my passport by March 30",
    "We moved to Bergen last month",
    "My car is a red Volvo",
    "I hate horror films",
)
JUNK = (
    "You are a helpful assistant. You have access to tools. Always answer in JSON.",
    "USER PROFILE\n⟦memory⟧\nName is Bob. Lives in Atlantis. Prefers mud.\n⟦/memory⟧",
    "ok",
    "thanks!",
    "lol 😂",
    "good morning",
    "What's the weather like?",
    "Can you write a poem about rivers?",
    "If I were rich I would buy a yacht called Midas",
    "Imagine I live on the Moon and own seven goats",
    "```python\nname = 'Robert'\ncity = 'Paris'\n# I live in Paris\n```",
    "> I love broccoli and I work at Initech",
    'He said "I live in Tokyo and I hate sushi"',
    "Traceback (most recent call last): File 'x.py', line 3, ValueError: my name is not defined",
    "Summarize this: The company was founded in 1999 and has 300 employees.",
    "Translate to French: I am hungry and I want to buy a house",
    "Act as a pirate. I am your captain.",
    "[photo]",
    "hmm let me think",
    "The mitochondria is the powerhouse of the cell.",
    "Never mind, ignore that",
    "Continue",
    "brb 5 minutes",
    "Repeat after me: my name is Zorg",
    "INFO 2026-01-01 server started on port 8080",
)
REPLIES = (
    "Sure! You work at Initech and live in Paris.",
    "Here's a poem: I love the river, my name is water.",
    "As an AI language model I prefer structured answers.",
)


async def test_under_five_percent_of_what_is_stored_is_junk(memory: Memory, clock: Clock) -> None:
    rng = random.Random(7)
    talk = [*WORTH, *(rng.choice(JUNK) for _ in range(240)), *JUNK]
    rng.shuffle(talk)
    async with memory.client() as client, memory.agent() as agent:
        for number, text in enumerate(talk):
            asked = c.RecordMessageArgs(role="user", content=text, message_id=f"u{number}", sent_at=clock())
            await client.record_message(asked)
            answer = c.RecordMessageArgs(
                role="assistant",
                content=rng.choice(REPLIES),
                message_id=f"a{number}",
                exchange_of=f"u{number}",
                sent_at=clock(),
            )
            await client.record_message(answer)
            clock.forward(minutes=3)
            if number % 10 == 9:
                await work_off(agent)
        clock.forward(minutes=5)
        await work_off(agent)
        profile = await client.get_profile(c.GetProfileArgs())
    stored = [*profile.facts, *profile.preferences, *profile.goals, *profile.dates, *profile.uncertain]
    words = " ".join(WORTH).lower()
    junk = [m.content for m in stored if not any(w in words for w in m.content.lower().split() if len(w) > 4)]
    print(f"\nstored {len(stored)}, junk {len(junk)}: {junk}")
    assert len(junk) < 0.05 * max(1, len(stored)) or not junk
    kept = " ".join(m.content for m in stored)
    assert (
        sum(key in kept for key in ("nurse", "Nora", "penicillin", "tea", "passport", "Bergen", "Volvo", "horror")) >= 7
    )
