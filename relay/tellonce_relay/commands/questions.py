"""Questions of the bot whose text carries what the answer to them needs, for a button or a reply holds too little. Pure."""

import re

from telegram import Message

from tellonce_relay.catalogue import phrase

_WORDING = re.compile(r"\A✎ .*#(\d{1,19})\Z", re.DOTALL)


def right_wording(text: str, memory_id: int) -> str:
    """Before an uncertain memory is put right, by a reply to the question."""
    return phrase("memory.wording", content=text, number=memory_id)


def reworded(message: Message, bot_id: int) -> int | None:
    """The number of the memory this message puts right, if it answers such a question of ours."""
    asked = message.reply_to_message
    if asked is None or asked.from_user is None or asked.from_user.id != bot_id or not message.text:
        return None
    found = _WORDING.match(asked.text or "")
    return int(found[1]) if found else None
