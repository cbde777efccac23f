"""Carries out the tags of an answer. What a tag states is recorded as a claim of the model, not of the user. A tag that
fails does not affect other tags."""

import logging
from dataclasses import dataclass, field
from typing import Any, Literal
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.reminders import ChangeReminderArgs, Reminder
from tellonce_relay.catalogue import phrase, use_language
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.memory_outage import with_retries
from tellonce_relay.orders import order_of
from tellonce_relay.responders.shared_words import content_words
from tellonce_relay.turn.reminders import NotSet, Unfit, by_rule, coming, is_plain_order, set_by, timed, what_of
from tellonce_relay.turn.tags import Tag
from tellonce_text.own_words import own_words

logger = logging.getLogger(__name__)

MOST = 10
"""At most this many tags of one answer are carried out. More tags mean that the model malfunctions."""


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

    `uncertain` are claims that the user's words do not support. `unclosed` are goals and reminders that the user did
    not mention, although the model wants to close them. The user is asked about the memories in `uncertain` and
    `unclosed`. `unset` are sentences about reminders without a possible time; the answer may have promised these
    reminders.
    """

    applied: int = 0
    refused: int = 0
    unsaved: int = 0
    saved: list[Saved] = field(default_factory=list)
    uncertain: list[c.Memory] = field(default_factory=list)
    unclosed: list[c.Memory] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        return {
            "applied": self.applied,
            "refused": self.refused,
            "unsaved": self.unsaved,
            "uncertain": len(self.uncertain) + len(self.unclosed),
        }


async def apply(memory: MemoryClient, incoming: Incoming, tags: tuple[Tag, ...], patience: float) -> Done:
    """Carry out at most `MOST` tags in order, each retried for `patience` seconds."""
    done = Done()
    for tag in [tag for tag in tags if tag.kind != "seen"][:MOST]:
        try:
            await _apply(memory, incoming, tag, patience, done)
            done.applied += 1
        except MemoryRefused as error:
            logger.warning("tag %s was refused: %s", tag.kind, error)
            done.refused += 1
        except MemoryUnreachable as error:
            logger.warning("tag %s was not carried out: %s", tag.kind, error)
            done.unsaved += 1
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
    except NotSet as reason:
        done.unset.append(phrase("reminder.not_set", what=order.rest, reason=_reason(reason)))
    except (MemoryRefused, MemoryUnreachable) as error:
        logger.warning("the reminder that the user ordered was not set: %s", error)


def _reason(error: NotSet) -> str:
    """The reason that is shown to the person. The text of an `Unfit` error applies only without a model."""
    return phrase("reminder.misread") if isinstance(error, Unfit) else str(error)


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
    the reminder's first due time, the user is asked."""
    zone = incoming.sent_at.tzinfo
    assert isinstance(zone, ZoneInfo)  # a channel gives times in the user's zone
    try:
        said = (tag.time or "", incoming.sent_at, zone)
        wanted = by_rule(tag.text, tag.every, *said) if tag.every else timed(tag.text, *said)
    except NotSet as reason:
        done.unset.append(phrase("reminder.not_set", what=tag.text, reason=_reason(reason)))
        raise MemoryRefused(f"no time at which a reminder is possible: {tag.time!r} {tag.every!r}") from None
    args = wanted.args(_source(incoming, tag.text), claimed=True)
    reminder = await with_retries(lambda: memory.set_reminder(args), patience)
    if reminder.memory.status == "uncertain":
        done.uncertain.append(reminder.memory)
    else:
        done.saved.append(Saved(reminder.memory, "reject", reminder))


async def _close(memory: MemoryClient, incoming: Incoming, topic: str, patience: float, done: Done) -> None:
    """Close the goal, or else cancel the reminder, that matches the topic. Raises MemoryRefused if none does."""
    wanted = c.SearchMemoryArgs(query=topic, chat_id=incoming.chat_id, kinds=("goal",), limit=5)
    goals = await with_retries(lambda: memory.search_memory(wanted), patience)
    goal = next((goal for goal in goals.results if _share_a_word(topic, goal.text)), None)
    if goal is not None:
        await _complete(memory, incoming, goal, patience, done)
        return
    upcoming = await with_retries(lambda: coming(memory, incoming), patience)
    fresh = {one.memory.id for one in done.saved}  # the answer can set a new reminder before it cancels the old one
    older = (reminder for reminder in upcoming if reminder.memory.id not in fresh)
    meant = next((reminder for reminder in older if _share_a_word(topic, what_of(reminder))), None)
    if meant is None:
        raise MemoryRefused(f"no active goal and no reminder matches {topic!r}")
    await _cancel(memory, incoming, meant, patience, done)


async def _complete(
    memory: MemoryClient, incoming: Incoming, goal: c.SearchResult, patience: float, done: Done
) -> None:
    if not _is_mentioned(incoming, goal.text):
        known = await with_retries(lambda: memory.get_profile(c.GetProfileArgs(chat_id=incoming.chat_id)), patience)
        done.unclosed += [one for one in known.goals if one.id == goal.id]
        return
    args = c.UpdateMemoryArgs(memory_id=goal.id, action="complete", chat_id=incoming.chat_id)
    done.saved.append(Saved(await with_retries(lambda: memory.update_memory(args), patience), "reopen"))


async def _cancel(memory: MemoryClient, incoming: Incoming, meant: Reminder, patience: float, done: Done) -> None:
    if not _is_mentioned(incoming, what_of(meant)):
        done.unclosed.append(meant.memory)
        return
    args = ChangeReminderArgs(memory_id=meant.memory.id, action="cancel", chat_id=incoming.chat_id)
    cancelled = await with_retries(lambda: memory.change_reminder(args), patience)
    done.saved.append(Saved(cancelled.memory, "restore", cancelled))


def _is_mentioned(incoming: Incoming, text: str) -> bool:
    return any(
        _share_a_word(own_words(f"{message.text}\n{_pointed_at(message)}"), text) for message in incoming.messages
    )


def _pointed_at(message: Incoming) -> str:
    """The bot's message to which the user replies with words of their own."""
    return message.quoted if not message.quotes_person and own_words(message.text).strip() else ""


def _share_a_word(topic: str, text: str) -> bool:
    """Closing a wrong goal would be worse than closing none."""
    return bool(content_words(topic) & content_words(text))
