"""Forgetting: a preview and a token first, then one transaction through every table, then a probe."""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from chatmem.contract import ForgetArgs, ForgetMatch, Forgotten, Memory
from chatmem_server import caches
from chatmem_server.erasure.again import known_again
from chatmem_server.erasure.derived import redact_derived
from chatmem_server.erasure.probing import Probed, Prober
from chatmem_server.erasure.redaction import GONE, redact
from chatmem_server.erasure.remaking import queue_profile, queue_remaking
from chatmem_server.erasure.targets import Sought, Target
from chatmem_server.erasure.tombstones import Tombstones
from chatmem_server.places import Where
from chatmem_server.refusals import Refused
from chatmem_server.retrieval.lexical import index_text, normal, scope_lexemes
from chatmem_server.services import FORGOTTEN, Kit
from chatmem_server.store import chats, memories, messages, profile, queue, receipts
from chatmem_server.store.database import Queries
from chatmem_server.store.messages import Located
from chatmem_server.text.tokens import estimate
from chatmem_server.text.tsquery import any_of, beginning_with, owner_scope
from chatmem_server.text.word_forms import beginnings

FormerT = TypeVar("FormerT", messages.FormerText, memories.FormerText)

CONFIRM_MINUTES = 15
EXTERNAL_NOTE = (
    "This is an external PostgreSQL: its backups, write-ahead log archives and replicas' files are out of reach here."
)


class ForgetRefused(Refused):
    """The erasure cannot go on as asked; the text says what to do."""


@dataclass(frozen=True)
class Plan:
    """What an erasure would touch. `messages_too`: sentences of messages, and their former texts, are to go."""

    memories: list[Memory]
    messages: list[Located]
    sought: Sought
    messages_too: bool
    topic: str | None = None

    def digest(self) -> str:
        """Of what is meant: a token confirms these memories and no others, this topic, and messages if they were asked for.

        Not of the messages themselves: the talk about forgetting is recorded between the preview and the word.
        """
        meant = json.dumps([[m.id for m in self.memories], self.topic, self.messages_too])
        return hashlib.sha256(meant.encode()).hexdigest()[:16]


