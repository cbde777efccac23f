"""Sends to Telegram: waits when Telegram throttles, retries after failures, and checks whether a message has arrived
before sending it again.

Telegram has no idempotency keys, and a bot cannot read a chat. But if an edit changes nothing, Telegram refuses it as
"not modified". This refusal proves that the message has exactly the text of the edit. Also, the ids of messages only
increase. So if the answer to a send is lost, the sender tries such an edit with the message ids after the highest known
id. If such an edit finds the message, the message was sent; otherwise the message is sent again.

The message that was sent first can still arrive after this check. Then the text appears twice. Before further messages
to the chat, the sender therefore repeats the check, and deletes the message that it finds. The second check finds only
a message that is among the next `LOOK_AT` unseen messages. A more distant message remains as a duplicate. This is
possible while more than a hundred updates are waiting.
"""

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import count, islice
from typing import TypeVar

import httpx
from telegram import Bot, ForceReply, InlineKeyboardMarkup, LinkPreviewOptions, Message, MessageEntity, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError

from tellonce.backoff import backoff
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.stores import MovedGroups
from tellonce_relay.telegram.markdown import Marked

logger = logging.getLogger(__name__)

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LOOK_AT = 60
"""Maximum number of unseen messages that are compared with an uncertain message. The messages of all private chats
share one counter, so many of these messages can belong to other chats."""
SETTLING = 1.5
"""Seconds to wait before the first search for messages that a former process sent. Telegram may execute a request
shortly after the process that sent the request was killed."""
LATEST = 120.0
"""Seconds after which Telegram rarely executes a request of a killed process. After the process was killed, the
operating system may transmit the process's data for up to two minutes."""
MOST_REFUSALS = 100
"""Maximum number of attempts to send one message if Telegram's errors seem unrelated to the message. The last attempts
are half a minute apart. After this many attempts, the message is assumed to be the cause and is dropped, so that it
does not block its chat forever. While Telegram is unreachable, sending is retried without limit."""

SUPERGROUPS_BELOW = -1_000_000_000_000

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_WORDINGS = re.compile(
    r"(?:chat|thread|user|message to edit|message to be replied) not found|can't parse entities|message is too long"
    r"|message text is empty|not enough rights|no rights|bot was (?:blocked|kicked)|user is deactivated|unauthorized"
    r"|bad gateway|timed out|not modified|need administrator rights"
)
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

Markup = InlineKeyboardMarkup | ForceReply
ResultT = TypeVar("ResultT")
Sleep = Callable[[float], Awaitable[None]]
AboutTo = Callable[[int | None], None]
Send = Callable[[], Awaitable[int]]


class NotSent(Exception):
    """Telegram did not accept the message."""


class SlowDown(Exception):
    """Telegram requests a pause of `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"wait {seconds:g} s")
        self.seconds = seconds


class AnswerLost(Exception):
    """Telegram's answer was lost, so the message may or may not exist."""


@dataclass(frozen=True)
class Address:
    """The target of a message: a chat, optionally a topic and a reply target."""

    chat_id: int
    thread_id: int | None = None
    reply_to: int | None = None


@dataclass(frozen=True)
class _UncertainMessage:
    """A message that was not found after the message `after`, and may still appear. `resent` is the time at which its
    text was sent again, and `copy` is the number of that second message; both are None before."""

    what: Marked
    markup: InlineKeyboardMarkup | None
    after: int
    resent: float | None = None
    copy: int | None = None


def record_nothing(after: int | None) -> None:
    """Record nothing: the default for callers that keep no record of deliveries."""


