"""The contract of `record_turn`: what a coding assistant's hooks send and are answered; not a tool for models."""

from typing import Annotated, Literal

from pydantic import Field

from tellonce.contract_types import Clean, Contract, ExternalId, Place, Role, Text
from tellonce.moments import Instant

RECORD_TURN = "record_turn"

MOST_MESSAGES = 50
"""Messages of one call; a client that has more makes several calls."""

HookEvent = Literal["SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd"]


class TurnMessage(Contract):
    """One message of a session. `message_id` is the client's own, so that sending it again records nothing twice."""

    role: Role
    content: Text
    message_id: ExternalId
    sent_at: Instant
    exchange_of: ExternalId | None = None
    routine: Annotated[Text, Field(max_length=64)] | None = None


class RecordTurnArgs(Place):
    """Messages to record, oldest first, and what is to be recalled for `event`. `session` is its thread."""

    event: HookEvent
    session: Annotated[Text, Field(max_length=128)] | None = None
    messages: Annotated[tuple[TurnMessage, ...], Field(max_length=MOST_MESSAGES)] = ()
    recall: bool = Field(default=False, description="Answer with what the event calls to mind.")
    query: Clean | None = Field(default=None, description="The prompt, for UserPromptSubmit.")


class HookOutput(Contract):
    """What a hook prints, in Claude Code's own field names."""

    hookEventName: HookEvent  # noqa: N815  # the client's name
    additionalContext: str  # noqa: N815


class RecordedTurn(Contract):
    """`recorded` counts new messages and new versions of known ones; `refused` names what was not recorded, and why."""

    recorded: int
    refused: tuple[str, ...] = ()
    hookSpecificOutput: HookOutput | None = None  # noqa: N815
