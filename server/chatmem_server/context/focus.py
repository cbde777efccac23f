"""What the user's message most likely refers to; pure."""

from datetime import datetime

from chatmem.contract import Focus
from chatmem_server.context.slots import pending
from chatmem_server.store.context import ContextRows
from chatmem_server.store.messages import Line
from chatmem_server.text.secrets import mask


def find_focus(rows: ContextRows, query: str | None, now: datetime) -> Focus | None:
    """The reply target; else a pending slot the message fills; else the newest assistant message of the lane."""
    if rows.quoted is not None:
        return _on("reply", rows.quoted)
    latest = next((line for line in reversed(rows.window) if line.id == rows.lane.focus_id), None)
    open_slot = rows.lane.slot if rows.lane.slot_until is not None and now < rows.lane.slot_until else None
    filled = pending(open_slot, query)
    if filled is not None:
        slot, value = filled
        text = mask(latest.content) if latest else ""
        return Focus(source="slot", message_id=rows.lane.focus_id, role="assistant", text=text, slot=slot, value=value)
    return _on("latest", latest) if latest is not None else None


def _on(source: str, line: Line) -> Focus:
    return Focus.model_validate(
        {"source": source, "message_id": line.id, "role": line.role, "text": mask(line.content)}
    )
