"""Finds memories and messages that are related to the matches of a preview. They are offered but not ticked."""

from collections.abc import Sequence

from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.erasure.forget_query import Mark
from tellonce_server.domain.erasure.previews import Match, Shown
from tellonce_server.domain.erasure.scan import Hit
from tellonce_server.store import forget
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import Statement, TextRow

MOST = 20
"""Maximum related messages, and maximum related memories."""
_LOOKED_AT = 100
"""Maximum ticked matches for which related rows are read."""


async def related(q: Queries, where: ChatScope, shown: Sequence[Shown]) -> list[Shown]:
    """The memories and messages related to the ticked matches: the sources of ticked memories, the memories learned
    from ticked messages or from these sources, and the messages next to a ticked one or within the same minute."""
    ticked = [each.match for each in shown if each.match.ticked][:_LOOKED_AT]
    messages = [(match.chat_id, match.ref) for match in ticked if match.kind == "message"]
    known = [match.ref for each in shown if (match := each.match).kind == "memory"]
    owner = where.owner_id
    sources = _sources(await forget.memories(q, owner, [m.ref for m in ticked if m.kind == "memory"]))
    resting = await forget.resting_on(q, owner, [*messages, *sources], known, MOST)
    said = await forget.messages(q, owner, sources[:MOST]) + await forget.neighbors(q, owner, messages, MOST)
    hits = {(each.match.chat_id, each.match.ref) for each in shown if each.match.kind == "message"}
    rows = {(row.chat_id or 0, row.id): row for row in said}
    beside = [row for key, row in sorted(rows.items()) if key not in hits]
    seen = [row for row in (*map(_row, resting), *beside) if where.is_own or where.sees(row.chat_id)]
    return [_offered(row) for row in seen if row.texts[0]]


def _sources(memories: Sequence[Statement]) -> list[tuple[int, int]]:
    return [(m.source_chat_id, source) for m in memories if m.source_chat_id is not None for source in m.source_ids]


def _row(memory: Statement) -> TextRow:
    place = (memory.chat_id, memory.id, memory.version)
    return TextRow("memory", *place, memory.kind, "", memory.valid_from, [memory.content], None)


def _offered(row: TextRow) -> Shown:
    chat = row.chat_id or 0 if row.place == "message" else 0
    match = Match(row.place, chat, row.id, row.version, "form", ticked=False)
    return Shown(match, (Hit(row, "form", (0,), Mark(0, 0, "form")),))
