"""Answers from the memory alone: quotes the person's words with their day, and claims nothing."""

import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_llm.model import Answer, FileKind
from tellonce_relay.catalogue import (
    Language,
    current_language,
    day,
    entries,
    in_every_language,
    phrase,
)
from tellonce_relay.incoming_message import Incoming, is_command
from tellonce_relay.orders import Kind, order_of, without_mention
from tellonce_relay.responders.follow_ups import FOLLOWING, follow_up
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.responders.quotations import quoted
from tellonce_relay.responders.search_results import (
    APART,
    BEFORE,
    BURST,
    LABEL,
    PLACE,
    is_said,
    with_bursts,
    with_lines,
)
from tellonce_relay.responders.shared_words import content_words, shared
from tellonce_relay.views import due_parts, flat, in_days, short, with_day
from tellonce_text.changes import without_changed
from tellonce_text.own_words import is_forwarded, own_words, written_at
from tellonce_text.secrets import mask
from tellonce_text.sentences import is_question, split_sentences

_OURS = (
    *("offline.nothing", "offline.nobody", "offline.hello", "offline.kept", "offline.cannot"),
    *("offline.nearest", "offline.told", "offline.forwarded", "offline.wrote", "offline.memory", "offline.wrong"),
    *("offline.former", "offline.masked", "help.text"),
)
"""The catalogue's keys of this responder's own answers. Such answers in a chat are not evidence."""
OWN_ANSWER = re.compile(
    "|".join(re.escape(text.split("{")[0]) for key in _OURS for text in in_every_language(key)) + "|• "
)
"""Matches the beginning of this responder's own answers."""
_QUOTING = (
    "offline.told",
    "offline.forwarded",
    "offline.speaker_told",
    "offline.wrote",
    "offline.memory",
    "offline.former",
    "offline.summary",
)
_QUOTE = re.compile(
    "|".join(
        re.sub(r"\\\{\w+\\\}", ".{1,130}?", re.escape(re.split(r"\{quote\}|\{text\}", text)[0]))
        + ("[“„«]" if "{quote}" in text else "")
        for key in _QUOTING
        for text in in_every_language(key)
    )
    + r"|• .* \([^()\n]*\)\Z"
)
"""Matches a line of this responder's answers that quotes the memory."""
_SAID: dict[Kind, str] = {
    "greeting": "offline.hello",
    "nod": "offline.hello",
    "task": "offline.cannot",
    "stop": "turn.nothing_to_stop",
    "help": "help.text",
    "forget": "offline.cannot",
    "remind": "offline.cannot",
    "undo": "offline.wrong",
}
"""Replies to orders that no command carries out."""
_ORDER = re.compile(r"^\W*(?:tell|show|list|find)\b", re.IGNORECASE)
_LONGEST = 400
_RESULTS = 20
"""Number of results. Many of them can be this responder's own answers."""
_LINES = 3
_NEARLY = 0.5
"""A newer result without a word of the question needs at least this fraction of the best score. Measured with the 30
questions of `tests/relay/test_offline_questions.toml`:

- 0.4 adds 9 right lines and 7 other lines.
- 0.5 adds 8 right lines and 3 other lines.
- 0.55 adds 7 right lines and 1 other line.
"""
_FAR = 1.5
"""Used if no result contains a word of the question. The score of a shown result is at least the best score minus this
value. Of 20 such questions over 30 messages, the best result answers 12; the first three results within this distance
answer 16."""
_LISTED = 8
_RECENT = 100
_UNREAD = timedelta(minutes=5)
"""Learning from a message can take this long, even without a failure."""
_MASK = re.compile(r"\[secret:[^\]]*\]")


UTC = ZoneInfo("UTC")


class OfflineResponder:
    """`zone` is the person's time zone. The zone decides which days the person's words mean."""

    name = "offline"
    claims = False

    def __init__(self, zone: ZoneInfo = UTC) -> None:
        self._zone = zone

    async def reads(self) -> frozenset[FileKind]:
        """No kinds, because there is no model that could read a file."""
        return frozenset()

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """The answer in one piece. There is no fallback, so MemoryUnreachable and MemoryRefused are raised."""
        yield await self._said(incoming, memory)

    async def _said(self, incoming: Incoming, memory: MemoryClient) -> str:
        # In a group, the words of the bot's name would match every message to the bot.
        incoming = replace(incoming, text=without_mention(incoming.text))
        order = order_of(incoming.text)
        if order is not None and order.kind in _SAID:
            return phrase(_SAID[order.kind])
        if not _asks(own_words(incoming.text)):
            return _kept(incoming.text)
        # In a reply such as "when was that?", the words to search for are in the quoted message.
        return await self._answered(replace(incoming, text=f"{incoming.text} {incoming.meant}".strip()), memory)

    async def _answered(self, incoming: Incoming, memory: MemoryClient) -> str:
        profile = await memory.get_profile(c.GetProfileArgs(chat_id=incoming.chat_id))
        listed = listed_memories(profile, incoming, await _unread(profile, incoming, memory), self._zone)
        if listed is not None:
            return listed
        args = c.SearchMemoryArgs(query=incoming.text, chat_id=incoming.chat_id, where="all", limit=_RESULTS)
        results = (await memory.search_memory(args)).results
        found = [*results, *await _shown_before(results, incoming, memory)]
        choice = choose(found, incoming)
        followed = [await _follow_up(one, incoming, memory) for one in choice.chosen if is_said(one)]
        return from_memory(choice, incoming, self._zone, [one for one in followed if one is not None])


