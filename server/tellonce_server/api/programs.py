"""The tools for our own programs. The work tools of the summarizer need the agent scope. The reminder tools of the chat
programs are not listed, so that models do not pay tokens for them."""

from typing import TypeVar

from tellonce import reminders as r
from tellonce import work as w
from tellonce.contract import MAX_BIGINT
from tellonce_server.api.assistant import ADD, CHANGE, READ, Tools
from tellonce_server.api.spec import Call, tool
from tellonce_server.core.errors import Refused
from tellonce_server.core.scope import Asked, locate

JobArgs = TypeVar("JobArgs", w.ExtendWorkArgs, w.SubmitWorkArgs, w.FailWorkArgs)


class WorkTools(Tools):
    @tool(
        "Claim due jobs; waits up to wait_seconds for one. Then call submit_work or fail_work with job_id and fence.",
        CHANGE,
    )
    async def claim_work(self, call: Call[w.ClaimWorkArgs]) -> w.ClaimedWork:
        return await (await self._ready()).work.claim(call.args)

    @tool("Extend the lease of a claimed job. Call this after each third of the lease.", ADD)
    async def extend_work(self, call: Call[w.ExtendWorkArgs]) -> w.Extended:
        return await (await self._ready()).work.extend(_possible(call.args))

    @tool("Submit a job's result. The server stores the result first and then applies it in order.", CHANGE)
    async def submit_work(self, call: Call[w.SubmitWorkArgs]) -> w.Submitted:
        return await (await self._ready()).work.submit(_possible(call.args))

    @tool("Give a job back with the reason, and say whether trying again can help.", CHANGE)
    async def fail_work(self, call: Call[w.FailWorkArgs]) -> w.Failed:
        return await (await self._ready()).work.fail(_possible(call.args))

    @tool("Jobs by kind and state, failed jobs, and the cost of models this month.", READ)
    async def queue_status(self, call: Call[w.QueueStatusArgs]) -> w.QueueStatus:
        return await (await self._ready()).work.status()


def _possible(args: JobArgs) -> JobArgs:
    if any(abs(int(number)) > MAX_BIGINT for number in args.job_id.split(":")):
        raise Refused(f"There is no job {args.job_id[:80]}; use the job_id that claim_work returned.", "call")
    return args


class ReminderTools(Tools):
    @tool("Keep a dated memory and set its alarm.", ADD, listed=False)
    async def set_reminder(self, call: Call[r.SetReminderArgs]) -> r.Reminder:
        services, scope = await self._at(call)
        return await services.reminders.set(scope, call.args)

    @tool("The chat's reminders that are still to come, the next first.", READ, listed=False)
    async def list_reminders(self, call: Call[r.ListRemindersArgs]) -> r.Reminders:
        services, scope = await self._at(call)
        return await services.reminders.pending(scope)

    @tool("Cancel a reminder, restore it, or move it to another time.", CHANGE, listed=False)
    async def change_reminder(self, call: Call[r.ChangeReminderArgs]) -> r.Reminder:
        services, scope = await self._at(call)
        return await services.reminders.change(scope, call.args)

    @tool("Claim the reminders that are due. Deliver each one, then call finish_reminder.", CHANGE, listed=False)
    async def claim_reminders(self, call: Call[r.ClaimRemindersArgs]) -> r.ClaimedReminders:
        return await (await self._ready()).reminders.claim(call.caller.user_id, call.args)

    @tool("Say that a reminder was delivered, and when it is due next if it repeats.", CHANGE, listed=False)
    async def finish_reminder(self, call: Call[r.FinishReminderArgs]) -> r.FinishedReminder:
        services = await self._ready()
        scope = locate(call.caller, Asked(call.args.chat_id), services.deps.settings)
        return await services.reminders.finish(scope, call.args)
