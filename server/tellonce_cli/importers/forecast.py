"""Estimates the model calls, the time and the cost of an import before it begins. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from tellonce.client_settings import SummarizerSettings
from tellonce.plural import counted, memories, messages
from tellonce.settings import Compaction
from tellonce_cli.importers.items import Item, KnownAs, LeftOut, Unreadable, left_out
from tellonce_llm.prices import price_of
from tellonce_server.domain.queue.exchange_job import EXCHANGE_MESSAGES
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage

CHARACTERS_A_TOKEN = 4
STORED_A_SECOND = 1_500
"""Messages that the import stores per second (docs/explanation/performance.md)."""

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
    left_out: Counter[LeftOut] = field(default_factory=Counter[LeftOut])
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

    def count(self, item: Item) -> None:
        match item:
            case ImportMessage():
                self._count_message(item)
            case ImportMemory() | ExportedMemory():
                self.memories += 1
            case Unreadable():
                self.unreadable += 1
            case LeftOut():
                self.left_out[item] += 1
            case KnownAs():
                self.names += (item.name,)

    def _count_message(self, message: ImportMessage) -> None:
        self.threads[f"{message.conversation} {message.message_thread_id}"] += 1
        self.characters += len(message.content)
        self.mine += message.role == "user" and message.speaker is None
        self.first = min(self.first or message.sent_at, message.sent_at)
        self.last = max(self.last or message.sent_at, message.sent_at)


def measured(items: Iterable[Item]) -> Talk:
    """Read all items once and count them."""
    talk = Talk()
    for item in items:
        talk.count(item)
    return talk


@dataclass(frozen=True)
class Forecast:
    """An estimate. `dollars` is None if the price is unknown; `calls` is 0 if no model reads the messages."""

    messages: int
    calls: int
    seconds: float
    dollars: float | None
    reader: str
    memories: int = 0
    left_out: Mapping[LeftOut, int] = field(default_factory=dict[LeftOut, int])
    """Number of entries that are not imported, by kind."""

    unreadable: int = 0
    mine: int = 0
    """Number of messages that are recognized as the user's."""

    names: tuple[str, ...] = ()
    """The names of the user in the file."""

    @property
    def lines(self) -> list[str]:
        """The lines that the user sees before the question whether to import."""
        told_by_me = f" ({self.mine} of them yours)" if self.mine else ""
        held = [messages(self.messages) + told_by_me] if self.messages or not self.memories else []
        held += [memories(self.memories)] if self.memories else []
        told = f"It holds {' and '.join(held)}; storing them takes {duration((self.messages + self.memories) / STORED_A_SECOND)}."
        if self.names:
            told += f" You are {' and '.join(self.names)} in this file."
        if self.unreadable:
            told += f" {counted(self.unreadable, 'entry')} cannot be read and will be skipped."
        if self.messages and not self.mine:
            told += (
                " None of the messages is recognized as yours, and an import cannot be corrected later: name yourself as "
                "the file does, with --me 'Your Name' or --me your numeric id."
            )
        told = "\n".join([told, *left_out(self.left_out)])
        if not self.messages:
            return [told, "Importing memories of another assistant needs no model, so it costs nothing."]
        if not self.calls:
            return [
                told,
                "No language model is set up, so no model call is made: your own sentences are kept. It costs nothing.",
            ]
        cost = "at a price we do not know" if self.dollars is None else f"for about ${self.dollars:,.2f}"
        return [
            told,
            f"{self.reader} then reads them in about {counted(self.calls, 'call')} {cost}, over {duration(self.seconds)}. "
            "What you say meanwhile is read first.",
        ]


def forecast(talk: Talk, rules: Compaction, settings: SummarizerSettings) -> Forecast:
    """The estimate for importing a file with the contents `talk`."""
    known = _reading(talk, rules, settings)
    return replace(
        known,
        memories=talk.memories,
        left_out=talk.left_out,
        unreadable=talk.unreadable,
        mine=talk.mine,
        names=talk.names,
    )


def _reading(talk: Talk, rules: Compaction, settings: SummarizerSettings) -> Forecast:
    """The estimate for the model that the settings select (docs/CONTRACT.md, 6). Calls within a subscription cost
    nothing, but their number per day is limited."""
    calls = talk.calls(rules)
    if settings.learner == "auto" and settings.anthropic_api_key is not None:
        price = price_of(settings.model)
        tokens = 2 * talk.tokens + calls * INSTRUCTIONS
        dollars = price.cost(tokens, calls * ANSWER, 0, 0) if price else None
        return Forecast(talk.messages, calls, calls * CLAUDE_SECONDS / settings.concurrency, dollars, settings.model)
    if settings.asks_the_command:
        a_day = max(1, min(settings.cli_calls_day, settings.cli_calls_hour * HOURS_A_DAY))
        seconds = max(calls * COMMAND_SECONDS, (calls - a_day) / a_day * 86_400)
        return Forecast(talk.messages, calls, seconds, 0.0, "Your `claude` command")
    if settings.learner != "keep" and settings.ollama_url is not None:
        return Forecast(talk.messages, calls, calls * OLLAMA_SECONDS, 0.0, settings.ollama_model)
    return Forecast(talk.messages, 0, 0.0, 0.0, "")


def duration(seconds: float) -> str:
    """Format a duration as `about 40 s`, `about 12 min`, `about 3 h` or `about 5 days`."""
    for unit, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 1.5 * unit:
            return f"about {seconds / unit:.0f} {name}"
    return f"about {max(1.0, seconds):.0f} s"