async def _unread(profile: c.Profile, incoming: Incoming, memory: MemoryClient) -> list[c.SearchResult]:
    """The person's latest statements in this chat that the profile does not contain yet. Empty unless the question asks
    for all memories."""
    if content_words(incoming.text) or not any(map(str.isalpha, incoming.text)):
        return []
    since = incoming.sent_at - _UNREAD
    args = c.SearchMemoryArgs(
        query=incoming.text, chat_id=incoming.chat_id, kinds=("message",), since=since, limit=_RECENT
    )
    known = [flat(one.content).casefold() for entries in profile.lists.values() for one in entries]
    results, _ = _current((await memory.search_memory(args)).results)
    said = [(flat(r.text).casefold(), r) for r in results if is_said(r) and not _is_echo(r, incoming)]
    return [r for text, r in said if not any(one in text or text in one for one in known)]


async def _shown_before(
    results: Sequence[c.SearchResult], incoming: Incoming, memory: MemoryClient
) -> list[c.SearchResult]:
    """The places and contacts sent directly before the best result, which may be about them: `I parked here`."""
    best = max(filter(is_said, results), key=lambda r: r.score, default=None)
    if best is None:
        return []
    args = c.SearchMemoryArgs(
        query="location place contact",
        chat_id=incoming.chat_id,
        where="all",
        since=best.at - BEFORE,
        until=best.at + BURST,
    )
    found = {(r.chat_id, r.id) for r in results}
    shown = [r for r in (await memory.search_memory(args)).results if (r.chat_id, r.id) not in found]
    return [r.model_copy(update={"score": -math.inf}) for r in shown if is_said(r) and PLACE.fullmatch(r.text)]


async def _follow_up(told: c.SearchResult, incoming: Incoming, memory: MemoryClient) -> c.SearchResult | None:
    """The person's next message if it is about the message `told`."""
    args = c.SearchMemoryArgs(
        query=f"{incoming.text} {told.text}",
        chat_id=incoming.chat_id,
        where="all",
        kinds=("message",),
        since=told.at + timedelta(microseconds=1),
        until=told.at + FOLLOWING,
        limit=_RECENT,
    )
    later, _ = _current((await memory.search_memory(args)).results)
    return follow_up(told, later, partial(_is_statement, told.text))


def _kept(text: str) -> str:
    masks = dict.fromkeys(_MASK.findall(mask(text)))
    return phrase("offline.masked", masks=", ".join(masks)) if masks else phrase("offline.kept")


def quotes_in(answer: str) -> list[str]:
    """The lines of this responder's answer that quote the memory; empty for other answers."""
    lines = answer.splitlines()
    heads = in_every_language("offline.nearest")
    return [line for line in lines if line not in heads] if all(_QUOTE.match(x) or x in heads for x in lines) else []


def quotes_nothing(answer: str) -> bool:
    """Whether an answer is one of this responder's fixed sentences, which contain nothing from the memory."""
    return any(answer.strip() == text.strip() for key in _OURS for text in in_every_language(key))


def listed_memories(
    profile: c.Profile, incoming: Incoming, unread: Sequence[c.SearchResult], zone: ZoneInfo = UTC
) -> str | None:
    """A list for a question about some kinds of memories, such as goals, or about all memories and the `unread`
    statements. None for other questions. None also if the list is empty, because earlier messages may contain the
    answer."""
    kinds = {"fact": profile.facts, "prefer": profile.preferences, "goal": profile.goals, "date": profile.dates}
    asked = content_words(incoming.text)
    if not asked <= set(kinds):
        return None
    wanted = [memory for word, entries in kinds.items() if word in asked or not asked for memory in entries]
    said = [(one.valid_from, with_day(one, incoming.sent_at, zone)) for one in wanted]
    said += [(one.at, f"{short(one.text, _LONGEST)} ({day(one.at, incoming.sent_at)})") for one in unread]
    if not said:
        return None if asked or profile.conversation.messages > 1 else phrase("offline.nobody")
    return "\n".join(f"• {text}" for _, text in sorted(said, reverse=True)[:_LISTED])


