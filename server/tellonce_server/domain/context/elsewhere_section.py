"""The section of recent messages from other threads and chats. Pure."""

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
"""Maximum tokens of each of the two messages of an exchange from another chat."""

LEFT = "The talk this reply left:"
REPLIES = "Replies beside this talk:"
OTHERS = "The user's other talks:"


def elsewhere_text(m: Material) -> str:
    """Messages of the parent thread, of the threads that branched off, and of the owner's other chats."""
    parts = [*_part(LEFT, _left(m)), *_part(REPLIES, _replies(m)), *_part(OTHERS, _others(m))]
    return "\n".join(parts)


def whole_lines(text: str, most: int) -> tuple[str, bool]:
    """Cut the text after the last whole line that fits. Also returns whether the text was cut."""
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
    """Without threads whose newest message is older than the window."""
    oldest = min((line.id for line in m.rows.window), default=0)
    for talk in m.rows.elsewhere.replies:
        if talk.lines[-1].id > oldest:
            yield from (_clipped(line, m) for line in talk.lines if line.content != GONE)


def _clipped(line: Line, m: Material) -> str:
    return form.clipped_line(line, m.view, MESSAGE)


def _others(m: Material) -> Iterator[str]:
    """Lines such as `[claude-code, shop | 09:15 AM, 2h ago] User: … · Assistant: …`."""
    for talk in m.rows.elsewhere.others:
        lines = _exchange(talk.lines)
        if any(line.content == GONE for line in lines):
            continue  # Without the forgotten message, its answer is not understandable.
        texts = (form.clipped_text(line, m.view, talk.chat_id, SIDE) for line in lines)
        said = " · ".join(f"{form.speaker(x.role, x.speaker)}: {text}" for x, text in zip(lines, texts, strict=True))
        yield f"[{form.chat_name(talk.channel, talk.name)} | {form.moment(lines[-1].sent_at, m.view)}] {said}"


def _exchange(lines: Sequence[Line]) -> Sequence[Line]:
    """A message of the user with its answer, or alone if it has no answer yet."""
    return lines[-1:] if lines[-1].role == "user" else lines
