"""The actions of people in their chats, and the messages that they see. This is the part of the emulator that tests
use."""

import asyncio
import base64
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from tests.patience import HANGS
from tests.stubs.loopback import served
from tests.stubs.telegram_emulator.api import BotApi, Call
from tests.stubs.telegram_emulator.faults import Fault
from tests.stubs.telegram_emulator.world import BOT, Json, World, chat_of, units

Condition = Callable[[], bool]

REDELIVERY_SECONDS = 0.05
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture: one pixel, PNG."""


class Telegram:
    """An emulated Telegram. `url` is the address of its Bot API; `sent` are the bot's messages with their current
    contents, oldest first."""

    def __init__(self, url: str, api: BotApi) -> None:
        self.url = url
        self.api = api
        self.world: World = api.world

    @property
    def sent(self) -> list[Json]:
        return self.world.sent

    @property
    def calls(self) -> list[Call]:
        return self.api.calls

    @property
    def faults(self) -> dict[str, list[Fault | None]]:
        return self.api.faults

    async def say(
        self,
        text: str,
        user: int = 42,
        chat: int | None = None,
        *,
        topic: int | None = None,
        until: Condition | None = None,
        **extra: Any,
    ) -> int:
        """Send a person's message and return its number. `reply_to` is the number of the answered message. With
        `until`, wait until this condition is true."""
        place = chat or user
        named = [
            {"type": "mention", "offset": units(text[: found.start()]), "length": units(found[0])}
            for found in re.finditer(r"@\w+", text)
        ]
        fields = {
            "text": text,
            **({"entities": named} if named else {}),
            **self.thread(place, topic, extra.pop("reply_to", None)),
            **extra,
        }
        message = self.world.message(place, self._person(user), **fields)
        await self._pushed("message", message, until)
        return int(message["message_id"])

    async def _pushed(self, kind: str, update: Json, until: Condition | None) -> None:
        await self.world.push(kind, update)
        if until is not None:
            await self.until(until)

    async def show(self, user: int = 42, chat: int | None = None, **fields: Any) -> int:
        """Send a message that is not a text, such as a photo, a voice message or a service message."""
        message = self.world.message(chat or user, self._person(user), **fields)
        await self.world.push("message", message)
        return int(message["message_id"])

    async def burst(self, *texts: str, user: int = 42, chat: int | None = None, **extra: Any) -> list[int]:
        """Send several messages in one second."""
        return await self._at_once([{"text": text} for text in texts], user, chat, **extra)

    async def photo(self, data: bytes = PIXEL, **fields: Any) -> int:
        """Send a picture of these bytes."""
        return await self.show(**self._picture(data), **fields)

    async def album(self, *captions: str, user: int = 42, chat: int | None = None) -> list[int]:
        """Send an album with one picture for each caption. A caption may be empty."""
        shown = [{**self._picture(PIXEL), **({"caption": caption} if caption else {})} for caption in captions]
        return await self._at_once(shown, user, chat, media_group_id="album")

    def _picture(self, data: bytes) -> Json:
        number = self.upload(data)
        sizes = [{"file_id": number, "file_unique_id": number, "width": 1, "height": 1, "file_size": len(data)}]
        return {"photo": sizes}

    async def _at_once(self, shown: list[Json], user: int, chat: int | None, **extra: Any) -> list[int]:
        made = [self.world.message(chat or user, self._person(user), **fields, **extra) for fields in shown]
        for message in made:
            message["date"] = made[0]["date"]
        await self.world.push("message", *made)
        return [int(message["message_id"]) for message in made]

    async def voice(self, data: bytes = b"OggS", **fields: Any) -> int:
        """Send a voice message."""
        number = self.upload(data)
        return await self.show(voice={"file_id": number, "file_unique_id": number, "duration": 3}, **fields)

    async def document(self, name: str, data: bytes, mime: str, **fields: Any) -> int:
        """Send a file."""
        number = self.upload(data)
        told = {
            "file_id": number,
            "file_unique_id": number,
            "file_name": name,
            "mime_type": mime,
            "file_size": len(data),
        }
        return await self.show(document=told, **fields)

    def upload(self, data: bytes) -> str:
        """Make a file available for download. Returns its id."""
        number = f"file-{len(self.world.files) + 1}"
        self.world.files[number] = data
        return number

    async def edit(
        self, number: int, text: str, user: int = 42, chat: int | None = None, until: Condition | None = None
    ) -> None:
        """Change the text of a person's message, or the caption of a picture. With `until`, wait until this condition
        is true."""
        message = self.world.find(chat or user, number)
        words = "text" if "text" in message else "caption"
        message |= {words: text, "edit_date": message["date"] + 30}
        await self._pushed("edited_message", dict(message), until)

    async def press(
        self, message: Json, label: str, user: int = 42, *, old: bool = False, until: Condition | None = None
    ) -> None:
        """Tap the button with that label under one of the bot's messages. If the message is `old`, Telegram sends only
        the message's number. With `until`, wait until this condition is true."""
        rows = message["reply_markup"]["inline_keyboard"]
        data = next(button["callback_data"] for row in rows for button in row if button["text"] == label)
        number = f"query-{len(self.world.toasts)}-{len(self.world.queries)}"
        self.world.queries.add(number)
        told = {"message_id": message["message_id"], "chat": message["chat"], "date": 0} if old else dict(message)
        query = {"id": number, "from": self._person(user), "chat_instance": "x", "message": told, "data": data}
        await self._pushed("callback_query", query, until)

    def open_topic(self, chat: int, name: str = "A topic") -> int:
        """Create a forum topic and return its number."""
        made = self.world.message(chat, self._person(42), forum_topic_created={"name": name, "icon_color": 1})
        made |= {"message_thread_id": made["message_id"], "is_topic_message": True}
        return int(made["message_id"])

    async def migrate(self, old: int, new: int) -> None:
        """Turn a basic group into a supergroup. Telegram reports this in both groups."""
        self.world.moved[old] = new
        await self.show(chat=old, migrate_to_chat_id=new)
        await self.show(chat=new, migrate_from_chat_id=old)

    async def replies(self, count: int) -> list[str]:
        """Wait until the bot has sent at least `count` messages, and return their texts."""
        await self.until(lambda: len(self.sent) >= count)
        return [message["text"] for message in self.sent]

    async def ask(self, text: str, user: int = 42, *, replies: int, **more: Any) -> list[str]:
        """Send a person's message (with the arguments of `say`), and wait until the bot has sent at least `replies`
        messages in all. Returns the texts of the bot's messages."""
        await self.say(text, user, **more)
        return await self.replies(replies)

    async def until(self, wanted: Condition) -> None:
        """Wait until the condition on the emulator is true. Raises TimeoutError."""
        async with asyncio.timeout(HANGS), self.world.changed:
            await self.world.changed.wait_for(wanted)

    async def all_fetched(self) -> None:
        """Wait until the bot has acknowledged every update."""
        newest = max((update["update_id"] for update in self.world.updates), default=0)
        await self.until(lambda: all(update["update_id"] > newest for update in self.world.updates))

    def _person(self, user: int) -> Json:
        """The fields of a person. The test can set the person's name and the language of the person's Telegram app."""
        language, name = self.world.languages.get(user), self.world.names.get(user)
        own = {"language_code": language} if language is not None else {}
        own |= self.world.profiles.get(user, {})
        return person(user) | own | ({"first_name": name} if name is not None else {})

    def thread(self, chat: int, topic: int | None, reply_to: int | None = None) -> Json:
        """The fields for a message's thread. A message in a topic always has a reply target. The default target is the
        message that created the topic."""
        fields: Json = {"message_thread_id": topic, "is_topic_message": True} if topic is not None else {}
        target = reply_to if reply_to is not None else topic
        if target is None:
            return fields
        flat = {k: v for k, v in self.world.find(chat, target).items() if k != "reply_to_message"}
        return fields | {"reply_to_message": flat}


