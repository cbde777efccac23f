"""Prints eleven contexts of one invented month, so that a person can judge them.

In this month, a person chats with a bot (also in a topic and with a reply), gets the bot's routines, imports a history
and uses a second assistant. The benchmark uses the real server, the real summarizer without a language model, and a
simulated clock. The file `docs/CONTEXT.md` contains the output:

    python -m benchmarks.contexts [--model FOLDER] > docs/CONTEXT.md
"""

import argparse
import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from benchmarks.learning.harness import chain_of, drain
from benchmarks.memory import FIRST_USER, open_memory
from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.import_messages import Importer, ImportMessage
from tests.memory_fixtures import Clock, Memory

ZONE = ZoneInfo("Asia/Singapore")
BEGIN = datetime(2026, 10, 20, 9, 0, tzinfo=ZONE)
BUDGET = 700
LARGE = 6_000
TOPIC = 7

SAID = """\
0|I'm Mira, I live in Singapore and work as a structural engineer.|Nice to meet you, Mira!
0|I'm allergic to peanuts, and always answer me in short sentences please.|Noted. Short it is.
1|My sister Ann moved to Graz last week, she plays the viola there.|Lovely, Graz has a good orchestra.
2|What could I cook for six people on Friday?|A vegetable lasagne and a big salad. It can be prepared the day before.
3|The dentist is on 24 November at 3pm.|I'll keep it in mind.
5|I started bouldering yesterday, my arms are jelly.|Rest them for two days.
8|Swimming on Sundays is still my favourite, two kilometres.|That is a good distance.
11|I bought a tandem with Jo, we fell twice.|Ouch! It gets easier.
14|We decided to paint the hall sage green.|A calm colour.
17|My daily walk to the office takes 40 minutes now, since we moved to Tiong Bahru.|Enough for a podcast.
21|Ann plays in Vienna on 12 December and I want to be there.|Shall we look at flights?
24|The hall is painted, and it looks wonderful.|Congratulations!
27|I sprained my ankle when bouldering, so no sports for two weeks.|Get well soon. Keep it up high.
"""

ASKED = (
    ("Which sports do I do?", "The answer is in several messages of one month."),
    ("Where does my sister live?", "The answer is one fact. Irrelevant texts are left out."),
    (
        "What can I cook for Ann when she visits?",
        "The allergy is relevant although it shares no word with the question: wishes and pins are always shown.",
    ),
    ("When is the dentist?", "The answer is an appointment, which is shown with its day."),
    ("What colour is the hall?", "The answer is a decision and its outcome."),
    ("How long is my walk to work?", "The answer is a value, as the user last stated it."),
    (
        "Good night!",
        "The message is not a question. The context has history and learned statements, but no search results.",
    ),
    (
        "What did the report say about the bridge?",
        "The answer is in the imported message, which is shown with its day.",
    ),
    (
        "Which tests failed in the shop project?",
        "The user told this to the other assistant today, so it is shown under ELSEWHERE.",
    ),
)

