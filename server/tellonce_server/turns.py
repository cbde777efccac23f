"""Answers `record_turn`: keeps what was said in a coding assistant's session and says what that calls to mind."""

import asyncio
from collections.abc import Sequence

from tellonce.contract import GetContextArgs, RecordMessageArgs
from tellonce.contract_types import Place
from tellonce.turn_contract import HookOutput, RecordedTurn, RecordTurnArgs, TurnMessage
from tellonce_server.context.reading import ContextReader
from tellonce_server.locating import lane_of
from tellonce_server.offload import offloaded
from tellonce_server.places import Where
from tellonce_server.recording import MessageRefused, Recorder
from tellonce_server.retrieval.hits import Hit, SearchRequest
from tellonce_server.retrieval.search import Retriever
from tellonce_server.services import Kit
from tellonce_server.text.secrets import mask
from tellonce_server.turn_index import prompt_index, session_index

SESSION_BUDGET = 900
"""Tokens of profile, summaries and memories a session begins with."""


class TurnKeeper:
    def __init__(self, kit: Kit, recorder: Recorder, reader: ContextReader, retriever: Retriever) -> None:
        self._kit = kit
        self._recorder = recorder
        self._reader = reader
        self._retriever = retriever

    async def turn(self, where: Where, args: RecordTurnArgs) -> RecordedTurn:
        """Record the messages and, beside that, look for what the event calls to mind."""
        if args.session is not None and args.message_thread_id is None:
            args = args.model_copy(update={"message_thread_id": args.session})
        (recorded, refused), told = await asyncio.gather(
            self._recorded(where, args), self._told(where, args) if args.recall else _nothing()
        )
        output = HookOutput(hookEventName=args.event, additionalContext=told) if told else None
        return RecordedTurn(recorded=recorded, refused=tuple(refused), hookSpecificOutput=output)

    async def _recorded(self, where: Where, args: RecordTurnArgs) -> tuple[int, list[str]]:
        """One after the other: their order in the thread is the order they came in."""
        recorded, refused = 0, list[str]()
        for message in args.messages:
            try:
                result = await self._recorder.record(where, await self._as_recorded(args, message))
            except MessageRefused as error:
                refused.append(f"{message.message_id}: {error}")
            else:
                recorded += result.outcome != "duplicate"
        return recorded, refused

    async def _as_recorded(self, args: RecordTurnArgs, message: TurnMessage) -> RecordMessageArgs:
        """Terminals are full of keys: what an assistant for code records is masked, whatever the settings say of chats."""
        content = await offloaded(len(message.content), lambda: mask(message.content))
        place = {name: getattr(args, name) for name in Place.model_fields}
        said = message.model_copy(update={"content": content})
        return RecordMessageArgs(**place, **dict(said))

    async def _told(self, where: Where, args: RecordTurnArgs) -> str:
        if args.event == "SessionStart":
            return await self._session(where, args)
        query = (args.query or "").strip()
        return await self._prompted(where, args, query) if query else ""

    async def _prompted(self, where: Where, args: RecordTurnArgs, query: str) -> str:
        now, zone = self._kit.now(), self._kit.zone
        lane = await lane_of(self._kit.database, where, args)
        request = SearchRequest(where.owner_id, where.chat_id, None, query, now, zone)
        ranked = await self._retriever.recalled(request)
        limits = self._kit.settings.context
        hits = await self._retriever.for_prompt(request, ranked, shown=frozenset(), limits=limits)
        return prompt_index(_unseen(hits, lane), where.chat_id, now, zone)

    async def _session(self, where: Where, args: RecordTurnArgs) -> str:
        context = await self._reader.context(
            where, GetContextArgs(include=("profile", "summary", "memories"), token_budget=SESSION_BUDGET)
        )
        return session_index(context.context or "")


async def _nothing() -> str:
    return ""


def _unseen(hits: Sequence[Hit], lane: str) -> list[Hit]:
    """Without the session's own talk, which its model has before it."""
    return [hit for hit in hits if hit.thread_key != lane]
