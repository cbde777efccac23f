"""`tellonce send`: sends standard input to a Telegram chat and records it as a routine message."""

import sys

from tellonce_cli.screen import CommandFailed, answer, hint
from tellonce_relay.routines.delivery import send_once


def run(chat_id: int, routine: str, agent: str | None) -> int:
    # Read bytes, because the output of a program is not always text.
    text = sys.stdin.buffer.read().decode(errors="replace").replace("\x00", "").strip()
    if not text:
        raise CommandFailed('standard input is empty: pipe the text in, as in `echo "$TEXT" | tellonce send …`.')
    failed = send_once(chat_id, routine, agent, text)
    if not failed:
        answer({"chat_id": chat_id, "routine": routine, "characters": len(text)})
        hint("Sent and recorded. The bot's /summary shows today's routines.")
    return failed
