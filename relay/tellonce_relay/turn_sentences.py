"""What the bot says about a turn that could not be answered as asked, and about what it cannot see or hear; constants only."""

from typing import Final

from tellonce_llm import Cause

MEMORY_DOWN: Final = "I can't reach my memory right now, so I won't answer from nothing. Please try again in a minute."
MEMORY_AWAY: Final = "I can't reach my memory right now. Your message is safe; I answer as soon as it is back."
REFUSED: Final = "My memory did not take that message: {reason}"
BROKEN: Final = "Something went wrong on my side; your message is kept. Please ask me again."

NOTED: Final = "✓ Noted."
EMPTY: Final = "I have no answer to that."
CUT: Final = "\n\n(My answer was too long and ends here; say “go on” for the rest.)"
STOPPED_HERE: Final = " … [the user stopped this answer here]"
"""Stands behind a stopped answer in the memory only."""

WOULD_NOT: Final = (
    "I've noted your message, but the language model would not answer it. Please try to say it in other words."
)
TROUBLE: Final[dict[Cause, str]] = {
    "busy": "The language model is busy right now.",
    "away": "I can't reach the language model right now.",
    "key": "The language model does not accept the key I was given.",
    "billing": "The account of the language model has no credit left.",
    "model": "The language model I am set to use is not available there.",
    "refused": WOULD_NOT,
}
OWED: Final = " Your message is safe, and I answer as soon as it works again. /skip drops the question."
ASK_AGAIN: Final = " Your message is kept; please ask me again later."

STOPPED: Final = "Stopped."
NOTHING_TO_STOP: Final = "I am not writing an answer."
SKIPPED: Final = "Skipped."
NOTHING_OWED: Final = "I owe you no answer."

HEARD: Final = "🎤 “{text}”"
CANNOT_HEAR: Final = (
    "I can't listen to voice messages yet. Please write it instead. "
    "(Whoever runs me can set TELLONCE_TRANSCRIBE_URL, and then I can.)"
)
NOT_HEARD: Final = "I couldn't make out that voice message. Could you send it again, or write it?"
CANNOT_SEE: Final = (
    "I can't look at pictures with the model I run on. I keep the caption; please tell me in words what matters."
)
CANNOT_READ: Final = "I can't open that kind of file. I keep its name; please paste the part that matters."
TOO_LARGE: Final = "That file is too large for me: I can take up to {megabytes} MB."
NOT_FETCHED: Final = "I couldn't get that file from Telegram. Could you send it again?"


def trouble(cause: Cause, *, owed: bool) -> str:
    """The one sentence about a model that stays away."""
    if cause == "refused":
        return WOULD_NOT
    return TROUBLE[cause] + (OWED if owed else ASK_AGAIN)
