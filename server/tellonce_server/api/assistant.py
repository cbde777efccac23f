"""The tools for assistants and the tool for hooks: the description of each tool, and the service that answers its
calls."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.types import InputRequiredResult, ToolAnnotations

from tellonce import contract as c
from tellonce.server_text import ServerText
from tellonce.turn_contract import RecordedTurn, RecordTurnArgs
from tellonce_server.api import text
from tellonce_server.api.elicitation import Answer, answered, ask, can_ask
from tellonce_server.api.spec import AnyContext, Call, tool
from tellonce_server.core.scope import DEFAULT_CHANNEL, Asked, ChatScope, channel_of
from tellonce_server.domain.location import located, shared_into

if TYPE_CHECKING:
    from tellonce_server.domain.erasure.deletion import Report
    from tellonce_server.services.forget import Forgetter
    from tellonce_server.services.services import Services

READ = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
ADD = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
CHANGE = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
ERASE = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

PROFILE_LINES = 50
"""Default number of memories on one page of a profile."""

WHOLE_PROFILE = 100_000
"""Default number of memories for the relay, which gets the whole profile."""

ALWAYS = {"anthropic/alwaysLoad": True}
LONG = {"anthropic/maxResultSizeChars": 500_000}

APP_URI = "ui://tellonce/memory.html"
SHOWN = {"ui": {"resourceUri": APP_URI}}
"""Hosts that support MCP Apps show the results of these tools on the memory page."""

NOT_ERASED = {
    "no": ServerText("Nothing was erased: the user declined.", "forget_declined"),
    "dismissed": ServerText("Nothing was erased: the user closed the question without an answer.", "forget_declined"),
}

GetServices: TypeAlias = "Callable[[], Awaitable[Services]]"


def _hook_form(turn: RecordedTurn) -> str:
    """The JSON that the hook prints unchanged."""
    return turn.model_dump_json(include={"hookSpecificOutput"}, exclude_none=True)


class Tools:
    """Tools, one coroutine each. Clients list them before the storage is open, so `ready` waits for it."""

    def __init__(self, ready: GetServices) -> None:
        self._ready = ready

    async def _at(self, call: Call[Any]) -> "tuple[Services, ChatScope]":
        services = await self._ready()
        asked = Asked(call.args.chat_id, call.args.conversation_id, _channel(call))
        return services, await located(services.deps, call.caller, asked)


class AssistantTools(Tools):
    @tool(
        "What an answer needs: profile, facts, summaries, recent talk, search results. Call first, every turn.",
        READ,
        text.context,
        {**ALWAYS, **LONG},
    )
    async def get_context(self, call: Call[c.GetContextArgs]) -> c.Context:
        services, scope = await self._at(call)
        return await services.reader.context(scope, call.args, learns="assistant" in call.caller.scopes)

    @tool(
        "Store one message verbatim: each user message and each reply. Lasting facts are learned from it. "
        "Without message_id a repeat is stored again.",
        CHANGE,
        text.recorded,
        ALWAYS,
    )
    async def record_message(self, call: Call[c.RecordMessageArgs]) -> c.RecordedMessage:
        services, scope = await self._at(call)
        return await services.recorder.record(scope, call.args)

    @tool(
        "Find messages, summaries and memories by meaning or words, if context lacks it.",
        READ,
        text.results,
        {**ALWAYS, **LONG},
        remark=text.search_remark,
    )
    async def search_memory(self, call: Call[c.SearchMemoryArgs]) -> c.SearchResults:
        services, scope = await self._at(call)
        return await services.searcher.search(scope, call.args)

    @tool(
        "Keep what lasts: who the user is and knows, what they like, plan, decided, above all what changed or ended. "
        "Not small talk or guesses. Asked to remember: content. Learned: statements with the user's words, "
        "e.g. {content: 'The user works at Siemens', quote: 'I started at Siemens', replaces: [12]}, "
        "{content: 'Ann is the user's sister', quote: 'my sister Ann'}.",
        ADD,
        text.remembered,
        ALWAYS,
    )
    async def remember(self, call: Call[c.RememberArgs]) -> c.Remembered:
        services, scope = await self._at(call)
        return await services.rememberer.remember(scope, call.args)

    @tool(
        "Change one memory. Find its number with search_memory.",
        CHANGE,
        text.memory,
        {"anthropic/searchHint": "confirm correct complete pin share memory"},
    )
    async def update_memory(self, call: Call[c.UpdateMemoryArgs]) -> c.Memory:
        services, scope = await self._at(call)
        target = call.args.to_chat_id
        share_to = await shared_into(services.deps, call.caller, target) if target is not None else None
        return await services.rememberer.update(scope, call.args, share_to)

    @tool(
        "Erase for good, everywhere. Without confirm: a preview; show it to the user first.",
        ERASE,
        text.forgotten,
        {"anthropic/searchHint": "delete erase remove memory privacy", **SHOWN},
    )
    async def forget(self, call: Call[c.ForgetArgs]) -> c.Forgotten | InputRequiredResult:
        services, scope = await self._at(call)
        args: c.ForgetArgs = call.args
        report = call.context.report_progress
        if args.confirm is not None:
            return await services.forgetter.erase(scope, args, report)
        if not can_ask(call.context):
            return await services.forgetter.preview(scope, args)
        reply = answered(call.context)
        if reply is not None:
            return await _erased(services.forgetter, scope, args, *reply, report)
        preview = await services.forgetter.preview(scope, args)
        if preview.confirm is None:
            return preview
        answer = await ask(call.context, text.forget_question(preview), preview.confirm)
        if isinstance(answer, InputRequiredResult):
            return answer
        return await _erased(services.forgetter, scope, args, preview.confirm, answer, report)

    @tool(
        "What is known about the user. For one question use get_context.",
        READ,
        text.profile,
        {"anthropic/searchHint": "what do you know about me facts goals", **LONG, **SHOWN},
    )
    async def get_profile(self, call: Call[c.GetProfileArgs]) -> c.Profile:
        services, scope = await self._at(call)
        most = PROFILE_LINES if call.caller.user_id is not None else WHOLE_PROFILE
        return await services.profiles.profile(scope, call.args, most)

    @tool(
        "Summaries by period, today's routines, open work.",
        CHANGE,
        text.chat_summary,
        {"anthropic/searchHint": "summary catch up history", **LONG},
    )
    async def summarize_chat(self, call: Call[c.SummarizeChatArgs]) -> c.ChatSummary:
        services, scope = await self._at(call)
        return await services.summaries.chat_summary(scope, call.args)

    @tool(
        "Why something is known or answered: sources, versions, omissions.",
        READ,
        text.explanation,
        {"anthropic/searchHint": "why source provenance receipt", **LONG},
    )
    async def explain(self, call: Call[c.ExplainArgs]) -> c.Explanation:
        services, scope = await self._at(call)
        return await services.explainer.explain(scope, call.args)

    @tool(
        "Archive the summary; memories stay. Only if the user or a notice asks.",
        CHANGE,
        text.new_chat,
        {"anthropic/searchHint": "new conversation reset"},
    )
    async def start_new_chat(self, call: Call[c.StartNewChatArgs]) -> c.NewChat:
        services, scope = await self._at(call)
        return await services.summaries.start_new_chat(scope)

    @tool(
        "For hooks of coding assistants: record messages, and return memories related to the event.",
        ADD,
        _hook_form,
        listed=False,
    )
    async def record_turn(self, call: Call[RecordTurnArgs]) -> RecordedTurn:
        services, scope = await self._at(call)
        return await services.turns.turn(scope, call.args)


def _channel(call: Call[Any]) -> str:
    named = call.args.channel if isinstance(call.args, c.RecordMessageArgs) else None
    if named is not None:
        return named
    if call.caller.user_id is None:
        return DEFAULT_CHANNEL
    return client_channel(call.context)


def client_channel(context: AnyContext) -> str:
    """The channel of a client that does not name a channel in the call."""
    client = context.session.client_params
    return channel_of(client.client_info.name if client is not None else None)


async def _erased(
    forgetter: "Forgetter", scope: ChatScope, args: c.ForgetArgs, token: str, answer: Answer, report: "Report"
) -> c.Forgotten:
    """If the person did not say yes, the result lacks the token, so that the model cannot erase anything."""
    if answer.said != "yes":
        return c.Forgotten(notes=(NOT_ERASED[answer.said],))
    return await forgetter.erase_picked(scope, args.model_copy(update={"confirm": token}), answer.which, report)
