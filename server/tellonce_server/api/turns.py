"""The tool for coding assistants' hooks. Every assistant can call it, but it is not listed, so that no model pays for
it."""

from pydantic import BaseModel

from tellonce.turn_contract import RECORD_TURN, RecordedTurn, RecordTurnArgs
from tellonce_server.api.assistant import ADD, GetActors, place_of
from tellonce_server.api.spec import Call, ToolSpec


def turn_tool(ready: GetActors) -> ToolSpec:
    """`ready` waits for storage, as for the other tools."""

    async def record_turn(call: Call[RecordTurnArgs]) -> BaseModel:
        services = await ready()
        return await services.turns.turn(await place_of(call, services), call.args)

    return ToolSpec(
        RECORD_TURN,
        "Record turn",
        "For hooks of coding assistants: record messages, and answer with what the event calls to mind.",
        RecordTurnArgs,
        RecordedTurn,
        record_turn,
        _hook_form,
        ADD,
        {},
        listed=False,
    )


def _hook_form(turn: RecordedTurn) -> str:
    """The output that a hook prints unchanged."""
    return turn.model_dump_json(include={"hookSpecificOutput"}, exclude_none=True)
