"""The four prompts a person can pick in a client."""

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from tellonce_server.api.assistant import GetActors, client_channel
from tellonce_server.api.strict import CallerOf
from tellonce_server.core.scope import Asked, locate

CHAT = """\
Call get_context with my message as query before you answer, and record both my message and your answer with \
record_message. Answer from what the context says; say so when it does not hold the answer.

My message: {message}"""

KNOW = """\
Call get_profile and tell me, in plain words and grouped by topic, what you know about me: facts, preferences, goals \
and dates. List separately what you are unsure about and ask me to confirm or correct it."""

CATCH_UP = """\
Call summarize_chat and get_context, then catch me up in a short list: what we talked about, what was decided, what is \
still open, what is due soon."""


def add_prompts(server: "MCPServer[None]", ready: GetActors, caller_of: CallerOf) -> None:
    @server.prompt(name="chat_with_memory", title="Chat with memory", description="Answer with the shared memory.")
    def chat_with_memory(message: str) -> str:
        return CHAT.format(message=message)

    @server.prompt(
        name="what_do_you_know_about_me",
        title="What do you know about me?",
        description="Describes your profile to you.",
    )
    def what_do_you_know_about_me() -> str:
        return KNOW

    @server.prompt(name="catch_me_up", title="Catch me up", description="What happened and what is open.")
    def catch_me_up() -> str:
        return CATCH_UP

    @server.prompt(
        name="learn",
        title="Learn from our talk",
        description="Hands over messages that no model has read, so that the assistant can remember what lasts.",
    )
    async def learn(ctx: Context, conversation_id: str = "", chat_id: str = "") -> str:
        services = await ready()
        asked = Asked(int(chat_id) if chat_id else None, conversation_id or None, client_channel(ctx))
        return await services.handing_out.prompt(locate(caller_of(), asked, services.deps.settings))
