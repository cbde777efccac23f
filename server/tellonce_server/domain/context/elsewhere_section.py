"""The section of recent messages from other threads and chats. These messages are labeled, and they are never mixed
with the messages of the current thread. Pure."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from tellonce_server.domain.context import lines as form
from tellonce_server.domain.context.budget import cost
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.erasure.redaction import GONE
from tellonce_server.store.messages import Line
from tellonce_text.tokens import estimate

MESSAGE = 30
"""Maximum tokens of one message from another thread of this chat."""

SIDE = 14
"""Maximum tokens of each message in an exchange from another chat. An exchange has two messages and is shown in one
line."""

LEFT = "The talk this reply left:"
REPLIES = "Replies beside this talk:"
OTHERS = "The user's other talks:"


def elsewhere_text(m: Material) -> str:
    """Messages from elsewhere, in this order: from this thread's parent thread, from the threads that branched from
    this thread, and from the owner's other chats. Empty if there are no such messages."""
    parts = [*_part(LEFT, _left(m)), *_part(REPLIES, _replies(m)), *_part(OTHERS, _others(m))]
    return "\n".join(parts)


def whole_lines(text: str, most: int) -> tuple[str, bool]:
    """Cut the section's text after the last whole line that fits into `most` tokens. A part of a line would be useless,
    because a line begins with the name of a conversation. Also returns whether the text was cut."""
    if estimate(text) <= most:
        return text, False
    lines = text.split("\n")
    spent = accumulate(cost(line) for line in lines)
    kept = [line for line, so_far in zip(lines, spent, strict=True) if so_far <= most]
    while kept and kept[-1] in (LEFT, REPLIES, OTHERS):
        kept.pop()
    return "\n".join(kept), True


def _part(title: str, lines: Iterator[str]) -> list[str]:
    found = list(lines)
    return [title, *found] if found else []


def _left(m: Material) -> Iterator[str]:
    shown = {line.id for line in m.around} | ({m.rows.quoted.id} if m.rows.quoted else set())
    return (_clipped(line, m) for line in m.rows.elsewhere.left if line.id not in shown and line.content != GONE)


def _replies(m: Material) -> Iterator[str]:
    """Messages of reply threads. A thread is left out if its newest message is older than the window's oldest
    message."""
    oldest = min((line.id for line in m.rows.window), default=0)
    for talk in m.rows.elsewhere.replies:
        if talk.lines[-1].id > oldest:
            yield from (_clipped(line, m) for line in talk.lines if line.content != GONE)


def _clipped(line: Line, m: Material) -> str:
    return form.clipped_line(line, m.view, MESSAGE)


def _others(m: Material) -> Iterator[str]:
    """Lines of other chats: `[claude-code, shop | 09:15 AM, 2h ago] User: … · Assistant: …`."""
    for talk in m.rows.elsewhere.others:
        lines = _exchange(talk.lines)
        if any(line.content == GONE for line in lines):
            continue  # Without the forgotten message, its answer is not understandable.
        texts = (form.clipped_text(line, m.view, talk.chat_id, SIDE) for line in lines)
        said = " · ".join(f"{form.speaker(x.role, x.speaker)}: {text}" for x, text in zip(lines, texts, strict=True))
        yield f"[{form.chat_name(talk.channel, talk.name)} | {form.moment(lines[-1].sent_at, m.view)}] {said}"


def _exchange(lines: Sequence[Line]) -> Sequence[Line]:
    """Return a message of the user with its answer, or the message alone if it has no answer yet."""
    return lines[-1:] if lines[-1].role == "user" else lines