class MessageSender:
    """Sends messages. Several tasks may share one sender. `tries` limits the attempts of one call in
    `tellonce send`; with None, as in the relay, a call retries until Telegram is available.

    `newest` stores the highest message ids across restarts. When the sending of a message begins, the stored id is
    lower than the id that the message will get. The process first stores the id of a message. Then it stores the fact
    that the message has arrived. After a kill between these steps, the stored id is the id of the uncertain message
    itself. So the search excludes only the ids that this process has seen, and the ids in `scripts`: the messages of
    `tellonce send`, which another process may send at any time.
    """

    def __init__(
        self,
        bot: Bot,
        moved: MovedGroups | None = None,
        *,
        tries: int | None = None,
        newest: SeenStore | None = None,
        scripts: SeenStore | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._bot = bot
        self._moved = moved or MovedGroups()
        self._tries = tries
        self._sleep = sleep
        self._drafts = True
        # A chat's messages are sent one at a time, so that no other message is sent while the number of one message is
        # uncertain.
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._newest = newest or SeenStore()
        self._scripts = scripts or SeenStore()
        self._uncertain: dict[int, _UncertainMessage] = {}
        self._started: float | None = None
        self._seen: defaultdict[int, set[int]] = defaultdict(set)
        self._closed: set[int] = set()

    def saw(self, chat_id: int, number: int) -> None:
        """Record that a message with that number exists in the chat."""
        self._closed.discard(chat_id)
        known = self._seen[_counter(chat_id)]
        if number > (self._highest(chat_id) or 0):
            self._newest.put(str(_counter(chat_id)), str(number))
        known.add(number)
        if len(known) > 2000:
            known -= set(sorted(known)[:1000])

    def is_closed(self, chat_id: int) -> bool:
        """Whether the chat refused the last message, because the bot was blocked or removed."""
        return chat_id in self._closed

    async def typing(self, to: Address) -> None:
        """Show the typing indicator, without reporting errors."""
        try:
            await self._bot.send_chat_action(to.chat_id, ChatAction.TYPING, message_thread_id=to.thread_id)
        except TelegramError as error:
            logger.info("typing was not shown: %s", error)

    async def react(self, chat_id: int, number: int, emoji: str) -> None:
        """React to a message, without reporting errors, because a chat may not allow reactions."""
        try:
            await self._bot.set_message_reaction(chat_id, number, emoji)
        except TelegramError as error:
            logger.info("a reaction was not shown: %s", error_text(error))

    async def send(
        self, to: Address, what: Marked, markup: Markup | None = None, about_to: AboutTo = record_nothing
    ) -> int:
        """Send one message and return its id. First, `about_to` is called with the highest known message number in the
        chat, or with None if no number is known. If it stays unknown whether the message was sent, `find` can look for
        the message among higher ids.

        Raises NotSent. Raises AnswerLost if the answer was lost and no message number is known. Without a number,
        `find` cannot look for the message.
        """
        try:
            return await self._number(to, what, markup, about_to, self._with_retries)
        except BadRequest as error:
            return await self._send_plainer(to, what, markup, about_to, error)
        except ChatMigrated as error:
            self._moved.moved(to.chat_id, error.new_chat_id)
            return await self.send(Address(error.new_chat_id), what, markup, about_to)
        except TelegramError as error:
            if isinstance(error, Forbidden):
                self._closed.add(to.chat_id)
            raise NotSent(error_text(error)) from error

    async def begin(self, to: Address, what: Marked, about_to: AboutTo = record_nothing) -> int:
        """Send a draft without retries. Raises SlowDown, NotSent and AnswerLost."""
        with _without_retries():
            return await self._number(to, what, None, about_to, lambda call: call())

    async def draft(self, to: Address, draft_id: int, what: Marked) -> bool:
        """Show one of Telegram's own drafts. False if it cannot be shown this way. Raises SlowDown."""
        if not self._drafts or to.chat_id < 0:
            return False
        try:
            await self._bot.send_message_draft(
                to.chat_id, draft_id, what.text, message_thread_id=to.thread_id, entities=entities(what)
            )
        except RetryAfter as refusal:
            raise SlowDown(wanted_pause(refusal)) from refusal
        except (BadRequest, InvalidToken) as error:
            logger.info("drafts are shown by editing a message instead: %s", error_text(error))
            self._drafts = False
        except TelegramError as error:
            logger.info("a draft was not shown: %s", error_text(error))
        return self._drafts

    async def change(self, to: Address, number: int, what: Marked) -> None:
        """Edit a draft once, without retries. Raises SlowDown and NotSent."""
        with _without_retries():
            await self._edit(to.chat_id, number, what, None)

    async def edit(self, chat_id: int, number: int, what: Marked, markup: InlineKeyboardMarkup | None = None) -> None:
        """Edit a message. An edit is idempotent, so it is retried after a lost answer. Raises NotSent."""
        try:
            await self._with_retries(lambda: self._edit(chat_id, number, what, markup))
        except BadRequest as error:
            if _is_unchanged(error):
                return
            if not what.marks:
                raise NotSent(error_text(error)) from error
            await self.edit(chat_id, number, Marked(what.text), markup)
        except TelegramError as error:
            raise NotSent(error_text(error)) from error

    async def settled(self) -> None:
        """Wait until Telegram has probably executed the requests of a killed process or of cancelled calls. The wait
        ends `SETTLING` seconds after the first call of this method. A cancellation starts the wait again."""
        now = asyncio.get_running_loop().time()
        self._started = now if self._started is None else self._started
        if (left := self._started + SETTLING - now) > 0:
            await self._sleep(left)

    async def find(self, chat_id: int, what: Marked, after: int, markup: Markup | None = None) -> int | None:
        """The id of a message after `after` with exactly this text; None if there is none. Raises TelegramError."""
        uncertain = _UncertainMessage(what, markup if isinstance(markup, InlineKeyboardMarkup) else None, after)
        number = await self._found(chat_id, uncertain, count(after + 1))
        if number is None:
            self._uncertain[chat_id] = uncertain
        return number

    async def _found(self, chat_id: int, uncertain: _UncertainMessage, numbers: Iterable[int]) -> int | None:
        # A number is compared with the seen numbers only when the search reaches the number, because other messages can
        # be sent meanwhile.
        seen, scripts = self._seen[_counter(chat_id)], self._scripts
        unseen = (n for n in numbers if n not in seen and scripts.get(_named(chat_id, n)) is None)
        forms = (uncertain.what, Marked(uncertain.what.text)) if uncertain.what.marks else (uncertain.what,)
        for number in islice(unseen, LOOK_AT):
            for form in forms:
                try:
                    await self._with_retries(partial(self._edit, chat_id, number, form, uncertain.markup))
                except BadRequest as error:
                    if not _is_unchanged(error):
                        continue
                self.saw(chat_id, number)
                return number
        return None

    async def _number(
        self,
        to: Address,
        what: Marked,
        markup: Markup | None,
        about_to: AboutTo,
        trying: Callable[[Send], Awaitable[int]],
    ) -> int:
        async with self._locks[to.chat_id]:
            await self._delete_double(to.chat_id, what)
            after = self._highest(to.chat_id)
            about_to(after)
            number = await trying(lambda: self._once(to, what, markup, after))
            uncertain = self._uncertain.get(to.chat_id)
            if uncertain is not None and uncertain.what == what:
                self._uncertain[to.chat_id] = replace(uncertain, resent=asyncio.get_running_loop().time(), copy=number)
        self.saw(to.chat_id, number)
        if self._tries is not None:
            self._scripts.put(_named(to.chat_id, number), "")
        return number

    async def _delete_double(self, chat_id: int, following: Marked) -> None:
        """Delete the first message with a text that was sent twice, if this first message has appeared by now."""
        uncertain = self._uncertain.get(chat_id)
        if uncertain is None or uncertain.resent is None or uncertain.what == following:
            return
        if asyncio.get_running_loop().time() - uncertain.resent > LATEST:
            del self._uncertain[chat_id]
            return
        passed = range(uncertain.after + 1, self._highest(chat_id) or 0)
        try:
            number = await self._found(chat_id, uncertain, (n for n in passed if n != uncertain.copy))
            if number is not None:
                await self._bot.delete_message(chat_id, number)
        except TelegramError as error:
            logger.info("a text that may be shown twice was not deleted: %s", error_text(error))
            return
        if number is not None:
            del self._uncertain[chat_id]

    async def _once(self, to: Address, what: Marked, markup: Markup | None, after: int | None) -> int:
        """Send the message. If the answer is lost, search for the message among the ids after `after`. Raises
        AnswerLost only if `after` is None, because the search then has no starting point."""
        try:
            return await self._send(to, what, markup)
        except asyncio.CancelledError:
            self._started = None  # Telegram can still execute the request, so `settled` waits again
            raise
        except NetworkError as error:
            if not _may_be_there(error):
                raise
            number = await self.find(to.chat_id, what, after, markup) if after is not None else None
            if number is not None:
                return number
            if after is None and not _was_refused(error):
                raise AnswerLost(error_text(error)) from error
            raise

    async def _send_plainer(
        self, to: Address, what: Marked, markup: Markup | None, about_to: AboutTo, error: BadRequest
    ) -> int:
        if "thread not found" in str(error).lower() and to.thread_id is not None:
            return await self.send(replace(to, thread_id=None), what, markup, about_to)
        if what.marks:
            return await self.send(to, Marked(what.text), markup, about_to)
        raise NotSent(error_text(error)) from error

    async def _send(self, to: Address, what: Marked, markup: Markup | None) -> int:
        reply = ReplyParameters(to.reply_to, allow_sending_without_reply=True) if to.reply_to is not None else None
        sent = await self._bot.send_message(
            to.chat_id,
            what.text,
            entities=entities(what),
            message_thread_id=to.thread_id,
            reply_parameters=reply,
            reply_markup=markup,
            link_preview_options=_NO_PREVIEW,
        )
        return sent.message_id

    async def _edit(
        self, chat_id: int, message_id: int, what: Marked, markup: InlineKeyboardMarkup | None
    ) -> Message | bool:
        return await self._bot.edit_message_text(
            what.text,
            chat_id,
            message_id,
            entities=entities(what),
            reply_markup=markup,
            link_preview_options=_NO_PREVIEW,
        )

    async def _with_retries(self, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        tried = 1
        while True:
            try:
                return await call()
            except RetryAfter as refusal:
                if self._tries is not None and wanted_pause(refusal) > LONGEST_PAUSE:
                    raise
                wait = wanted_pause(refusal)
            except NetworkError as error:
                if isinstance(error, BadRequest) or tried == self._tries:
                    raise
                if tried >= MOST_REFUSALS and _was_refused(error):
                    raise
                logger.info("Telegram did not accept a message: %s", error)
                wait = backoff(tried, FIRST_PAUSE, LONGEST_PAUSE)
                tried += 1
            await self._sleep(wait)

    def _highest(self, chat_id: int) -> int | None:
        stored = self._newest.get(str(_counter(chat_id)))
        return int(stored) if stored is not None else None


@contextmanager
def _without_retries() -> Generator[None]:
    try:
        yield
    except RetryAfter as refusal:
        raise SlowDown(wanted_pause(refusal)) from refusal
    except TelegramError as error:
        raise NotSent(error_text(error)) from error


def _counter(chat_id: int) -> int:
    """Each supergroup has its own message counter. Private chats and basic groups share one."""
    return chat_id if chat_id < SUPERGROUPS_BELOW else 0


def _named(chat_id: int, number: int) -> str:
    return f"{_counter(chat_id)}:{number}"


def error_text(error: TelegramError) -> str:
    """The error's type and a known message. An unknown message may quote the text, so it is left out."""
    known = _WORDINGS.search(str(error).lower())
    return f"{type(error).__name__} ({known[0]})" if known else type(error).__name__


def wanted_pause(refusal: RetryAfter) -> float:
    """The pause in seconds that Telegram requests."""
    wait: int | timedelta = refusal.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def entities(what: Marked) -> list[MessageEntity] | None:
    """The marks as Telegram's entities."""
    return [
        MessageEntity(mark.kind, mark.offset, mark.length, url=mark.url, language=mark.language) for mark in what.marks
    ] or None


def _may_be_there(error: NetworkError) -> bool:
    """Whether Telegram has possibly executed the request."""
    return not isinstance(error, BadRequest) and not isinstance(error.__cause__, _NEVER_SENT)


def _was_refused(error: NetworkError) -> bool:
    """Whether Telegram or a gateway reported the error. After such a report, most likely nothing was sent."""
    return not isinstance(error.__cause__, httpx.HTTPError | ValueError)


def _is_unchanged(error: BadRequest) -> bool:
    return "not modified" in str(error).lower()
