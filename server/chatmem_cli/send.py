"""`chatmem send`: standard input to a Telegram chat, recorded as a routine message."""

import importlib
import sys

from chatmem_cli.failures import CommandFailed


def run(chat_id: int, routine: str, agent: str | None) -> int:
    text = sys.stdin.read().strip()
    if not text:
        raise CommandFailed('nothing to send: pipe the text in, as in `echo "$TEXT" | chatmem send …`.')
    module = importlib.import_module("chatmem_relay.routines.sending")
    result: int = module.send_once(chat_id, routine, agent, text)
    return result
