"""Correcting an uncertain memory by replying to the bot's question; the question itself carries the number. Pure."""

import re

from telegram import Message

_QUESTION = re.compile(r"\A✎ .*#(\d{1,19})\Z", re.DOTALL)


def question(text: str, memory_id: int) -> str:
    return f"✎ Reply to this message with the right wording of:\n“{text}”\n#{memory_id}"


def reworded(message: Message, bot_id: int) -> int | None:
    """The number of the memory this message rewords, if it answers such a question of ours."""
    asked = message.reply_to_message
    if asked is None or asked.from_user is None or asked.from_user.id != bot_id or not message.text:
        return None
    found = _QUESTION.match(asked.text or "")
    return int(found[1]) if found else None
