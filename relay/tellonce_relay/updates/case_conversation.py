"""The conversation in which a person gave a command, with the functions that commands need."""

from dataclasses import dataclass

from tellonce_relay.buttons import Reply
from tellonce_relay.turn.reminder_offers import ReminderRequests
from tellonce_relay.updates.case import Case
from tellonce_relay.updates.conversations import Conversations


@dataclass(frozen=True)
class CaseConversation:
    """The message's thread: its running answer, its last answer and its requests for reminders."""

    case: Case
    conversations: Conversations
    requests: ReminderRequests

    async def stop(self, *, owed: bool | None = None) -> bool:
        return await self.conversations.stop(self.case.thread, owed=owed)

    def last_answer(self) -> str | None:
        return self.conversations.last_answer(self.case.thread)

    def trouble(self) -> str:
        return self.conversations.trouble_of(self.case.thread)

    async def remind(self, text: str) -> Reply:
        """Set the reminders that the text asks for, or complete the thread's last request with the times in the
        text."""
        case = self.case
        if self.requests.completes(case.thread, case.incoming, text):
            return await self.requests.complete(case.thread, case.incoming, text)
        recorded = case.entry.recorded and case.entry.draft is None  # otherwise the memory refused the message
        return await self.requests.carry_out(case.thread, case.incoming, text, recorded=recorded)