class Forgetter:
    def __init__(self, kit: Kit, tombstones: Tombstones, key: bytes) -> None:
        self._kit = kit
        self._tombstones = tombstones
        self._key = key
        self._prober = Prober(kit)

    async def preview(self, where: Where, args: ForgetArgs) -> Forgotten:
        """What would go, and the token that confirms it; nothing is deleted."""
        plan = await self._plan(self._kit.database, where, args)
        elsewhere = 0 if plan.memories or plan.messages else await self._prober.traces(_probed(where, args, plan))
        if not (plan.memories or plan.messages or elsewhere):
            return Forgotten()
        shown = [ForgetMatch(id=m.id, kind=m.kind, text=m.content, at=m.valid_from) for m in plan.memories]
        shown += [
            ForgetMatch(id=x.line.id, kind="message", text=x.line.content, at=x.line.sent_at) for x in plan.messages
        ]
        return Forgotten(
            matches=tuple(shown),
            would_erase={"memories": len(plan.memories), "messages": len(plan.messages), "other_texts": elsewhere},
            confirm=self._token(where, plan),
            notes=self._notes(),
        )

    async def erase(self, where: Where, args: ForgetArgs) -> Forgotten:
        """Erase what the preview showed.

        Raises:
            ForgetRefused: for a token that is not of this preview, or too old.
        """
        now = self._kit.now()
        async with self._kit.database.transaction() as t:
            await _begin(t, where.owner_id)
            plan = await self._plan(t, where, args)
            self._check(where, plan, args.confirm or "")
            erased = await self._erase(t, where, plan, now)
        caches.clear()
        gone = _probed(where, args, plan)
        erased |= {"traces_left": await self._prober.traces(gone), "near": await self._prober.near(gone)}
        chat = f"memory://chat/{where.chat_id}"
        self._kit.tell_subscribers(where.owner_id, "memory://profile", f"{chat}/summary", f"{chat}/context")
        self._kit.tell_workers()
        receipt = f"f{secrets.token_hex(8)}"
        self._kit.emit("forgotten", receipt=receipt, **erased)
        return Forgotten(erased=erased, receipt=receipt, notes=self._notes())

    async def forget_again(self, owner_id: int) -> int:
        """Erase what was forgotten once and came back with a backup; how many memories and messages that were."""
        where, now = Where(owner_id, owner_id), self._kit.now()
        async with self._kit.database.transaction() as t:
            await _begin(t, owner_id)
            found, hit, parts = await known_again(t, self._tombstones, owner_id)
            if not found and not hit:
                return 0
            sought = Sought(map(Target.statement, (*(m.content for m in found), *parts)))
            stated = await self._messages(t, where, None, found, sought)
            messages_ = list({(at.chat_id, at.line.id): at for at in (*hit, *stated)}.values())
            await self._erase(t, where, Plan(found, messages_, sought, messages_too=True), now)
        caches.clear()
        return len(found) + len(messages_)

    async def _plan(self, q: Queries, where: Where, args: ForgetArgs) -> Plan:
        found = await self._memories(q, where, args)
        targets = [Target.statement(m.content) for m in found]
        if args.topic is not None:
            targets.append(Target.topic(args.topic))
        sought = Sought(targets)
        hit = await self._messages(q, where, args.topic, found, sought) if args.include_messages else []
        return Plan(found, hit, sought, messages_too=args.include_messages, topic=args.topic)

    async def _memories(self, q: Queries, where: Where, args: ForgetArgs) -> list[Memory]:
        if args.memory_ids is not None:
            return await self._by_ids(q, where, args.memory_ids)
        if args.everything:
            everything = await memories.all_of_owner(q, where.owner_id)
            return [m for m in everything if self._of_chat(where, m)]
        assert args.topic is not None  # the contract names exactly one target
        target = Target.topic(args.topic)
        if target.is_empty:
            raise ForgetRefused("Name what to forget with at least one telling word, such as a name or a thing.")
        chat = _reach(where)
        if target.is_spaceless:
            matching = await memories.with_text(q, where.owner_id, chat, target.patterns)
        else:
            scope = owner_scope(where.owner_id)
            matching = await memories.matching(q, where.owner_id, chat, await self._forms(q, args.topic), scope)
        sought = Sought([target])
        return [m for m in matching if sought.in_text(m.content)]

    def _of_chat(self, where: Where, memory: Memory) -> bool:
        """In a private chat everything of the user's is this chat's; in a group only what was said there."""
        return memory.chat_id == where.chat_id or (memory.chat_id is None and where.chat_id == where.owner_id)

    async def _by_ids(self, q: Queries, where: Where, ids: Sequence[int]) -> list[Memory]:
        found = await memories.by_ids(q, where.owner_id, ids)
        seen = {m.id for m in found if where.sees(m.chat_id)}
        missing = [i for i in ids if i not in seen]
        if missing:
            raise ForgetRefused(f"No memory {missing[0]} in this chat; find its number with search_memory.")
        return found

    async def _messages(
        self, q: Queries, where: Where, topic: str | None, found: list[Memory], sought: Sought
    ) -> list[Located]:
        """Messages with a sentence that states what is sought: by the topic's words, or by each memory's."""
        owner, chat, scope = where.owner_id, _reach(where), owner_scope(where.owner_id)
        candidates: list[Located] = []
        for memory in found:
            lexemes = any_of(await self._lexemes(q, memory.content))
            candidates += await messages.containing(q, owner, chat, lexemes, scope)
        if topic is not None:
            target = Target.topic(topic)
            if target.is_spaceless:
                candidates += await messages.with_text(q, owner, chat, target.patterns)
            elif not target.is_empty:
                candidates += await messages.containing(q, owner, chat, await self._forms(q, topic), scope)
        hits = {(at.chat_id, at.line.id): at for at in await asyncio.to_thread(_stating, candidates, sought)}
        return [hits[key] for key in sorted(hits)]

    async def _forms(self, q: Queries, text: str) -> str:
        """Full-text candidates for a topic: a lexeme of every word, in whatever form; of a date, any of its words."""
        topic = Target.topic(text)
        if not topic.topic_words:
            return any_of(await self._lexemes(q, text))
        return beginning_with(
            [[*beginnings(normal(word)), *await self._lexemes(q, word)] for word in topic.topic_words]
        )

    async def _lexemes(self, q: Queries, text: str) -> list[str]:
        lexemes: list[str] = await q.value("retrieval.query_lexemes", index_text(text, None)) or []
        return lexemes

    async def _erase(self, t: Queries, where: Where, plan: Plan, now: datetime) -> dict[str, int]:
        await queue.void_claims(t, where.owner_id)
        texts = await memories.erase(t, where.owner_id, [m.id for m in plan.memories])
        stones = await self._tombstones.set(t, where.owner_id, None, texts, now)
        erased = {"memories": len(texts)}
        erased["sentences"] = sum([await self._redact(t, at, plan.sought, now) for at in plan.messages])
        erased["messages"] = len(plan.messages)
        # Former texts of edited messages; and of memories that stay: what they said before, or the sentence they quote.
        if plan.messages_too:
            erased["message_versions"] = await _drop_former(t, where, plan, messages.former, messages.drop_former)
        erased["memory_versions"] = await _drop_former(t, where, plan, memories.former, memories.drop_former)
        cleaned = await redact_derived(t, where.owner_id, plan.sought)
        if plan.messages_too:
            # Of messages that still state it, a text written anew would state it again.
            await queue_remaking(t, where.owner_id, cleaned, now)
        if plan.memories or "user_profile" in cleaned.counts:
            await queue_profile(t, where.owner_id, where.chat_id, now)
        receipts_gone = await receipts.erase_all(t, where.owner_id)
        await t.run("scrub.request", now)
        # With the commit, not after it: a process that dies in between must not leave the others' caches full.
        await t.run("notify.send", FORGOTTEN, "")
        return {**erased, **cleaned.counts, "tombstones": stones, "context_receipts": receipts_gone}

    async def _redact(self, t: Queries, at: Located, sought: Sought, now: datetime) -> int:
        text, gone = redact(at.line.content, sought)
        content = text or GONE
        await self._tombstones.set_message(t, at, gone, now)
        await messages.redact(
            t,
            at,
            content=content,
            tokens=estimate(content),
            index_text=index_text(content, at.line.speaker),
            scope=scope_lexemes(at.owner_id, at.chat_id),
        )
        return len(gone)

    def _notes(self) -> tuple[str, ...]:
        return (EXTERNAL_NOTE,) if self._kit.settings.database_url is not None else ()

    def _token(self, where: Where, plan: Plan) -> str:
        until = int((self._kit.now() + timedelta(minutes=CONFIRM_MINUTES)).timestamp())
        body = json.dumps([where.owner_id, where.chat_id, until, plan.digest()]).encode()
        return base64.urlsafe_b64encode(self._sign(body) + body).decode()

    def _sign(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()[:16]

    def _check(self, where: Where, plan: Plan, token: str) -> None:
        owner, chat, until, digest = self._opened(token)
        if (owner, chat, digest) != (where.owner_id, where.chat_id, plan.digest()):
            raise ForgetRefused("What matches is not what was previewed; call forget without confirm again.")
        if until < self._kit.now().timestamp():
            raise ForgetRefused("That confirm token is too old; call forget without confirm again.")

    def _opened(self, token: str) -> tuple[Any, ...]:
        try:
            raw = base64.urlsafe_b64decode(token.encode())
        except ValueError:
            raw = b""
        signature, body = raw[:16], raw[16:]
        if not body or not hmac.compare_digest(signature, self._sign(body)):
            raise ForgetRefused("That is no confirm token; call forget without confirm to get one.")
        return tuple(json.loads(body))


def _stating(candidates: Sequence[Located], sought: Sought) -> list[Located]:
    return [at for at in candidates if sought.in_text(at.line.content)]


def _probed(where: Where, args: ForgetArgs, plan: Plan) -> Probed:
    return Probed(
        owner_id=where.owner_id,
        topic=args.topic,
        statements=[m.content for m in plan.memories],
        sought=plan.sought,
        messages=plan.messages,
        # Words of another chat, or of messages that were to stay, are no traces.
        everywhere=args.include_messages and where.owner_id == where.chat_id,
    )


def _reach(where: Where) -> int | None:
    """A person's own chat speaks for all of theirs (None); what is forgotten in a group is forgotten there."""
    return None if where.is_own else where.chat_id


async def _begin(t: Queries, owner_id: int) -> None:
    """Hold all chats of the owner; no context read before is kept as a receipt from now on."""
    for chat in await chats.of_owner(t, owner_id):
        await chats.lock(t, owner_id, chat.chat_id)
    await profile.begin_erasure(t, owner_id)


async def _drop_former(
    t: Queries,
    where: Where,
    plan: Plan,
    all_former: Callable[[Queries, int], Awaitable[list[FormerT]]],
    drop: Callable[[Queries, int, FormerT], Awaitable[None]],
) -> int:
    """Former texts that state what is sought go whole; how many."""
    texts = await all_former(t, where.owner_id)
    gone = await asyncio.to_thread(lambda: [former for former in texts if plan.sought.in_text(former.text)])
    for former in gone:
        await drop(t, where.owner_id, former)
    return len(gone)