class Choice(NamedTuple):
    """The results to quote, newest first, and all results that contain a statement. `nearest` means that no quoted result
    is certainly about the question."""

    chosen: Sequence[c.SearchResult]
    statements: Sequence[c.SearchResult]
    nearest: bool


def from_memory(
    choice: Choice,
    incoming: Incoming,
    zone: ZoneInfo = UTC,
    followed: Sequence[c.SearchResult] = (),
) -> str:
    """Quote the chosen results. `followed` are short messages that followed them and are quoted, too."""
    chosen, statements, nearest = choice
    if not chosen:
        return phrase("offline.nothing")
    head = [phrase("offline.nearest")] if nearest else []
    shown = with_bursts(_with_followed(chosen, followed), _with_followed(statements, followed))
    return "\n".join([*head, *(_line(result, incoming, zone) for result in shown)])


def choose(results: Sequence[c.SearchResult], incoming: Incoming) -> Choice:
    """Choose the newest messages about the question. A memory is chosen only if it is newer or a correction."""
    asked, names = content_words(incoming.text), _names_in(incoming.text)
    current, corrections = _current([with_lines(r, partial(_is_statement, incoming.text)) for r in results])
    statements = _distinct([r for r in current if not _is_echo(r, incoming)])
    near = [r for r in statements if shared(asked, r.text)]
    named = [r for r in near if names & content_words(f"{r.speaker or ''} {r.text}")]
    near = named or near
    if not names:
        near += _newer_in_other_words(near, statements)
    chosen = _newest(near, corrections) or _nearest([r for r in statements if is_said(r)])
    # A sentence about the named person is no answer if it contains nothing else of the question.
    topic = asked - names or asked
    covered = 2 * len(shared(topic, " ".join(r.text for r in chosen))) >= len(topic)
    return Choice(chosen, statements, nearest=not (covered and near and bool(named) == bool(names)))


def _with_followed(results: Sequence[c.SearchResult], followed: Sequence[c.SearchResult]) -> list[c.SearchResult]:
    """The results, and each follow-up before the first older message."""
    shown = list(results)
    for one in followed:
        if _key(one) not in map(_key, shown):
            shown.insert(next((i for i, r in enumerate(shown) if is_said(r) and r.at < one.at), len(shown)), one)
    return shown


def _key(result: c.SearchResult) -> tuple[str, int | None, int]:
    return result.kind, result.chat_id, result.id


def _newest(near: Sequence[c.SearchResult], corrections: Collection[int]) -> list[c.SearchResult]:
    """The corrections, then the newest messages. Other memories only if they are newer than these messages."""
    said = [r for r in near if is_said(r)]
    newest_said = max((r.at for r in said), default=None)
    corrected = [r for r in near if r.kind != "message" and r.id in corrections]
    kept = [
        r
        for r in near
        if r not in said + corrected and r.role != "assistant" and (newest_said is None or r.at > newest_said)
    ]
    chosen = [*corrected, *said, *kept][:_LINES] or near[:1]
    return sorted(chosen, key=lambda r: (r in corrected, r.at), reverse=True)


def _current(results: Sequence[c.SearchResult]) -> tuple[list[c.SearchResult], frozenset[int]]:
    """The results without the sentences that are no longer true, and the ids of the memories that replaced them."""
    current: list[c.SearchResult] = []
    corrections: set[int] = set()
    for result in results:
        text, numbers = without_changed(result.text) if result.kind == "message" else (result.text, ())
        current.append(result.model_copy(update={"text": text}) if numbers else result)
        corrections.update(numbers)
    return current, frozenset(corrections)


def _names_in(question: str) -> set[str]:
    return content_words(" ".join(word for word in question.split()[1:] if word[:1].isupper()))


def _newer_in_other_words(near: Sequence[c.SearchResult], statements: Sequence[c.SearchResult]) -> list[c.SearchResult]:
    """At most one newer message. A changed state is often described in words that the question does not contain."""
    if not near:
        return []
    best = max(near, key=lambda r: r.score)
    newer = (
        r for r in statements if r not in near and is_said(r) and r.at > best.at and r.score >= _NEARLY * best.score
    )
    return sorted(newer, key=lambda r: -r.score)[:1]


