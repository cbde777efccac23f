"""The five work tools for the summarizer agent, listed and callable only with the agent scope."""

from typing import TypeVar

from pydantic import BaseModel

from tellonce import work as w
from tellonce.contract import MAX_BIGINT
from tellonce_server.api.assistant import ADD, CHANGE, READ, GetServices
from tellonce_server.api.spec import Call, ToolSpec, program_tool
from tellonce_server.core.errors import Refused


def agent_tools(ready: GetServices) -> list[ToolSpec]:
    tools = _Tools(ready)
    return [
        program_tool(
            w.CLAIM_WORK,
            "Claim due jobs; waits up to wait_seconds for one. Then call submit_work or fail_work with job_id and "
            "fence.",
            w.ClaimWorkArgs,
            w.ClaimedWork,
            tools.claim,
            CHANGE,
        ),
        program_tool(
            w.EXTEND_WORK,
            "Extend the lease of a claimed job. Call this after each third of the lease.",
            w.ExtendWorkArgs,
            w.Extended,
            tools.extend,
            ADD,
        ),
        program_tool(
            w.SUBMIT_WORK,
            "Submit a job's result. The server stores the result first and then applies it in order.",
            w.SubmitWorkArgs,
            w.Submitted,
            tools.submit,
            CHANGE,
        ),
        program_tool(
            w.FAIL_WORK,
            "Give a job back with the reason, and say whether trying again can help.",
            w.FailWorkArgs,
            w.Failed,
            tools.fail,
            CHANGE,
        ),
        program_tool(
            w.QUEUE_STATUS,
            "Jobs by kind and state, failed jobs, and the cost of models this month.",
            w.QueueStatusArgs,
            w.QueueStatus,
            tools.status,
            READ,
        ),
    ]


JobArgs = TypeVar("JobArgs", w.ExtendWorkArgs, w.SubmitWorkArgs, w.FailWorkArgs)


def _possible(args: JobArgs) -> JobArgs:
    """Return the arguments unchanged if every number in the job id is small enough for the database.

    Raises: Refused: a number is too large, so no job can have this id.
    """
    if any(abs(int(number)) > MAX_BIGINT for number in args.job_id.split(":")):
        raise Refused(f"There is no job {args.job_id[:80]}; use the job_id that claim_work returned.", "call")
    return args


class _Tools:
    def __init__(self, ready: GetServices) -> None:
        self._ready = ready

    async def claim(self, call: Call[w.ClaimWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.claim(call.args)

    async def extend(self, call: Call[w.ExtendWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.extend(_possible(call.args))

    async def submit(self, call: Call[w.SubmitWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.submit(_possible(call.args))

    async def fail(self, call: Call[w.FailWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.fail(_possible(call.args))

    async def status(self, call: Call[w.QueueStatusArgs]) -> BaseModel:
        return await (await self._ready()).work.status()
