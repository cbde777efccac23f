"""Estimates the model calls, the time and the cost of an import before it begins. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tellonce.client_settings import SummarizerSettings
from tellonce.plural import duration, memories, messages, quantity
from tellonce.settings import Compaction
from tellonce_cli.importers.items import Item, KnownAs, LeftOut, Unreadable
from tellonce_llm.prices import price_of
from tellonce_llm.providers import learning_tiers
from tellonce_server.domain.queue.exchange_job import EXCHANGE_MESSAGES
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage

CHARACTERS_A_TOKEN = 4
STORED_A_SECOND = 1_500
"""The number of messages that the import stores in one second (docs/explanation/performance.md)."""

INSTRUCTIONS = 3_000
"""Input tokens of one model call in addition to the messages: the instructions and the known memories."""

ANSWER = 400
"""Output tokens per call."""

CLAUDE_SECONDS, COMMAND_SECONDS, OLLAMA_SECONDS = 4.0, 20.0, 8.0
"""Seconds per call."""

HOURS_A_DAY = 24


@dataclass
class Talk:
    """The contents of a file as counts, and the time of its first and last message."""

    threads: Counter[str] = field(default_factory=Counter[str])
    characters: int = 0
    mine: int = 0
    memories: int = 0
    unreadable: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])
    names: tuple[str, ...] = ()
    first: datetime | None = None
    last: datetime | None = None

    @property
    def messages(self) -> int:
        return sum(self.threads.values())

    @property
    def tokens(self) -> int:
        return self.characters // CHARACTERS_A_TOKEN

    def calls(self, rules: Compaction) -> int:
        """The number of model calls that are needed to learn from the messages and to summarize them."""
        learning = sum(-(-count // EXCHANGE_MESSAGES) for count in self.threads.values())
        chunks = [max(0, count - rules.keep) // rules.chunk for count in self.threads.values()]
        return learning + sum(count + 1 for count in chunks if count)


def measured(items: Iterable[Item]) -> Talk:
    """Read all items once and count them."""
    talk = Talk()
    for item in items:
        match item:
            case ImportMessage():
                _count(talk, item)
            case ImportMemory() | ExportedMemory():
                talk.memories += 1
            case Unreadable():
                talk.unreadable += 1
            case LeftOut():
                talk.left_out[item.origin] += 1
            case KnownAs():
                talk.names += (item.name,)
    return talk


def _count(talk: Talk, message: ImportMessage) -> None:
    talk.threads[f"{message.conversation} {message.message_thread_id}"] += 1
    talk.characters += len(message.content)
    talk.mine += message.role == "user" and message.speaker is None
    talk.first = min(talk.first or message.sent_at, message.sent_at)
    talk.last = max(talk.last or message.sent_at, message.sent_at)


@dataclass(frozen=True)
class Forecast:
    """`dollars` is None if the price is unknown. `calls` is 0 if no model reads the messages."""

    talk: Talk
    calls: int = 0
    seconds: float = 0.0
    dollars: float | None = 0.0
    reader: str = ""

    @property
    def lines(self) -> list[str]:
        """The text that the user sees before the question whether to import."""
        talk = self.talk
        of_user = f" ({talk.mine} of them yours)" if talk.mine else ""
        held = [messages(talk.messages) + of_user] if talk.messages or not talk.memories else []
        held += [memories(talk.memories)] if talk.memories else []
        text = f"It holds {' and '.join(held)}; storing them takes {duration((talk.messages + talk.memories) / STORED_A_SECOND)}."
        if talk.names:
            text += f" You are {' and '.join(talk.names)} in this file."
        if talk.unreadable:
            text += f" {quantity(talk.unreadable, 'entry')} cannot be read and will be skipped."
        if talk.messages and not talk.mine:
            text += (
                " None of the messages is recognized as yours, and an import cannot be corrected later: name yourself as "
                "the file does, with --me 'Your Name' or --me your numeric id."
            )
        if not talk.messages:
            return [text, "Importing memories of another assistant needs no model, so it costs nothing."]
        if not self.calls:
            return [
                text,
                "No language model is set up, so no model call is made: your own sentences are kept. It costs nothing.",
            ]
        cost = "at a price we do not know" if self.dollars is None else f"for about ${self.dollars:,.2f}"
        return [
            text,
            f"{self.reader} then reads them in about {quantity(self.calls, 'call')} {cost}, over {duration(self.seconds)}. "
            "What you say meanwhile is read first.",
        ]


def forecast(talk: Talk, rules: Compaction, settings: SummarizerSettings) -> Forecast:
    """The estimate for the model that the settings select (docs/CONTRACT.md, 6)."""
    calls, best = talk.calls(rules), next(iter(learning_tiers(settings)), None)
    if best == "claude":
        price = price_of(settings.model)
        tokens = 2 * talk.tokens + calls * INSTRUCTIONS
        dollars = price.cost(tokens, calls * ANSWER, 0, 0) if price else None
        return Forecast(talk, calls, calls * CLAUDE_SECONDS / settings.concurrency, dollars, settings.model)
    if best == "claude-cli":
        a_day = max(1, min(settings.cli_calls_day, settings.cli_calls_hour * HOURS_A_DAY))
        seconds = max(calls * COMMAND_SECONDS, (calls - a_day) / a_day * 86_400)
        return Forecast(talk, calls, seconds, reader="Your `claude` command")
    if best == "ollama":
        return Forecast(talk, calls, calls * OLLAMA_SECONDS, reader=settings.ollama_model)
    return Forecast(talk)
