"""The summaries of the chat and of the thread. A long summary loses its oldest lines first. Pure."""

import re
from collections.abc import Callable
from functools import lru_cache

from tellonce_server.domain.context.budget import cost
from tellonce_server.store.context import ContextRows
from tellonce_text.caches import of_texts
from tellonce_text.fences import contained
from tellonce_text.tokens import clip

LEAST = 12
"""Minimum tokens of a clipped line. With fewer, only the title and an ellipsis would be left."""

THREAD_PART = 3
"""The thread's summary gets at most the tokens of both summaries, divided by this number."""

_QUOTED = re.compile(r"“(.+)”", re.DOTALL)
_DAY = r"\d{4}(?:-\d\d){1,2}(?: \d\d:\d\d)?"
_DAY_BESIDE = re.compile(rf" \((?:about |by )?{_DAY}(?: to {_DAY})?\)")

Says = Callable[[str], bool]
"""A function that returns whether an earlier section already contains the statement of a line."""


def summary_text(rows: ContextRows, share: int, says: Says) -> str:
    """The summary of the chat and of the thread, each under its title, in at most `share` tokens. Statements that the
    context already makes are left out."""
    thread = _titled("This thread", unsaid(rows.thread_summary, says), share // THREAD_PART)
    left = share - sum(map(cost, thread))
    chat = rows.chat
    stated: list[str] = []
    for title, text in (("Confirmed by the user", chat.user_confirmed), ("Inferred", chat.llm_inferred)):
        part = _titled(title, unsaid(text, says), left // 2)
        left -= sum(map(cost, part))
        stated += part
    said = {statement(line) for line in rows.thread_summary.split("\n")} if thread else set[str]()
    summary = _titled("Summary", unsaid(chat.general_summary, lambda line: says(line) or statement(line) in said), left)
    return "\n".join([*stated, *summary, *thread])


def unsaid(text: str, says: Says) -> str:
    """The lines of the text whose statements are new."""
    lines = ["" if says(line) else line for line in text.strip().split("\n")]
    kept = "\n".join(line for line in lines if line.strip())
    # If the first line was removed, the text is marked as a continuation. Without the mark, the line that is now the
    # first could be mistaken for a line of this program.
    return kept if not kept or lines[0].strip() else f"… {kept}"


@of_texts
@lru_cache(4_096)
def statement(line: str, *, quoted: bool = True) -> str:
    """A line in a form for comparison: `I see Anna tomorrow (2026-06-03)` -> `i see anna tomorrow`.

    If `quoted` is true and the line contains quoted words, only these words are returned.
    """
    words = _QUOTED.search(line) if quoted else None
    return " ".join(_DAY_BESIDE.sub("", words[1] if words else line).casefold().split())


def _titled(title: str, text: str, room: int) -> list[str]:
    lines = [line for line in text.split("\n") if line.strip()]
    kept: list[str] = []
    left = room - cost(f"{title}: … ")
    for line in reversed(lines):
        left -= cost(line)
        if left < 0:
            break
        kept.insert(0, line)
    if lines and not kept and (left := room - cost(f"{title}: … ")) >= LEAST:
        kept = [clip(lines[-1], left)[0]]
    if not any(kept):
        return []
    mark = "… " if len(kept) < len(lines) else ""
    return [contained(f"{title}: {mark}" + "\n".join(kept))]
