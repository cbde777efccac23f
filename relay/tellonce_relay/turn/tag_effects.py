"""Carries out the tags of an answer. What a tag states is recorded as a claim of the model, not of the user. A tag that
fails does not affect other tags."""

import logging
from dataclasses import dataclass, field
from typing import Any, Literal
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.reminders import ChangeReminderArgs, Reminder
from tellonce_relay.catalogue import phrase, server_text, use_language
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.memory_outage import with_retries
from tellonce_relay.orders import order_of
from tellonce_relay.responders.shared_words import common, content_words
from tellonce_relay.turn.reminders import NotSet, Unfit, by_rule, coming, is_plain_order, set_by, timed
from tellonce_relay.turn.tags import Tag
from tellonce_relay.views import without_stamps
from tellonce_text.folding import fold
from tellonce_text.own_words import own_words

logger = logging.getLogger(__name__)

MOST = 10
"""At most this many tags of one answer are carried out. More tags mean that the model malfunctions."""
MOST_ASKED = 3
"""At most this many goals and reminders are asked about if a tag can mean each of them."""


@dataclass(frozen=True)
class Saved:
    """What a tag created or closed. The action `undo` reverts it."""

    memory: c.Memory
    undo: Literal["reject", "reopen", "restore"]
    reminder: Reminder | None = None


@dataclass
class Done:
    """The result of carrying out tags. `refused` counts the tags that the memory refused. `unsaved` counts the tags for
    which the memory was unreachable.

    `uncertain` are claims that the user's words do not support. `doubtful` are such reminders; the answer may have
    promised them, but they are not set before the user confirms them. `unclosed` are goals and reminders that the model
    wants to close, although the user did not mention them or the tag does not clearly mean them. The user is asked
    about all of these. `unset` are sentences about reminders that could not be set; the answer may have promised them,
    too.
    """

    applied: int = 0
    refused: int = 0
    unsaved: int = 0
    saved: list[Saved] = field(default_factory=list)
    uncertain: list[c.Memory] = field(default_factory=list)
    doubtful: list[Reminder] = field(default_factory=list)
    unclosed: list[c.Memory] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        return {
            "applied": self.applied,
            "refused": self.refused,
            "unsaved": self.unsaved,
            "uncertain": len(self.uncertain) + len(self.doubtful) + len(self.unclosed),
        }


async def apply(memory: MemoryClient, incoming: Incoming, tags: tuple[Tag, ...], patience: float) -> Done:
    """Carry out at most `MOST` tags in order, each retried for `patience` seconds."""
    done = Done()
    for tag in [tag for tag in tags if tag.kind != "seen"][:MOST]:
        try:
            await _apply(memory, incoming, tag, patience, done)
            done.applied += 1
        except (NotSet, MemoryRefused) as error:
            logger.warning("tag %s was refused: %s", tag.kind, error)
            done.refused += 1
            done.unset += _unset(tag.text, error) if tag.kind == "remind" else ()
        except MemoryUnreachable as error:
            logger.warning("tag %s was not carried out: %s", tag.kind, error)
            done.unsaved += 1
            done.unset += _unset(tag.text, error) if tag.kind == "remind" else ()
    return done


async def keep_order(memory: MemoryClient, incoming: Incoming, patience: float, done: Done) -> None:
    """Set the reminder that the user requested. The answer may have promised it, although it has no tag for it."""
    order, zone = order_of(own_words(incoming.text).strip()), incoming.sent_at.tzinfo
    assert isinstance(zone, ZoneInfo)  # a channel gives times in the user's zone
    if order is None or order.kind != "remind":
        return
    try:
        with use_language(order.language):
            if not is_plain_order(order.rest, incoming.sent_at, zone):
                return
            made = await with_retries(lambda: set_by(memory, zone, incoming, order.rest, recorded=True), patience)
        done.saved.append(Saved(made.memory, "reject", made))
    except (NotSet, MemoryRefused, MemoryUnreachable) as error:
        logger.warning("the reminder that the user ordered was not set: %s", error)
        done.unset += _unset(order.rest, error)


def _unset(what: str, error: NotSet | MemoryRefused | MemoryUnreachable) -> tuple[str]:
    """The sentence that says that a reminder is not set, and why. The text of an `Unfit` error applies only without a
    model."""
    if isinstance(error, MemoryRefused):
        reason = server_text(error.text)
    elif isinstance(error, MemoryUnreachable):
        reason = phrase("turn.memory_down")
    else:
        reason = phrase("reminder.misread") if isinstance(error, Unfit) else str(error)
    return (phrase("reminder.not_set", what=what, reason=reason),)


async def _apply(memory: MemoryClient, incoming: Incoming, tag: Tag, patience: float, done: Done) -> None:
    if tag.kind == "done":
        await _close(memory, incoming, tag.text, patience, done)
        return
    if tag.kind == "remind":
        await _remind(memory, incoming, tag, patience, done)
        return
    for result in (await with_retries(lambda: memory.remember(_claim(incoming, tag)), patience)).results:
        if result.memory.status == "uncertain":
            done.uncertain.append(result.memory)
        elif result.outcome != "duplicate":
            done.saved.append(Saved(result.memory, "reject"))


