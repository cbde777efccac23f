"""The five work tools of the summarizer agent; listed and callable only for the agent scope."""

from pydantic import BaseModel

from chatmem import work as w
from chatmem_server.tools import text
from chatmem_server.tools.assistant import ADD, CHANGE, READ, GetActors
from chatmem_server.tools.spec import ToolSpec
from chatmem_server.tools.strict import Call


def agent_tools(ready: GetActors) -> list[ToolSpec]:
    tools = _Tools(ready)
    return [
        ToolSpec(
            w.CLAIM_WORK,
            "Claim work",
            "Take due jobs; waits up to wait_seconds for one. Work, then submit_work or fail_work with job_id and fence.",
            w.ClaimWorkArgs,
            w.ClaimedWork,
            tools.claim,
            text.as_json,
            CHANGE,
            {},
        ),
        ToolSpec(
            w.EXTEND_WORK,
            "Extend work",
            "Keep a claimed job: call at a third of its lease.",
            w.ExtendWorkArgs,
            w.Extended,
            tools.extend,
            text.as_json,
            ADD,
            {},
        ),
        ToolSpec(
            w.SUBMIT_WORK,
            "Submit work",
            "Hand a job's result in. It is written ahead, then applied in order.",
            w.SubmitWorkArgs,
            w.Submitted,
            tools.submit,
            text.as_json,
            CHANGE,
            {},
        ),
        ToolSpec(
            w.FAIL_WORK,
            "Fail work",
            "Give a job back, saying why and whether trying again can help.",
            w.FailWorkArgs,
            w.Failed,
            tools.fail,
            text.as_json,
            CHANGE,
            {},
        ),
        ToolSpec(
            w.QUEUE_STATUS,
            "Queue status",
            "Jobs by kind and state, dead letters, and what models cost this month.",
            w.QueueStatusArgs,
            w.QueueStatus,
            tools.status,
            text.as_json,
            READ,
            {},
        ),
    ]


class _Tools:
    def __init__(self, ready: GetActors) -> None:
        self._ready = ready

    async def claim(self, call: Call[w.ClaimWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.claim(call.args)

    async def extend(self, call: Call[w.ExtendWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.extend(call.args)

    async def submit(self, call: Call[w.SubmitWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.submit(call.args)

    async def fail(self, call: Call[w.FailWorkArgs]) -> BaseModel:
        return await (await self._ready()).work.fail(call.args)

    async def status(self, call: Call[w.QueueStatusArgs]) -> BaseModel:
        return await (await self._ready()).work.status()
