"""The Bot API over HTTP: one bot's methods on a world, with faults on demand and a record of every call."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.stubs.loopback import CutError
from tests.stubs.telegram_emulator.faults import (
    DropAfter,
    DropBefore,
    Fault,
    Garbage,
    Hang,
    Late,
    Refuse,
    RefusedError,
    Stall,
)
from tests.stubs.telegram_emulator.world import BOT, Json, World, check_markup, check_text, trimmed

_JSON_ARGUMENTS = (
    "entities",
    "reply_markup",
    "reply_parameters",
    "allowed_updates",
    "commands",
    "link_preview_options",
    "reaction",
)


_NAMES = (
    "getMe getUpdates setWebhook deleteWebhook setMyCommands sendChatAction sendMessage editMessageText deleteMessage "
    "answerCallbackQuery sendMessageDraft getFile setMessageReaction"
)
_METHODS = {name.lower(): name for name in _NAMES.split()}
"""Method names are case-insensitive."""


LARGEST_FILE = 20_000_000
"""Maximum bytes of a file that a bot can download."""


class Call(NamedTuple):
    """One call. `at` is in seconds of the monotonic clock."""

    method: str
    arguments: Json
    at: float


@dataclass
class BotApi:
    """`faults` maps each method to the faults of its next calls, in order. None means that a call has no fault."""

    world: World
    token: str | None = None
    calls: list[Call] = field(default_factory=list)
    faults: defaultdict[str, list[Fault | None]] = field(default_factory=lambda: defaultdict(list))
    webhook: Json = field(default_factory=dict)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    drafts: bool = True
    _polls: int = 0

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/bot{token}/{method}", self._handle, methods=["GET", "POST"]),
                Route("/file/bot{token}/{path:path}", self._file, methods=["GET"]),
            ]
        )

    def of(self, method: str) -> list[Json]:
        """The arguments of all calls of a method."""
        return [call.arguments for call in self.calls if call.method == method]

    async def _handle(self, request: Request) -> Response:
        method, arguments = _METHODS.get(request.path_params["method"].lower(), ""), await _arguments(request)
        async with self.world.changed:
            self.calls.append(Call(method, arguments, time.monotonic()))
            self.world.changed.notify_all()
        if self.token is not None and request.path_params["token"] != self.token:
            return _answer(Refuse(401, "Unauthorized"))
        waiting = self.faults[method]
        fault = waiting.pop(0) if waiting else None
        if isinstance(fault, Refuse):
            return _answer(fault)
        if isinstance(fault, DropBefore):
            return _cut()
        if isinstance(fault, Stall):
            await self.released.wait()
            return _cut()
        if isinstance(fault, Late):
            await asyncio.sleep(fault.seconds)
        return await self._spoiled(fault, await self._answered(method, arguments))

    async def _answered(self, method: str, arguments: Json) -> Response:
        action = self._methods().get(method)
        if action is None:
            return _answer(Refuse(404, "Not Found: method not found"))
        try:
            return JSONResponse({"ok": True, "result": await action(arguments)})
        except RefusedError as error:
            return _answer(error.refusal)

    async def _spoiled(self, fault: Fault | None, answer: Response) -> Response:
        if isinstance(fault, DropAfter):
            return _cut()
        if isinstance(fault, Garbage):
            return PlainTextResponse("<html>proxy</html>")
        if isinstance(fault, Hang):
            await self.released.wait()
        return answer

    def _methods(self) -> dict[str, Callable[[Json], Awaitable[Any]]]:
        return {
            "getMe": self._get_me,
            "getUpdates": self._get_updates,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "setMyCommands": self._set_my_commands,
            "sendChatAction": self._send_chat_action,
            "sendMessage": self._send_message,
            "setMessageReaction": self._set_message_reaction,
            "editMessageText": self._edit_message_text,
            "deleteMessage": self._delete_message,
            "answerCallbackQuery": self._answer_callback_query,
            **({"sendMessageDraft": self._send_message_draft} if self.drafts else {}),
            "getFile": self._get_file,
        }

    async def _get_me(self, _: Json) -> Json:
        rights = {"can_join_groups": True, "can_read_all_group_messages": True, "supports_inline_queries": False}
        return {**BOT, **rights}

    async def _get_updates(self, arguments: Json) -> list[Json]:
        """Long polling. As in the real API, a second poll ends the first."""
        if self.webhook:
            raise RefusedError("Conflict: can't use getUpdates method while webhook is active", 409)
        self._polls += 1
        poll, offset = self._polls, int(arguments.get("offset") or 0)
        if "allowed_updates" in arguments:
            self.world.allowed = arguments["allowed_updates"] or None
        self.world.updates = [u for u in self.world.updates if u["update_id"] >= offset]
        try:
            async with asyncio.timeout(float(arguments.get("timeout") or 0)), self.world.changed:
                self.world.changed.notify_all()
                await self.world.changed.wait_for(lambda: bool(self.world.updates) or self._polls != poll)
        except TimeoutError:
            return []
        if self._polls != poll:
            raise RefusedError("Conflict: terminated by other getUpdates request", 409)
        return self.world.updates[: int(arguments.get("limit") or 100)]

    async def end_polls(self) -> None:
        """End open polls, because they would otherwise be cut off in the middle of their answer."""
        async with self.world.changed:
            self._polls += 1
            self.world.changed.notify_all()

    async def _set_webhook(self, arguments: Json) -> bool:
        self.webhook = arguments
        self.world.allowed = arguments.get("allowed_updates") or None
        return True

    async def _delete_webhook(self, _: Json) -> bool:
        self.webhook = {}
        return True

    async def _set_my_commands(self, arguments: Json) -> bool:
        language = arguments.get("language_code", "")
        self.world.menus[language] = arguments["commands"]
        if not language:
            self.world.commands = arguments["commands"]
        return True

    async def _set_message_reaction(self, arguments: Json) -> bool:
        async with self.world.changed:
            self.world.reactions.append(arguments)
            self.world.changed.notify_all()
        return True

    async def _send_chat_action(self, arguments: Json) -> bool:
        self.world.actions.append(arguments)
        return True

    async def _send_message(self, arguments: Json) -> Json:
        chat, thread = int(arguments["chat_id"]), _number(arguments.get("message_thread_id"))
        self.world.check_place(chat, thread)
        check_text(arguments["text"], arguments.get("entities") or [])
        check_markup(arguments.get("reply_markup"))
        fields = {"entities": arguments["entities"]} if arguments.get("entities") else {}
        # Only inline keyboards are part of a message; other kinds change the person's keyboard.
        markup = arguments.get("reply_markup") or {}
        fields |= {"reply_markup": markup} if "inline_keyboard" in markup else {}
        fields |= self._reply(chat, arguments.get("reply_parameters"))
        fields |= {"message_thread_id": thread, "is_topic_message": True} if thread is not None else {}
        async with self.world.changed:
            text = trimmed(arguments["text"], arguments.get("entities") or [])
            made = self.world.message(chat, BOT, text=text, **fields)
            self.world.sent.append(made)
            self.world.changed.notify_all()
        self.world.drafts.pop(chat, None)
        return made

    async def _send_message_draft(self, arguments: Json) -> bool:
        """Show a draft in a private chat until the bot sends a message."""
        chat = int(arguments["chat_id"])
        self.world.check_place(chat, _number(arguments.get("message_thread_id")))
        if chat < 0 or not int(arguments["draft_id"]):
            raise RefusedError("Bad Request: drafts are for private chats and have a number")
        check_text(arguments.get("text") or "…", arguments.get("entities") or [])
        async with self.world.changed:
            self.world.drafts[chat] = arguments.get("text", "")
            self.world.changed.notify_all()
        return True

    async def _get_file(self, arguments: Json) -> Json:
        number = arguments["file_id"]
        data = self.world.files.get(number)
        if data is None:
            raise RefusedError("Bad Request: wrong file_id or the file is temporarily unavailable")
        if len(data) > LARGEST_FILE:
            raise RefusedError("Bad Request: file is too big")
        return {"file_id": number, "file_unique_id": number, "file_size": len(data), "file_path": f"files/{number}"}

    async def _file(self, request: Request) -> Response:
        """Download a file. Faults for the name `file` apply to downloads."""
        path = request.path_params["path"]
        async with self.world.changed:
            self.calls.append(Call("file", {"path": path}, time.monotonic()))
            self.world.changed.notify_all()
        waiting = self.faults["file"]
        fault = waiting.pop(0) if waiting else None
        if isinstance(fault, Refuse):
            return _answer(fault)
        if isinstance(fault, DropBefore | DropAfter):
            return _cut()
        return Response(self.world.files[path.removeprefix("files/")], media_type="application/octet-stream")

    def _reply(self, chat: int, reply: Json | None) -> Json:
        if reply is None:
            return {}
        target = self.world.messages.get((chat, int(reply["message_id"])))
        if target is None and not reply.get("allow_sending_without_reply"):
            raise RefusedError("Bad Request: message to be replied not found")
        return {"reply_to_message": _flat(target)} if target is not None else {}

    async def _edit_message_text(self, arguments: Json) -> Json:
        check_text(arguments["text"], arguments.get("entities") or [])
        message = self.world.find(int(arguments["chat_id"]), int(arguments["message_id"]))
        entities, markup = arguments.get("entities") or [], arguments.get("reply_markup")
        text = trimmed(arguments["text"], entities)
        if message["from"] != BOT:
            raise RefusedError("Bad Request: message can't be edited")
        same = message["text"] == text and message.get("entities", []) == entities
        if same and message.get("reply_markup") == markup:
            raise RefusedError(
                "Bad Request: message is not modified: specified new message content and reply markup are exactly the same"
            )
        async with self.world.changed:
            message["text"], message["entities"] = text, entities
            message.pop("reply_markup", None)
            message |= {"reply_markup": markup} if markup else {}
            self.world.changed.notify_all()
        return message

    async def _delete_message(self, arguments: Json) -> bool:
        chat, number = int(arguments["chat_id"]), int(arguments["message_id"])
        if self.world.messages.pop((chat, number), None) is None:
            raise RefusedError("Bad Request: message to delete not found")
        async with self.world.changed:
            self.world.sent[:] = [m for m in self.world.sent if (m["chat"]["id"], m["message_id"]) != (chat, number)]
            self.world.changed.notify_all()
        return True

    async def _answer_callback_query(self, arguments: Json) -> bool:
        if arguments["callback_query_id"] not in self.world.queries:
            raise RefusedError("Bad Request: query is too old and response timeout expired or query ID is invalid")
        async with self.world.changed:
            self.world.queries.remove(arguments["callback_query_id"])
            self.world.toasts.append(arguments.get("text", ""))
            self.world.changed.notify_all()
        return True


def _answer(refusal: Refuse) -> Response:
    return JSONResponse(refusal.body, refusal.code)


def _cut() -> Response:
    async def broken() -> AsyncIterator[bytes]:
        yield b"{"
        raise CutError

    return StreamingResponse(broken(), media_type="application/json", headers={"content-length": "1000"})


def _flat(message: Json) -> Json:
    """The message without its own reply target. A reply contains the message in this form."""
    return {key: value for key, value in message.items() if key != "reply_to_message"}


def _number(value: Any) -> int | None:
    return int(value) if value is not None else None


async def _arguments(request: Request) -> Json:
    body = await request.body()
    if request.headers.get("content-type", "").startswith("application/json"):
        return dict(json.loads(body or b"{}"))
    form = dict(await request.form())
    return {key: json.loads(str(value)) if key in _JSON_ARGUMENTS else value for key, value in form.items()}