def person(user: int) -> Json:
    return {"id": user, "is_bot": False, "first_name": "Priya"}


@asynccontextmanager
async def telegram(token: str | None = None, port: int = 0) -> AsyncIterator[Telegram]:
    """An emulated Telegram with a Bot API for the bot of `token`; by default it accepts any token."""
    api = BotApi(World(), token)
    async with served(api.app(), port) as url:
        delivering = asyncio.create_task(_deliver(api))
        try:
            yield Telegram(url, api)
        finally:
            delivering.cancel()
            api.released.set()
            await api.end_polls()
            await asyncio.gather(delivering, return_exceptions=True)


async def _deliver(api: BotApi) -> None:
    """If a webhook is set, post each update until it is accepted."""
    async with httpx.AsyncClient(trust_env=False) as http:
        while True:
            async with api.world.changed:
                await api.world.changed.wait_for(lambda: bool(api.webhook and api.world.updates))
            headers = {"X-Telegram-Bot-Api-Secret-Token": api.webhook.get("secret_token", "")}
            with suppress(httpx.HTTPError):
                answer = await http.post(api.webhook["url"], json=api.world.updates[0], headers=headers)
                if answer.status_code == 200:
                    async with api.world.changed:
                        api.world.updates.pop(0)
                        api.world.changed.notify_all()
                    continue
            await asyncio.sleep(REDELIVERY_SECONDS)


__all__ = ["BOT", "Telegram", "chat_of", "person", "telegram"]
