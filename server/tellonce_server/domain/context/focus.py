"""Finds what the user's message most likely refers to. Pure."""

from datetime import datetime

from tellonce.contract import Focus
from tellonce_server.domain.context.slots import pending
from tellonce_server.store.context import ContextRows
from tellonce_server.store.messages import Line
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip


def find_focus(rows: ContextRows, query: str | None, now: datetime, most: int) -> Focus | None:
    """The reply target; else a pending slot that the message fills; else the newest assistant message of the thread.

    Its text is clipped to `most` tokens, because it comes in addition to the context's budget.
    """
    if rows.quoted is not None:
        return _on("reply", rows.quoted, most)
    latest = next((line for line in reversed(rows.window) if line.id == rows.thread.focus_id), None)
    open_slot = rows.thread.slot if rows.thread.slot_until is not None and now < rows.thread.slot_until else None
    filled = pending(open_slot, query)
    if filled is not None:
        slot, value = filled
        text = _said(latest, most) if latest else ""
        return Focus(
            source="slot", message_id=rows.thread.focus_id, role="assistant", text=text, slot=slot, value=value
        )
    return _on("latest", latest, most) if latest is not None else None


def _on(source: str, line: Line, most: int) -> Focus:
    return Focus.model_validate({"source": source, "message_id": line.id, "role": line.role, "text": _said(line, most)})


def _said(line: Line, most: int) -> str:
    """The text of a message; for a routine its short form, as everywhere in a context."""
    return clip(mask(line.routine_summary or line.content), most)[0]
