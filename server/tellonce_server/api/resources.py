"""MCP resources: clients read some results of the tools by URI. Subscribers are notified of changes."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from tellonce.client import LATER_META, UNREACHABLE
from tellonce.contract import GetContextArgs, GetProfileArgs, SummarizeChatArgs
from tellonce.contract_types import MEMORY_KINDS
from tellonce_server.api import text
from tellonce_server.api.assistant import PROFILE_LINES, GetServices
from tellonce_server.api.strict_tool import CallerOf, in_zone
from tellonce_server.core import errors
from tellonce_server.core.scope import Asked, ChatRefused, ChatScope, is_conversation, own_chat, owner_of
from tellonce_server.domain.location import located
from tellonce_server.store import chats, memories, messages
from tellonce_text.dates.clock import local

if TYPE_CHECKING:
    from tellonce_server.services.services import Services

MOST_MESSAGES = 200
MOST_VALUES = 100
"""Maximum number of values of one completion. MCP allows no more."""
CHAT = "memory://chat/{chat_id}"


TEXT, JSON = "text/plain", "application/json"


def add_resources(server: "MCPServer[None]", ready: GetServices, caller_of: CallerOf) -> None:
    """Register the resources and the completions of their parameters."""
    views = _Views(ready, caller_of)
    table: tuple[tuple[str, str, str, str, str, Callable[..., Awaitable[str]]], ...] = (
        ("memory://profile", "profile", "Profile", TEXT, "What is known of the user.", views.profile),
        ("memory://chats", "chats", "Chats", JSON, "The user's chats.", views.chats),
        (f"{CHAT}/summary", "chat_summary", "Chat summary", TEXT, "A chat's summaries.", views.summary),
        (f"{CHAT}/messages{{?limit,before}}", "chat_messages", "Messages", JSON, "Newest first.", views.messages),
        (f"{CHAT}/context", "chat_context", "Context", TEXT, "What an assistant is shown now.", views.context),
        ("memory://memory/{memory_id}", "memory", "Memory", TEXT, "One memory.", views.memory),
    )
    for uri, name, title, mime_type, description, view in table:
        server.resource(uri, name=name, title=title, mime_type=mime_type, description=description)(view)

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK leaves this decorator untyped
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        if argument.name == "kind":
            return _starting(argument.value, MEMORY_KINDS)
        if argument.name != "chat_id":
            return None
        try:
            return _starting(argument.value, await views.chat_ids())
        except errors.TEMPORARY_FAILURES as failure:
            raise later(failure) from failure


class _Views:
    def __init__(self, ready: GetServices, caller_of: CallerOf) -> None:
        self._ready = ready
        self._caller_of = caller_of

    async def profile(self) -> str:
        services, scope = await self._at(None)
        return text.profile(
            in_zone(await services.profiles.profile(scope, GetProfileArgs(), PROFILE_LINES), services.deps.zone)
        )

    async def chats(self) -> str:
        services, scope = await self._at(None)
        found = await chats.of_owner(services.deps.database, scope.owner_id)
        rows = [
            {
                "chat_id": c.chat_id,
                "channel": c.channel,
                ("conversation_id" if is_conversation(c.chat_id) else "name"): c.conversation,
                "messages": c.last_id,
            }
            for c in found
        ]
        return json.dumps(rows, ensure_ascii=False)

    async def summary(self, chat_id: str) -> str:
        services, scope = await self._at(chat_id)
        summary = await services.summaries.chat_summary(scope, SummarizeChatArgs())
        return text.chat_summary(in_zone(summary, services.deps.zone))

    async def messages(self, chat_id: str, limit: str = "50", before: str = "") -> str:
        services, scope = await self._at(chat_id)
        most = max(1, min(row_number("limit", limit), MOST_MESSAGES))
        below = row_number("before", before) if before else messages.NEWEST
        lines = await messages.page(services.deps.database, *scope.key, below, most)
        zone = services.deps.zone
        rows = [
            {
                "id": x.id,
                "role": x.role,
                "speaker": x.speaker,
                "at": local(x.sent_at, zone).isoformat(),
                "text": x.content,
            }
            for x in lines
        ]
        return json.dumps(rows, ensure_ascii=False)

    async def context(self, chat_id: str) -> str:
        services, scope = await self._at(chat_id)
        return (await services.reader.context(scope, GetContextArgs())).context or ""

    async def memory(self, memory_id: str) -> str:
        services, scope = await self._at(None)
        found = None
        if memory_id.isdecimal() and len(memory_id) < 19:
            found = await memories.by_id(services.deps.database, scope.owner_id, int(memory_id))
        if found is None:
            raise ResourceNotFoundError(f"No memory {memory_id}; a search finds its number.")
        return text.memory(in_zone(found, services.deps.zone))

    async def chat_ids(self) -> list[str]:
        """The ids of the caller's chats and conversations; for the relay, the ids of all chats in the settings."""
        deps, caller = (await self._ready()).deps, self._caller_of()
        settings = deps.settings
        served = (settings.default_user, *settings.user_ids, *settings.groups, *settings.personal_groups)
        mine = [chat for chat in served if caller.user_id is None or owner_of(chat, settings) == caller.user_id]
        begun = [c.chat_id for c in await chats.of_owner(deps.database, caller.user_id)] if caller.user_id else []
        return [str(chat) for chat in dict.fromkeys((*mine, *begun))]

    async def _at(self, chat_id: str | None) -> "tuple[Services, ChatScope]":
        services = await self._ready()
        caller = self._caller_of()
        try:
            if chat_id is None:
                return services, own_chat(caller)
            return services, await located(services.deps, caller, Asked(chat_number(chat_id)))
        except ChatRefused as error:
            raise ResourceNotFoundError(str(error)) from error


def later(failure: Exception) -> MCPError:
    """The error for a request that failed in a database outage. Tool calls use another error."""
    return MCPError(UNREACHABLE, errors.DATABASE_ERRORS.noted(failure), {LATER_META: True})


def _starting(value: str, known: Sequence[str]) -> Completion:
    found = [entry for entry in known if entry.startswith(value)]
    return Completion(values=found[:MOST_VALUES], total=len(found), has_more=len(found) > MOST_VALUES)


def chat_number(text: str) -> int:
    """Parse a chat id from a URI. Raises ResourceNotFoundError."""
    if re.fullmatch(r"-?[0-9]{1,18}", text) is None:
        raise ResourceNotFoundError(f"No chat {text[:40]!r}; memory://chats lists the available chats.")
    return int(text)


def row_number(name: str, text: str) -> int:
    """Parse a message number or a count from a URI. Raises ResourceNotFoundError, with a valid example."""
    if re.fullmatch(r"[0-9]{1,18}", text) is None:
        raise ResourceNotFoundError(f"{name}={text[:40]} is not a valid number; write {name}=20, for example.")
    return int(text)
