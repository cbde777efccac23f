"""Explains why something is known, or on what an answer was based."""

import asyncio
from typing import Final

from tellonce.contract import ExplainArgs, Explanation, Section, Source, Version
from tellonce_server.core.errors import MOST_NAMED, Refused
from tellonce_server.core.scope import ChatScope, is_conversation, unknown_memory
from tellonce_server.domain.context.draft import SEPARATOR
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.location import message_named
from tellonce_server.store import memories, messages, receipts
from tellonce_server.store.messages import TextVersion
from tellonce_server.store.receipts import Receipt, ReceiptKeeper

LOOKS: Final = 4
LOOK_SECONDS: Final = 0.05
"""Maximum attempts to read a receipt, and seconds between two. Another process may still be writing it."""


class NothingToExplain(Refused):
    """The id names nothing that the caller may see. The error text says where to find an id."""


class Explainer:
    def __init__(self, deps: Dependencies, receipts: ReceiptKeeper) -> None:
        self._deps = deps
        self._receipts = receipts

    async def explain(self, scope: ChatScope, args: ExplainArgs) -> Explanation:
        """Explain one subject. Raises NothingToExplain."""
        if args.receipt_id is not None:
            return await self._receipt(scope, args.receipt_id)
        if args.memory_id is not None:
            return await self._memory(scope, args.memory_id)
        assert args.message_id is not None  # the contract requires exactly one subject
        return await self._message(scope, args.message_id)

    async def _receipt(self, scope: ChatScope, receipt_id: str) -> Explanation:
        receipt = await self._kept(scope, receipt_id)
        if receipt is None or not (receipt.chat_id == scope.chat_id or _is_reached(scope, receipt.chat_id)):
            text = f"No receipt {receipt_id[:MOST_NAMED]} in this chat; get_context returns receipt ids."
            raise NothingToExplain(text, "no_receipt")
        sections = [Section.model_validate(section) for section in receipt.sections]
        return Explanation(
            subject="receipt",
            id=receipt.id,
            at=receipt.created_at,
            text=SEPARATOR.join(section.text for section in sections),
            sections=tuple(sections),
            included={kind: tuple(ids) for kind, ids in receipt.included.items()},
            left_out=tuple(receipt.left_out),
        )

    async def _kept(self, scope: ChatScope, receipt_id: str) -> Receipt | None:
        await self._receipts.written(receipt_id)
        for look in range(LOOKS):
            receipt = await receipts.find(self._deps.database, scope.owner_id, receipt_id)
            if receipt is not None or look == LOOKS - 1:
                return receipt
            await asyncio.sleep(LOOK_SECONDS)
        return None

    async def _memory(self, scope: ChatScope, memory_id: int) -> Explanation:
        memory = await memories.by_id(self._deps.database, scope.owner_id, memory_id)
        if memory is None or not scope.sees(memory.chat_id):
            text = unknown_memory(scope, memory_id, memory.chat_id if memory is not None else None)
            raise NothingToExplain(text, "no_memory", id=memory_id)
        before = await memories.predecessors(self._deps.database, scope.owner_id, memory_id)
        origin = await memories.provenance(self._deps.database, scope.owner_id, memory_id)
        sources = await self._sources(scope, origin.source_chat_id, memory.sources)
        versions = _versions(await memories.versions(self._deps.database, scope.owner_id, memory_id))
        return Explanation(
            subject="memory",
            id=str(memory_id),
            at=memory.valid_from,
            text=memory.content,
            # No model is named for a note or for a text that was corrected by hand, because no model wrote these words.
            model=None if memory.note or versions else origin.model,
            memory=memory,
            sources=sources,
            reason=memory.reason,
            quotes=tuple(quote.text for quote in origin.quotes) if sources else (),
            would_replace=(*origin.intends.replaces, *origin.intends.ends) if origin.intends else (),
            versions=versions,
            memories=tuple(m for m in before if scope.sees(m.chat_id)),
        )

    async def _sources(self, scope: ChatScope, said_in: int | None, ids: tuple[int, ...]) -> tuple[Source, ...]:
        """The memory's source messages. Those of another chat are shown only in the owner's own chat."""
        if said_in is None or not (scope.is_own or said_in == scope.chat_id):
            return ()
        lines = await messages.by_ids(self._deps.database, scope.owner_id, said_in, ids)
        return tuple(Source(id=x.id, role=x.role, at=x.sent_at, text=x.content) for x in lines)

    async def _message(self, scope: ChatScope, message_id: str) -> Explanation:
        message = await message_named(self._deps, scope, message_id)
        if message is None:
            text = f"No message {message_id} in this chat; search_memory finds message numbers."
            raise NothingToExplain(text, "no_message")
        place = (*scope.key, message.id)
        await self._receipts.written()
        return Explanation(
            subject="message",
            id=message_id,
            at=message.sent_at,
            text=message.content,
            versions=_versions(await messages.versions(self._deps.database, *place)),
            memories=tuple(await memories.from_message(self._deps.database, *place)),
            receipts=tuple(await receipts.of_message(self._deps.database, *place)),
        )


def _is_reached(scope: ChatScope, chat_id: int) -> bool:
    """Whether a search in `scope` also finds the messages of `chat_id`, because both are the owner's own chats."""
    return scope.is_own and (chat_id == scope.owner_id or is_conversation(chat_id))


def _versions(versions: list[TextVersion]) -> tuple[Version, ...]:
    return tuple(Version(text=v.text, at=v.replaced_at) for v in versions)