def _claim(incoming: Incoming, tag: Tag) -> c.RememberArgs:
    """The server checks a claim. A tag is never sent as the user's own statement."""
    text = f"{tag.text} (by {tag.time})" if tag.time else tag.text
    statement: dict[str, Any] = {"content": text, "source_message_id": _source(incoming, text).message_id}
    statement |= {"kind": "goal"} if tag.kind == "goal" else {}
    statement |= {"scope": "global" if tag.kind == "remember_global" else "chat"}
    return c.RememberArgs.model_validate({"statements": [statement], **incoming.place})


def _source(incoming: Incoming, text: str) -> Incoming:
    """The message that supports the claim best, if several messages were answered together."""
    return max(incoming.messages, key=lambda message: len(content_words(message.text) & content_words(text)))


async def _remind(memory: MemoryClient, incoming: Incoming, tag: Tag, patience: float, done: Done) -> None:
    """Set the reminder that a tag requests. It is recorded as a claim of the model. If the user's words do not support
    the reminder's first due time, the user is asked. Raises NotSet."""
    zone = incoming.sent_at.tzinfo
    assert isinstance(zone, ZoneInfo)  # a channel gives times in the user's zone
    said = (tag.time or "", incoming.sent_at, zone)
    wanted = by_rule(tag.text, tag.every, *said) if tag.every else timed(tag.text, *said)
    args = wanted.args(_source(incoming, tag.text), claimed=True)
    reminder = await with_retries(lambda: memory.set_reminder(args), patience)
    if reminder.memory.status == "uncertain":
        done.doubtful.append(reminder)
    else:
        done.saved.append(Saved(reminder.memory, "reject", reminder))


@dataclass(frozen=True)
class _Open:
    """A goal or a reminder that a tag can close."""

    memory: c.Memory
    reminder: Reminder | None = None

    @property
    def words(self) -> str:
        """The text without its times. The time of a reminder is in brackets at the end."""
        content = self.memory.content
        return (content.rpartition(" (")[0] or content) if self.reminder is not None else without_stamps(content)


async def _close(memory: MemoryClient, incoming: Incoming, topic: str, patience: float, done: Done) -> None:
    """Close the goal or cancel the reminder that the topic clearly means and that the user mentions. If there is none,
    the user is asked about those that the topic can mean. Raises MemoryRefused if the topic shares no word with any."""
    profile = await with_retries(lambda: memory.get_profile(c.GetProfileArgs(chat_id=incoming.chat_id)), patience)
    upcoming = await with_retries(lambda: coming(memory, incoming), patience)
    fresh = {one.memory.id for one in done.saved}  # the answer can set a new reminder before it cancels the old one
    known = [*map(_Open, profile.goals), *(_Open(one.memory, one) for one in upcoming)]
    older = [one for one in known if one.memory.id not in fresh]
    meant, is_clear = _meant(topic, older)
    if not meant:
        raise MemoryRefused(f"no active goal and no reminder matches {topic!r}")
    if is_clear and _is_mentioned(incoming, meant[0], older):
        done.saved.append(await with_retries(lambda: _closed(memory, incoming, meant[0]), patience))
    else:
        done.unclosed += [one.memory for one in meant[:MOST_ASKED]]


async def _closed(memory: MemoryClient, incoming: Incoming, meant: _Open) -> Saved:
    number, chat_id = meant.memory.id, incoming.chat_id
    if meant.reminder is None:
        args = c.UpdateMemoryArgs(memory_id=number, action="complete", chat_id=chat_id)
        return Saved(await memory.update_memory(args), "reopen")
    cancelled = await memory.change_reminder(ChangeReminderArgs(memory_id=number, action="cancel", chat_id=chat_id))
    return Saved(cancelled.memory, "restore", cancelled)


def _meant(topic: str, known: list[_Open]) -> tuple[list[_Open], bool]:
    """Those that match the topic best, and whether the topic clearly means the only one of them. The topic's exact words
    match best, then the largest share of common words. A single common word is clear only if it is the whole topic and
    nothing else has it."""
    exact = [one for one in known if fold(topic).strip() in (fold(one.words), fold(one.memory.content))]
    if exact:
        return exact, len(exact) == 1
    able = [one for one in known if common(topic, one.words)]
    most = max((_share(topic, one.words) for one in able), default=0)
    best = [one for one in able if _share(topic, one.words) == most]
    found = common(topic, best[0].words) if best else set()
    is_known = len(found) > 1 or (len(able) == 1 and found == common(topic, topic))
    return best, len(best) == 1 and is_known


def _share(text: str, other: str) -> float:
    """The share of the words of two texts that they have in common, from 0 to 1."""
    found, words = (common(text, other), common(other, text)), (common(text, text), common(other, other))
    return sum(map(len, found)) / sum(map(len, words))


def _is_mentioned(incoming: Incoming, meant: _Open, known: list[_Open]) -> bool:
    """Whether the user's words mention it, and do not mention another goal or reminder as much with the same words."""
    said = "\n".join(own_words(f"{one.text}\n{_pointed_at(one)}") for one in incoming.messages)
    words = common(said, meant.words)
    others = (one for one in known if one is not meant and words == common(" ".join(words), one.words))
    return bool(words) and not any(_told(said, one) >= _told(said, meant) for one in others)


def _told(said: str, one: _Open) -> float:
    """The share of its words that the user mentions."""
    return len(common(one.words, said)) / len(common(one.words, one.words))


def _pointed_at(message: Incoming) -> str:
    """The bot's message to which the user replies with words of their own."""
    return message.quoted if not message.quotes_person and own_words(message.text).strip() else ""
