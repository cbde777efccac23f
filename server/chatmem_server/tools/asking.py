"""Asks the person at the client for a yes, in both protocol eras; a client that cannot ask is never made to."""

from typing import Literal

from mcp.server.elicitation import AcceptedElicitation, DeclinedElicitation
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel, Field

from chatmem_server.tools.spec import AnyContext

Answer = Literal["yes", "no", "cannot"]
MODERN = "2026-07-28"
_KEY = "confirm"


class Confirmation(BaseModel):
    """What the person is shown as a form."""

    erase: bool = Field(description="Erase this for good")


async def confirmed(context: AnyContext, question: str | None) -> Answer | InputRequiredResult:
    """The person's answer. `cannot`: the client has no form, it was closed unanswered, or there is no question.

    In the stateless era the answer is the whole call made again, with the person's reply in it.
    """
    if not _can_ask(context):
        return "cannot"
    if _modern(context):
        reply = (context.input_responses or {}).get(_KEY)
        if isinstance(reply, ElicitResult):
            return _modern_answer(reply)
    if question is None:
        return "cannot"
    if _modern(context):
        return InputRequiredResult(input_requests={_KEY: _request(question)})
    result = await context.elicit(question, Confirmation)
    if isinstance(result, AcceptedElicitation):
        return "yes" if result.data.erase else "no"
    return "no" if isinstance(result, DeclinedElicitation) else "cannot"


def _modern(context: AnyContext) -> bool:
    return (context.protocol_version or "") >= MODERN


def _can_ask(context: AnyContext) -> bool:
    capabilities = context.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return False
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None


def _modern_answer(reply: ElicitResult) -> Answer:
    if reply.action == "accept":
        return "yes" if (reply.content or {}).get("erase") is True else "no"
    return "no" if reply.action == "decline" else "cannot"


def _request(question: str) -> ElicitRequest:
    schema = Confirmation.model_json_schema()
    return ElicitRequest(params=ElicitRequestFormParams(message=question, requested_schema=schema))
