"""Questions of the bot whose text contains the data for their answer, because a button or a reply holds too little.
Pure."""

import re

from telegram import Message

from tellonce_relay.catalogue import phrase

_WORDING = re.compile(r"\A✎ .*#(\d{1,19})\Z", re.DOTALL)


def right_wording(text: str, memory_id: int) -> str:
    """The question to which a reply corrects an uncertain memory."""
    return phrase("memory.wording", content=text, number=memory_id)


def reworded(message: Message, bot_id: int) -> int | None:
    """The number of the memory that this message corrects, if it replies to such a question."""
    asked = message.reply_to_message
    if asked is None or asked.from_user is None or asked.from_user.id != bot_id or not message.text:
        return None
    found = _WORDING.match(asked.text or "")
    return int(found[1]) if found else None
