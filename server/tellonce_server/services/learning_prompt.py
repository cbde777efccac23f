"""The prompt `learn`: exchanges that no model has read, with instructions for the connected assistant. Pure."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tellonce.work import KnownMemory
from tellonce_server.store.messages import Line
from tellonce_text.dates.clock import local
from tellonce_text.fences import contained
from tellonce_text.secrets import mask

CHARACTERS = 1_500
"""Maximum characters of one message."""

NOTHING = "There is no talk that waits to be read: tell me so, and call nothing."

INSTRUCTIONS = """\
Below is talk of mine that no model has read for my memory yet. Read it, then call remember once, with a list of \
statements; if nothing in it lasts, call nothing and tell me so.

For each statement give:
- content: one sentence in the third person that names its subject, in the language I used ("The user works as a nurse"; \
"Ann is the user's sister"). What I said of somebody else is about them, not about me.
- kind: fact, preference, goal, date or outcome; deadline for a goal or a date that has one.
- quote: my own words that say it, copied exactly; source_message_id: the number in brackets.
- replaces: the numbers under KNOWN that no longer hold once it is true. Changes and endings come first.
- scope: chat only for what matters in this one chat; otherwise leave it out.

Keep what will still matter in a month: who I am, whom I know, what I do, like, plan and decided. Leave out jokes, \
hypotheses, questions, roles we play, pasted texts, what the assistant said, and what KNOWN already says.
A word such as "tomorrow" means a day: write the date."""


def learning_prompt(parts: Sequence[Sequence[Line]], known: Sequence[KnownMemory], zone: ZoneInfo) -> str:
    """The instructions, the exchanges, oldest first, and the memories that the assistant may change."""
    if not any(parts):
        return NOTHING
    told = [contained(f"#{m.id} ({m.since.astimezone(zone):%Y-%m-%d}): {_text(m)}") for m in known]
    said = ["\n".join(_line(line, zone) for line in part) for part in parts if part]
    return "\n\n".join([INSTRUCTIONS, "\n".join(["KNOWN", *(told or ["nothing yet"])]), "TALK", *said])


def _text(m: KnownMemory) -> str:
    return f"“{m.text}”" if m.note else m.text


def _line(line: Line, zone: ZoneInfo) -> str:
    who = line.speaker or ("me" if line.role == "user" else "assistant")
    text = mask(line.content)
    clipped = text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}…"
    return contained(f"[{line.id}] {who}, {local(line.sent_at, zone):%a %Y-%m-%d %H:%M}: {clipped}")
