"""Answers `record_turn`: records a coding assistant's messages and returns related memories."""

import asyncio

from tellonce.contract import GetContextArgs, RecordMessageArgs
from tellonce.contract_types import Place
from tellonce.turn_contract import HookOutput, RecordedTurn, RecordTurnArgs, TurnMessage
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope, session_thread
from tellonce_server.domain.context.draft import AT_SESSION_START
from tellonce_server.domain.context.turn_index import prompt_index, session_index
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.location import thread_of
from tellonce_server.domain.retrieval.prompt_selection import choose
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.services.context import ContextReader
from tellonce_server.services.record import MessageRefused, Recorder
from tellonce_server.store import summaries
from tellonce_text.secrets import mask

SESSION_BUDGET = 900
"""Maximum tokens of a context at the start of a session."""


class TurnKeeper:
    def __init__(self, deps: Dependencies, recorder: Recorder, reader: ContextReader, retriever: Retriever) -> None:
        self._deps = deps
        self._recorder = recorder
        self._reader = reader
        self._retriever = retriever

    async def turn(self, scope: ChatScope, args: RecordTurnArgs) -> RecordedTurn:
        """Record the messages. At the same time, search for related memories."""
        (recorded, refused), recalled = await asyncio.gather(self._recorded(scope, args), self._recalled(scope, args))
        output = HookOutput(hookEventName=args.event, additionalContext=recalled) if recalled else None
        return RecordedTurn(recorded=recorded, refused=tuple(refused), hookSpecificOutput=output)

    async def _recorded(self, scope: ChatScope, args: RecordTurnArgs) -> tuple[int, list[str]]:
        """Record the messages one by one, because a thread keeps them in the order of arrival."""
        recorded, refused = 0, list[str]()
        for message in args.messages:
            try:
                recorded += await self._record(scope, args, message)
            except MessageRefused as error:
                refused.append(f"{message.message_id}: {error}")
        return recorded, refused

    async def _record(self, scope: ChatScope, args: RecordTurnArgs, message: TurnMessage) -> bool:
        """Record a message. False for a duplicate. If the prompt of a reply was not recorded, the reply is recorded
        without it."""
        # Secrets are always masked, because the output of terminals often contains keys.
        content = await offloaded(len(message.content), lambda: mask(message.content))
        said = RecordMessageArgs(**dict(_place(args)), **dict(message.model_copy(update={"content": content})))
        try:
            result = await self._recorder.record(scope, said)
        except MessageRefused:
            if said.exchange_of is None:
                raise
            result = await self._recorder.record(scope, said.model_copy(update={"exchange_of": None}))
        return result.outcome != "duplicate"

    async def _recalled(self, scope: ChatScope, args: RecordTurnArgs) -> str:
        if not args.recall:
            return ""
        if args.event == "SessionStart":
            return await self._session(scope, args)
        query = (args.query or "").strip()
        return await self._prompted(scope, args, query) if query else ""

    async def _prompted(self, scope: ChatScope, args: RecordTurnArgs, query: str) -> str:
        now, zone = self._deps.now(), self._deps.zone
        thread = await thread_of(self._deps, scope, _place(args))
        request = SearchRequest(*scope.key, None, query, now, zone)
        ranked = await self._retriever.recalled(request)
        chosen = choose(ranked, query, None, frozenset(), self._deps.settings.context)
        results = await self._retriever.with_texts(request, chosen)
        # The model of this session has already seen the messages of the session.
        return prompt_index([x for x in results if x.thread_key != thread], scope.chat_id, now, zone)

    async def _session(self, scope: ChatScope, args: RecordTurnArgs) -> str:
        shown = GetContextArgs(include=AT_SESSION_START, token_budget=SESSION_BUDGET)
        context = await self._reader.context(scope, shown.model_copy(update=dict(_place(args))))
        last = await summaries.rolling(self._deps.database, *scope.key, "session", session_thread(scope.chat_id))
        return session_index(context.context or "", last.text if last is not None else "")


def _place(args: RecordTurnArgs) -> Place:
    return Place(message_thread_id=args.session)
