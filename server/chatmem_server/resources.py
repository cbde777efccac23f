"""The memory as resources: the same views the tools give, by URI; updates are announced to subscribers."""

import json
import re

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from chatmem.contract import GetContextArgs, MemoryKind, SummarizeChatArgs
from chatmem_server.actors import Actors
from chatmem_server.places import Caller, ChatRefused, Where, locate
from chatmem_server.store import chats, memories, messages
from chatmem_server.tools import text
from chatmem_server.tools.assistant import GetActors
from chatmem_server.tools.strict import CallerOf

MOST_MESSAGES = 200
KINDS: tuple[MemoryKind, ...] = ("fact", "preference", "goal", "date", "outcome", "pin")


def add_resources(server: "MCPServer[None]", ready: GetActors, caller_of: CallerOf) -> None:
    async def at(chat_id: str | None) -> tuple[Actors, Where]:
        actors = await ready()
        caller = assistant(caller_of())
        try:
            return actors, locate(caller, None if chat_id is None else chat_number(chat_id), actors.kit.settings)
        except ChatRefused as error:
            raise ResourceNotFoundError(str(error)) from error

    @server.resource(
        "memory://profile",
        name="profile",
        title="Profile",
        mime_type="text/plain",
        description="What is known of the user.",
    )
    async def profile() -> str:
        actors, where = await at(None)
        return text.profile(await actors.viewer.profile(where))

    @server.resource(
        "memory://chats", name="chats", title="Chats", mime_type="application/json", description="The user's chats."
    )
    async def all_chats() -> str:
        actors, where = await at(None)
        found = await chats.of_owner(actors.kit.database, where.owner_id)
        return json.dumps([{"chat_id": c.chat_id, "channel": c.channel, "messages": c.last_id} for c in found])

    @server.resource(
        "memory://chat/{chat_id}/summary",
        name="chat_summary",
        title="Chat summary",
        mime_type="text/plain",
        description="A chat's summaries.",
    )
    async def summary(chat_id: str) -> str:
        actors, where = await at(chat_id)
        return text.chat_summary(await actors.viewer.chat_summary(where, SummarizeChatArgs()))

    @server.resource(
        "memory://chat/{chat_id}/messages{?limit,before}",
        name="chat_messages",
        title="Messages",
        mime_type="application/json",
        description="A chat's messages, newest first.",
    )
    async def page(chat_id: str, limit: int = 50, before: int = 2**62) -> str:
        actors, where = await at(chat_id)
        lines = await messages.page(
            actors.kit.database, where.owner_id, where.chat_id, before, max(1, min(limit, MOST_MESSAGES))
        )
        rows = [
            {"id": x.id, "role": x.role, "speaker": x.speaker, "at": x.sent_at.isoformat(), "text": x.content}
            for x in lines
        ]
        return json.dumps(rows, ensure_ascii=False)

    @server.resource(
        "memory://chat/{chat_id}/context",
        name="chat_context",
        title="Context",
        mime_type="text/plain",
        description="What an assistant is shown now.",
    )
    async def context_now(chat_id: str) -> str:
        actors, where = await at(chat_id)
        built = await actors.reader.context(where, GetContextArgs())
        return built.context or ""

    @server.resource(
        "memory://memory/{memory_id}", name="memory", title="Memory", mime_type="text/plain", description="One memory."
    )
    async def one_memory(memory_id: str) -> str:
        actors, where = await at(None)
        found = None
        if memory_id.isdecimal() and len(memory_id) < 19:
            found = await memories.by_id(actors.kit.database, where.owner_id, int(memory_id))
        if found is None or (found.chat_id is not None and found.chat_id != where.chat_id):
            raise ResourceNotFoundError(f"No memory {memory_id}; find its number with search_memory.")
        return text.memory(found)

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK leaves this decorator untyped
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        if argument.name == "kind":
            return Completion(values=[kind for kind in KINDS if kind.startswith(argument.value)])
        if argument.name == "chat_id":
            actors = await ready()
            known = [
                actors.kit.settings.default_user,
                *actors.kit.settings.user_ids,
                *actors.kit.settings.personal_groups,
            ]
            values = [str(chat) for chat in dict.fromkeys(known)]
            return Completion(values=[value for value in values if value.startswith(argument.value)])
        return None


def chat_number(text: str) -> int:
    """A chat id as a URI has it.

    Raises:
        ResourceNotFoundError: when it is no number a chat can have.
    """
    if re.fullmatch(r"-?[0-9]{1,18}", text) is None:
        raise ResourceNotFoundError(f"No chat {text[:40]!r}; memory://chats lists the chats there are.")
    return int(text)


def assistant(caller: Caller) -> Caller:
    """Resources are the assistants' and the relay's; the agent has none."""
    if caller.scopes & {"assistant", "relay"}:
        return caller
    raise ResourceNotFoundError("This credential has no resources.")
