"""The short form of a routine message: two or three sentences by the local model, else its first 300 characters."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable

from tellonce.journal import Emit, silent
from tellonce_llm import LLMError
from tellonce_text.sentences import split_sentences

logger = logging.getLogger(__name__)

SUMMARY_SECONDS = 8.0
FALLBACK_CHARACTERS = 300
MOST_SENTENCES = 3
ASK = "Summarise this message in two or three plain sentences. Only the summary, no introduction.\n\n{text}"

_CHATTER = re.compile(r"^(?:here(?:'s| is)|certainly|sure|of course|summary:|```|#)", re.IGNORECASE)

Model = Callable[[str], Awaitable[str]]


async def shortened(text: str, model: Model | None, seconds: float = SUMMARY_SECONDS, emit: Emit = silent) -> str:
    """The short form, never longer than the text. If `model` is missing, slow or unusable, this is reported to `emit`."""
    summary = await _asked(text, model, seconds, emit) if model is not None else None
    return summary or text[:FALLBACK_CHARACTERS]


async def _asked(text: str, model: Model, seconds: float, emit: Emit) -> str | None:
    try:
        async with asyncio.timeout(seconds):
            summary = usable(await model(ASK.format(text=text)), text)
    except (LLMError, TimeoutError) as error:
        logger.info("the local model gave no summary: %s", error)
        emit("model_fallback", model="local", to="beginning", reason=type(error).__name__)
        return None
    if summary is None:
        emit("parse_failed", model="local", reason="no summary of the message")
    return summary


def usable(said: str, text: str) -> str | None:
    """At most three sentences of a model's summary; None if it is not one: chatter, a prefix, or not shorter."""
    summary = " ".join(split_sentences(said)[:MOST_SENTENCES])
    if not summary or _CHATTER.match(summary) or len(summary) >= len(text) or text.startswith(summary):
        return None
    return summary
