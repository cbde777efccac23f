"""One turn of an assistant: record the message, fetch the context, answer, record the answer."""

from collections.abc import Awaitable, Callable

from tellonce.client import MemoryClient
from tellonce.contract import GetContextArgs, RecordMessageArgs


async def turn(
    memory: MemoryClient, conversation: str, message_id: str, text: str, model: Callable[[str], Awaitable[str]]
) -> str:
    """Returns the answer of `model`, which is a function from a prompt to a text."""
    # `message_id` is the message's id in the channel. If the server's answer is lost, the message can be recorded again
    # with the same id and is not stored twice.
    await memory.record_message(
        RecordMessageArgs(conversation_id=conversation, role="user", content=text, message_id=message_id)
    )
    context = await memory.get_context(
        GetContextArgs(conversation_id=conversation, query=text, exclude_message_id=message_id)
    )
    answer = await model(f"{context.context}\n\nUser: {text}")
    await memory.record_message(
        RecordMessageArgs(conversation_id=conversation, role="assistant", content=answer, exchange_of=message_id)
    )
    return answer