def _nearest(said: Sequence[c.SearchResult]) -> list[c.SearchResult]:
    """The results nearest in meaning. For "Where do I live?", they may include "I moved to Oslo"."""
    best = max((r.score for r in said), default=0.0)
    return sorted([r for r in said if r.score >= best - _FAR][:_LINES], key=lambda r: r.at, reverse=True)


def _is_echo(result: c.SearchResult, incoming: Incoming) -> bool:
    """Whether a result only repeats the question, an order to the bot, or the bot's own answer."""
    if result.kind not in ("message", "summary"):
        return False
    if not content_words(result.text):
        return True
    if result.kind == "summary":
        return False  # only the lines that tell something are left
    if (
        OWN_ANSWER.match(result.text)
        if result.role == "assistant"
        else is_command(result.text) or is_said_to_us(result.text)
    ):
        return True
    return result.text.strip() == incoming.text.strip() or not best_sentences(result.text, incoming.text)


def is_said_to_us(text: str) -> bool:
    """Whether a message contains no information, because it is an order to the bot, a greeting or thanks."""
    order = order_of(text)
    return order is not None and (order.command is not None or order.kind in ("greeting", "nod", "undo"))


def _is_statement(question: str, words: str) -> bool:
    ours = is_command(words) or is_said_to_us(words) or OWN_ANSWER.match(words)
    return not ours and bool(best_sentences(words, question))


def _distinct(results: Sequence[c.SearchResult]) -> list[c.SearchResult]:
    """Of two results that contain the same text, one is kept: the person's own message if there is one."""
    kept: list[c.SearchResult] = []
    for result in sorted(results, key=lambda r: not is_said(r)):
        text = flat(result.text).casefold()
        if not any(text in flat(k.text).casefold() or flat(k.text).casefold() in text for k in kept):
            kept.append(result)
    return sorted(kept, key=results.index)


def _line(result: c.SearchResult, incoming: Incoming, zone: ZoneInfo) -> str:
    """Quotation marks enclose only verbatim words."""
    at = day(result.at, incoming.sent_at)
    if result.kind == "summary":
        return phrase("offline.summary", day=at, text=short(result.text, _LONGEST))
    if result.kind != "message":
        due = result.due.astimezone(zone) if result.due is not None else None
        words, at = due_parts(result.text, due, result.kind) if due is not None else (in_days(result.text), at)
        key = "offline.former" if result.status == "superseded" else "offline.memory"
        return phrase(key, text=short(words, _LONGEST), day=at)
    words = best_sentences(without_mention(result.text), incoming.text)
    quote = quoted(short(words, _LONGEST), _said_at(result, zone), incoming.sent_at, zone)
    return attributed(result, at, quote) if result.role == "user" else phrase("offline.wrote", day=at, quote=quote)


def _said_at(result: c.SearchResult, zone: ZoneInfo) -> datetime | None:
    """None if the joined messages were written at different times, or a forwarded one at an unknown time."""
    times = {written_at(text, result.at, zone) for text in result.text.split(APART)}
    return times.pop() if len(times) == 1 else None


def attributed(result: c.SearchResult, at: str, quote: str) -> str:
    """A quotation from a person's message, with its day and the person who wrote it."""
    if result.speaker:
        return phrase("offline.speaker_told", speaker=result.speaker, day=at, quote=quote)
    return phrase("offline.forwarded" if is_forwarded(result.text) else "offline.told", day=at, quote=quote)


def _asks(text: str) -> bool:
    return is_question(text) or bool(_ORDER.match(text)) or _question_words(current_language()).match(text) is not None


@cache
def _question_words(language: Language) -> re.Pattern[str]:
    """People often send questions without a question mark."""
    return re.compile(rf"\W*(?:{'|'.join(map(re.escape, entries(language)['orders.asks']))})(?![\w-])", re.IGNORECASE)


def best_sentences(text: str, question: str) -> str:
    """The two statements that share the most words with the question, verbatim. `…` marks an omission, or a new
    message."""
    if LABEL.fullmatch(text):
        return text
    sentences = [
        ("… " if message and not place else "") + said
        for message, words in enumerate(text.split(APART))
        for place, said in enumerate(split_sentences(words))
        if not _asks(said)
    ]
    wanted = content_words(question)
    common = [shared(wanted, sentence) for sentence in sentences]
    count = Counter(word for words in common for word in words)
    ranked = sorted(range(len(sentences)), key=lambda i: (-sum(1 / count[word] for word in common[i]), i))
    chosen = sorted(ranked[:2])
    complete = {i for i in chosen if i == 0 or i - 1 in chosen or sentences[i].startswith("…")}
    return " ".join(("" if i in complete else "… ") + sentences[i] for i in chosen)
