"""The reminder tools for our own chat programs. The tools are not listed, so that models do not pay tokens for them."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tellonce import reminders as r
from tellonce_server.api.assistant import ADD, CHANGE, READ, GetServices, place_of
from tellonce_server.api.spec import Call, ToolSpec, program_tool
from tellonce_server.core.scope import Asked, locate

if TYPE_CHECKING:
    from tellonce_server.core.scope import ChatScope
    from tellonce_server.services.services import Services


def relay_tools(ready: GetServices) -> list[ToolSpec]:
    tools = _Tools(ready)
    return [
        program_tool(
            r.SET_REMINDER,
            "Keep a dated memory and set its alarm.",
            r.SetReminderArgs,
            r.Reminder,
            tools.set,
            ADD,
            listed=False,
        ),
        program_tool(
            r.LIST_REMINDERS,
            "The chat's reminders that are still to come, the next first.",
            r.ListRemindersArgs,
            r.Reminders,
            tools.pending,
            READ,
            listed=False,
        ),
        program_tool(
            r.CHANGE_REMINDER,
            "Cancel a reminder, restore it, or move it to another time.",
            r.ChangeReminderArgs,
            r.Reminder,
            tools.change,
            CHANGE,
            listed=False,
        ),
        program_tool(
            r.CLAIM_REMINDERS,
            "Claim the reminders that are due. Deliver each one, then call finish_reminder.",
            r.ClaimRemindersArgs,
            r.ClaimedReminders,
            tools.claim,
            CHANGE,
            listed=False,
        ),
        program_tool(
            r.FINISH_REMINDER,
            "Say that a reminder was delivered, and when it is due next if it repeats.",
            r.FinishReminderArgs,
            r.FinishedReminder,
            tools.finish,
            CHANGE,
            listed=False,
        ),
    ]


class _Tools:
    def __init__(self, ready: Callable[[], "Awaitable[Services]"]) -> None:
        self._ready = ready

    async def set(self, call: Call[r.SetReminderArgs]) -> BaseModel:
        services, where = await self._at(call)
        return await services.reminders.set(where, call.args)

    async def pending(self, call: Call[r.ListRemindersArgs]) -> BaseModel:
        services, where = await self._at(call)
        return await services.reminders.pending(where)

    async def change(self, call: Call[r.ChangeReminderArgs]) -> BaseModel:
        services, where = await self._at(call)
        return await services.reminders.change(where, call.args)

    async def claim(self, call: Call[r.ClaimRemindersArgs]) -> BaseModel:
        return await (await self._ready()).reminders.claim(call.caller.user_id, call.args)

    async def finish(self, call: Call[r.FinishReminderArgs]) -> BaseModel:
        services = await self._ready()
        return await services.reminders.finish(
            locate(call.caller, Asked(call.args.chat_id), services.deps.settings), call.args
        )

    async def _at(self, call: Call[Any]) -> "tuple[Services, ChatScope]":
        services = await self._ready()
        return services, await place_of(call, services)
