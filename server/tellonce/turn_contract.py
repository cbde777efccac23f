"""The arguments and results of `record_turn`. Hooks of coding assistants call this tool; models do not see it."""

from typing import Annotated, Literal

from pydantic import Field

from tellonce.contract_types import Clean, Contract, ExternalId, Instant, Place, Role, Text

MOST_MESSAGES = 50
"""Maximum number of messages per call; a client with more messages makes several calls."""

HookEvent = Literal["SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd"]


class TurnMessage(Contract):
    """One message of a session. `message_id` is the client's own id, so a message that is sent again is stored once."""

    role: Role
    content: Text
    message_id: ExternalId
    sent_at: Instant
    exchange_of: ExternalId | None = None
    routine: Annotated[Text, Field(max_length=64)] | None = None


class RecordTurnArgs(Place):
    """Messages to record, oldest first, and the hook event. With `recall`, the result contains memories for the event.

    For a coding assistant, a project is a conversation, and each `session` is a thread in it.
    """

    event: HookEvent
    session: Annotated[Text, Field(max_length=128)] | None = None
    messages: Annotated[tuple[TurnMessage, ...], Field(max_length=MOST_MESSAGES)] = ()
    recall: bool = Field(default=False, description="Return memories for the event.")
    query: Clean | None = Field(default=None, description="The prompt, for UserPromptSubmit.")


class HookOutput(Contract):
    """The output of a hook, with the field names of Claude Code."""

    hookEventName: HookEvent  # noqa: N815  # the client's name
    additionalContext: str  # noqa: N815


class RecordedTurn(Contract):
    """The result of `record_turn`. `recorded` counts new messages and new versions of stored messages. `refused` names
    each message that was not recorded, with the reason."""

    recorded: int
    refused: tuple[str, ...] = ()
    hookSpecificOutput: HookOutput | None = None  # noqa: N815
