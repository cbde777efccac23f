"""Asks the person at the client what to erase. This works in both versions of the protocol, the one with sessions and
the stateless one.

Some clients cannot show a question to the person. Call `can_ask` first.
"""

from dataclasses import dataclass
from typing import Literal

from mcp.server.elicitation import AcceptedElicitation, DeclinedElicitation, render_elicitation_schema
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel, Field

from tellonce_server.api.spec import AnyContext
from tellonce_server.core.limits import without_permit

MODERN = "2026-07-28"
_KEY = "confirm"


class Confirmation(BaseModel):
    """The form that the client shows to the person."""

    erase: bool = Field(description="Erase this for good")
    which: str = Field(default="", description="Numbers to erase, such as 1,3-5, or all. If empty: those marked ☑.")


@dataclass(frozen=True)
class Answer:
    """The person's answer; `which` is the selection that the person typed."""

    said: Literal["yes", "no", "dismissed"]
    which: str = ""


def can_ask(context: AnyContext) -> bool:
    capabilities = context.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return False
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None


def answered(context: AnyContext) -> tuple[str, Answer] | None:
    """The answer in the stateless protocol, or None. There, the client repeats the call with the person's reply and the
    state of the question."""
    if not _modern(context):
        return None
    reply = (context.input_responses or {}).get(_KEY)
    if not isinstance(reply, ElicitResult):
        return None
    return context.request_state or "", _modern_answer(reply)


async def ask(context: AnyContext, question: str, state: str) -> Answer | InputRequiredResult:
    """Ask the person. In the stateless protocol, return the question. The client answers in a repeated call with
    `state`."""
    if _modern(context):
        return InputRequiredResult(input_requests={_KEY: _request(question)}, request_state=state)
    async with without_permit():
        result = await context.elicit(question, Confirmation)
    if isinstance(result, AcceptedElicitation):
        return _accepted(result.data)
    return Answer("no" if isinstance(result, DeclinedElicitation) else "dismissed")


def _modern(context: AnyContext) -> bool:
    return (context.protocol_version or "") >= MODERN


def _modern_answer(reply: ElicitResult) -> Answer:
    if reply.action == "accept":
        content = reply.content or {}
        return _accepted(Confirmation(erase=content.get("erase") is True, which=str(content.get("which") or "")))
    return Answer("no" if reply.action == "decline" else "dismissed")


def _accepted(form: Confirmation) -> Answer:
    return Answer("yes", form.which.strip()) if form.erase else Answer("no")


def _request(question: str) -> ElicitRequest:
    schema = render_elicitation_schema(Confirmation)
    return ElicitRequest(params=ElicitRequestFormParams(message=question, requested_schema=schema))
