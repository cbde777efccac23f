"""Reminders: dated memories with an alarm. The bot claims a due reminder, delivers it, and then finishes it."""

from datetime import datetime, timedelta
from typing import Final

from tellonce import reminders as r
from tellonce.contract import RememberArgs
from tellonce.reasons import reason
from tellonce_server.core.scope import ChatScope, owner_of, room
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import dedup
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.embedding.protocol import vector_or_none
from tellonce_server.services.remember import MemoryUnfit, NoSuchMemory, Rememberer
from tellonce_server.store import memories, reminders
from tellonce_server.store.reminders import Alarm
from tellonce_text.dates.clock import STAMP

LEASE: Final = timedelta(minutes=2)
"""How long a claimed reminder is reserved for its worker."""


class ReminderKeeper:
    def __init__(self, deps: Dependencies, rememberer: Rememberer) -> None:
        self._deps = deps
        self._rememberer = rememberer

    async def set(self, scope: ChatScope, args: r.SetReminderArgs) -> r.Reminder:
        """Store a dated memory and set its alarm. A repeated call does not create a second reminder. Raises the errors
        of `Rememberer.remember`."""
        db, chat, when = self._deps.database, room(scope), self._when(args)
        same = (scope.owner_id, chat, args.content + when, args.at)
        known = await reminders.delivered(db, *same)
        if known is not None:
            return known
        stored = await self._rememberer.remember(scope, self._statement(scope, args), when)
        one = stored.results[0] if stored.results else None
        memory = one.memory if one is not None else stored.memory
        assert memory is not None  # one statement was passed in
        if (known := await reminders.delivered(db, *same)) is not None and known.memory.id != memory.id:
            # In this case, the reminder was delivered between the first check and `remember`. Its memory was then no
            # longer active, so `remember` stored the same statement a second time.
            now = self._deps.now()
            ended = max(now, memory.valid_from)
            await memories.set_status(
                db, scope.owner_id, memory.id, "completed", now, valid_to=ended, reason=reason("reminded")
            )
            return known
        # Only threads of Telegram (topics) have numbers. A reminder is not delivered to a thread of another client.
        topic = args.message_thread_id if isinstance(args.message_thread_id, int) else None
        alarm = Alarm(args.at, args.repeats, chat, topic)
        await reminders.set_alarm(db, scope.owner_id, memory.id, alarm, self._deps.now())
        found = await self._find(scope, memory.id)
        return found.model_copy(update={"reasons": one.reasons if one is not None else ()})

    async def pending(self, scope: ChatScope) -> r.Reminders:
        found = await reminders.pending(self._deps.database, scope.owner_id, room(scope))
        return r.Reminders(reminders=tuple(found))

    async def change(self, scope: ChatScope, args: r.ChangeReminderArgs) -> r.Reminder:
        """Change a reminder. Raises NoSuchMemory, and MemoryUnfit for a `move` without a time."""
        if args.action == "move" and args.at is None:
            raise MemoryUnfit("The action move needs the argument at.", "call")
        found = await self._find(scope, args.memory_id)
        now, owner = self._deps.now(), scope.owner_id
        text = self._moved_text(found, args.at) if args.at is not None else found.memory.content
        vector = await vector_or_none(self._deps.embedder, text) if text != found.memory.content else None
        async with self._deps.database.transaction() as t:
            if args.action == "cancel":
                ended = max(now, found.memory.valid_from)
                await memories.set_status(
                    t, owner, found.memory.id, "completed", now, valid_to=ended, reason=reason("reminder_cancelled")
                )
            else:
                held = await memories.set_status(t, owner, found.memory.id, "active", now)
                await reminders.move(t, owner, found.memory.id, args.at, now)
                if text != found.memory.content and held and held.content == found.memory.content:
                    made = (index_text(text, None), vector, args.at, dedup.key(text))
                    await memories.rewrite(t, owner, found.memory.id, text, now, *made)
        self._changed(scope)
        return await self._find(scope, args.memory_id)

    async def claim(self, user_id: int | None, args: r.ClaimRemindersArgs) -> r.ClaimedReminders:
        """Claim the due reminders of all chats that this server serves. If `user_id` is given, only the reminders of
        the private chat of this user are claimed."""
        db, now = self._deps.database, self._deps.now()
        owners = [one for one in await reminders.owners(db, now) if user_id in (None, one.owner_id)]
        claimed: list[r.Reminder] = []
        for one in owners:
            if one.due_at is not None:
                found = await reminders.claim(db, one.owner_id, now, args.worker, now + LEASE, user_id)
                claimed += (due for due in found if owner_of(due.chat_id, self._deps.settings) == one.owner_id)
        coming = [one.next_at for one in owners if one.next_at is not None]
        return r.ClaimedReminders(reminders=tuple(claimed), next_at=min(coming, default=None))

    async def finish(self, scope: ChatScope, args: r.FinishReminderArgs) -> r.FinishedReminder:
        due: tuple[datetime, datetime | None] = (args.due_at, args.next_at)
        done = await reminders.finish(self._deps.database, scope.owner_id, args.memory_id, *due, self._deps.now())
        self._changed(scope)
        return r.FinishedReminder(finished=done)

    def _when(self, args: r.SetReminderArgs) -> str:
        """The end of a reminder's text, which gives the time. Two reminders with the same words but different times are
        therefore two memories."""
        return f" ({args.words or args.repeats})" if args.repeats else self._stamp(args.at)

    def _stamp(self, at: datetime) -> str:
        return f" ({at.astimezone(self._deps.zone):{STAMP}})"

    def _moved_text(self, reminder: r.Reminder, at: datetime) -> str:
        """The reminder's text with the new time. The text of a repeated reminder gives its repetition, which stays."""
        text, due = reminder.memory.content, reminder.memory.deadline
        if reminder.repeats is not None or due is None or not text.endswith(self._stamp(due)):
            return text
        return text.removesuffix(self._stamp(due)) + self._stamp(at)

    def _statement(self, scope: ChatScope, args: r.SetReminderArgs) -> RememberArgs:
        said = {
            "content": args.content + self._when(args),
            "kind": "date",
            "deadline": args.at,
            "scope": "global" if scope.is_own else "chat",
            "source_message_id": args.source_message_id,
        }
        place = {"chat_id": scope.chat_id, "message_thread_id": args.message_thread_id}
        claim = {"statements": [said | {"quote": args.quote}]}
        return RememberArgs.model_validate(place | (claim if args.quote is not None else said))

    async def _find(self, scope: ChatScope, memory_id: int) -> r.Reminder:
        found = await reminders.by_memory(self._deps.database, scope.owner_id, memory_id)
        if found is None or not scope.sees(found.memory.chat_id):
            text = f"No reminder {memory_id} in this chat; list_reminders names them."
            raise NoSuchMemory(text, "no_reminder", id=memory_id)
        return found

    def _changed(self, scope: ChatScope) -> None:
        self._deps.tell_subscribers(scope.owner_id, "memory://profile")
