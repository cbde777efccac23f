"""A small Bot API on loopback: long polling, sends, edits, buttons; it can refuse, slow down and lose answers."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.stubs.loopback import served

BOT = {"id": 999, "is_bot": True, "first_name": "Memory", "username": "memory_bot"}
START = 1_771_204_500  # 2026-02-16 01:15 UTC


@dataclass
class Telegram:
    """What a chat's person sees and does. `faults`: method names to answer with an error first."""

    url: str = ""
    updates: list[dict[str, Any]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    faults: dict[str, list[Response]] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))
    _update_numbers: Any = field(default_factory=lambda: itertools.count(1))

    async def say(self, text: str, user: int = 42, chat: int | None = None, **extra: Any) -> int:
        """A person writes; the message's number."""
        number = next(self._numbers)
        message = {
            "message_id": number,
            "date": START + number * 60,
            "from": {"id": user, "is_bot": False, "first_name": "Priya"},
            "chat": {"id": chat or user, "type": "private" if (chat or user) > 0 else "supergroup", "title": "Group"},
            "text": text,
            **extra,
        }
        await self._push({"message": message})
        return number

    async def edit(self, number: int, text: str, user: int = 42) -> None:
        message = {
            "message_id": number,
            "date": START + number * 60,
            "edit_date": START + number * 60 + 30,
            "from": {"id": user, "is_bot": False, "first_name": "Priya"},
            "chat": {"id": user, "type": "private"},
            "text": text,
        }
        await self._push({"edited_message": message})

    async def press(self, message: dict[str, Any], label: str, user: int = 42) -> None:
        """Tap the button of that label under a sent message."""
        rows = message["reply_markup"]["inline_keyboard"]
        data = next(button["callback_data"] for row in rows for button in row if button["text"] == label)
        sender = {"id": user, "is_bot": False, "first_name": "Priya"}
        query = {"id": "1", "from": sender, "chat_instance": "x", "message": message, "data": data}
        await self._push({"callback_query": query})

    async def replies(self, count: int) -> list[str]:
        """The texts of the sent messages, once there are so many."""
        async with asyncio.timeout(20), self.changed:
            await self.changed.wait_for(lambda: len(self.sent) >= count)
        return [message["text"] for message in self.sent]

    async def until(self, wanted: Any) -> None:
        async with asyncio.timeout(20), self.changed:
            await self.changed.wait_for(wanted)

    async def _push(self, update: dict[str, Any]) -> None:
        async with self.changed:
            self.updates.append({"update_id": next(self._update_numbers), **update})
            self.changed.notify_all()

    async def handle(self, request: Request) -> Response:
        method = request.path_params["method"]
        arguments = await _arguments(request)
        faults = self.faults.get(method)
        if faults:
            return faults.pop(0)
        async with self.changed:
            self.calls.append((method, arguments))
            self.changed.notify_all()
        if method == "getUpdates":
            return JSONResponse({"ok": True, "result": await self._poll(arguments)})
        return JSONResponse({"ok": True, "result": await self._act(method, arguments)})

    async def _poll(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        offset = int(arguments.get("offset") or 0)
        self.updates = [update for update in self.updates if update["update_id"] >= offset]
        try:
            async with asyncio.timeout(float(arguments.get("timeout") or 0)), self.changed:
                await self.changed.wait_for(lambda: any(u["update_id"] >= offset for u in self.updates))
        except TimeoutError:
            return []
        return list(self.updates)

    async def _act(self, method: str, arguments: dict[str, Any]) -> Any:
        match method:
            case "getMe":
                return BOT
            case "sendMessage":
                return await self._send(arguments)
            case "editMessageText":
                return await self._change(arguments)
            case _:
                return True

    async def _send(self, arguments: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        chat = int(arguments["chat_id"])
        message: dict[str, Any] = {
            "message_id": number,
            "date": START + number * 60,
            "from": BOT,
            "chat": {"id": chat, "type": "private" if chat > 0 else "supergroup", "title": "Group"},
            "text": arguments["text"],
        }
        if "reply_markup" in arguments:
            markup = arguments["reply_markup"]
            message["reply_markup"] = json.loads(markup) if isinstance(markup, str) else markup
        async with self.changed:
            self.sent.append(message)
            self.changed.notify_all()
        return message

    async def _change(self, arguments: dict[str, Any]) -> dict[str, Any]:
        async with self.changed:
            message = next(m for m in self.sent if m["message_id"] == int(arguments["message_id"]))
            message["text"] = arguments["text"]
            self.changed.notify_all()
        return message


def slow_down(seconds: int) -> Response:
    answer = {
        "ok": False,
        "error_code": 429,
        "description": "Too Many Requests",
        "parameters": {"retry_after": seconds},
    }
    return JSONResponse(answer, 429)


def unreadable_markdown() -> Response:
    answer = {"ok": False, "error_code": 400, "description": "Bad Request: can't parse entities"}
    return JSONResponse(answer, 400)


async def _arguments(request: Request) -> dict[str, Any]:
    body = await request.body()
    if request.headers.get("content-type", "").startswith("application/json"):
        return dict(json.loads(body or b"{}"))
    return dict(await request.form())


@asynccontextmanager
async def telegram() -> AsyncIterator[Telegram]:
    emulator = Telegram()
    app = Starlette(routes=[Route("/bot{token}/{method}", emulator.handle, methods=["GET", "POST"])])
    async with served(app) as url:
        emulator.url = url
        yield emulator