HEAD = """\
# What a model is shown

This page is printed by `python -m benchmarks.contexts`. It shows contexts for one month of a person's messages, with a budget of {budget} tokens each.
The summarizer runs without a language model, so its notes are the user's own sentences.

- **LOG** (only with a budget above 4,300 tokens): learned facts, decisions and outcomes, one line each, oldest first. The log does not
  depend on the question.
- **FACTS, GOALS AND PINS**: pins, wishes and statements that are relevant to the question. If the question names a category, all statements
  of this category are listed, too. Each line has its number, for corrections, and its day.
- **USER PROFILE**, **CHAT SUMMARY**: the newest lines of both, except statements that an earlier section already contains.
- **CONVERSATION HISTORY**: the last messages, and summaries of older messages, as far as they fit.
- **ELSEWHERE**: the newest exchanges of the last day from other threads and with other assistants.
- **RELEVANT CONTEXT**: search results for the question, and a line of each relevant summary, in chronological order. The best results are
  selected first, until the budget is used or the next score is too low. If several messages of one day are shown, only the first has the
  date, unless they are recent.
- **QUOTED MESSAGE**: the message to which the user replies.
- **Now**: the current time, for a client that does not state it itself.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="the local embedding model's files")
    asyncio.run(_main(parser.parse_args().model))


async def _main(model: Path | None) -> None:
    clock = Clock(BEGIN)
    async with open_memory(model, FIRST_USER, ZONE.key, clock) as memory:
        await _lived(memory, clock)
        print(HEAD.format(budget=BUDGET))
        async with memory.client(FIRST_USER) as client:
            for number, (query, why) in enumerate(ASKED, 1):
                print(*_shown(number, query, why, await _context(client, query)), sep="\n")
            reply = await _context(client, "And is that still true?", reply_to_message_id="u1")
            print(
                *_shown(
                    len(ASKED) + 1,
                    "And is that still true?",
                    "The message is a reply. The quoted message is labeled.",
                    reply,
                ),
                sep="\n",
            )
            large = await _context(client, ASKED[0][0], reply_to_message_id="u1", budget=LARGE)
            print(
                *_shown(
                    len(ASKED) + 2,
                    ASKED[0][0],
                    "The first question again, in a reply, with a budget that is large enough for the log.",
                    large,
                ),
                sep="\n",
            )


async def _lived(memory: Memory, clock: Clock) -> None:
    """Fill the memory with the month: the import, exchanges, routines and the other assistant's messages, each at its
    time."""
    deps = (await memory.storage.services()).deps
    old = ImportMessage(
        "user", "The report says the bridge needs new bearings by 2028.", "i1", BEGIN - timedelta(days=200), "telegram"
    )
    await Importer(deps, ChatScope(FIRST_USER, FIRST_USER)).add([old])
    async with memory.client(FIRST_USER) as client:
        for number, (day, asked, answered) in enumerate(_exchanges()):
            clock.at = BEGIN + timedelta(days=day, minutes=5 * number)
            await _say(client, "user", asked, f"u{number}", clock)
            await _say(client, "assistant", answered, f"a{number}", clock)
        clock.at = BEGIN + timedelta(days=28)
        await client.record_message(
            c.RecordMessageArgs(
                role="assistant",
                content="Rain until noon. Two meetings. The bridge review is at four.",
                channel="telegram",
                message_id="r1",
                sent_at=clock.at,
                routine="morning-summary",
                summary="Rain until noon; two meetings.",
            )
        )
        await client.record_message(
            c.RecordMessageArgs(
                role="user",
                content="Which boots are good for bouldering halls?",
                channel="telegram",
                message_id="t1",
                sent_at=clock.at,
                message_thread_id=TOPIC,
            )
        )
        clock.forward(hours=1)
        for role, text in (
            ("user", "Two checkout tests fail since the update."),
            ("assistant", "I fixed the rounding; one still fails."),
        ):
            await client.record_message(
                c.RecordMessageArgs(
                    role=role, content=text, conversation_id="shop", channel="claude-code", sent_at=clock.at
                )  # two literals
            )
    await drain(memory, chain_of(None))
    await (await memory.storage.services()).categories.assign()
    clock.forward(hours=2)


def _exchanges() -> Iterator[tuple[int, str, str]]:
    for line in SAID.splitlines():
        day, asked, answered = line.split("|")
        yield int(day), asked, answered


async def _say(client: MemoryClient, role: c.Role, text: str, number: str, clock: Clock) -> None:
    clock.forward(minutes=1)
    await client.record_message(
        c.RecordMessageArgs(role=role, content=text, channel="telegram", message_id=number, sent_at=clock.at)
    )


async def _context(
    client: MemoryClient, query: str, *, reply_to_message_id: str | None = None, budget: int = BUDGET
) -> c.Context:
    return await client.get_context(
        c.GetContextArgs(chat_id=FIRST_USER, query=query, token_budget=budget, reply_to_message_id=reply_to_message_id)
    )


def _shown(number: int, query: str, why: str, context: c.Context) -> list[str]:
    return [
        f"## {number}. {query}",
        "",
        f"{why} {context.tokens} tokens.",
        "",
        "```text",
        context.context or "",
        "```",
        "",
    ]


if __name__ == "__main__":
    main()
