"""`/memory` in one message: tabs, pages, and one memory with buttons. Each button's data contains the tab and the page."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay import views
from tellonce_relay.buttons import CallbackData, Reply, button
from tellonce_relay.catalogue import phrase

TABS = ("all", *c.PROFILE_LISTS, "notes")
_NOTES = TABS.index("notes")
"""The tab with the notes that contexts do not show. There may be thousands of such notes, so the other tabs do not read
them."""
_MOST_NOTES = 1000
PAGE = 6
"""Memories on a page."""
_PAGES = 1000
"""A tab has fewer pages than this. In a button's data, `tab * _PAGES + page` encodes both numbers."""
_ROW = 3
"""Tabs in a row. A fourth label would be cut off on a phone."""
_ACTIONS: dict[str, c.MemoryAction] = {"remove": "reject", "restore": "reopen", "pin": "pin", "unpin": "unpin"}


def overview(profile: c.Profile, zone: ZoneInfo, now: datetime, chat_id: int | None) -> Reply:
    """A short overview with the tabs that are not empty. Groups have negative chat ids."""
    in_group = (chat_id or 0) < 0
    text = views.memory_view(profile, zone, now=now, in_group=in_group)
    if len(text) > views.LONGEST:
        text = views.memory_view(profile, zone, most=PAGE, now=now, in_group=in_group)
    return Reply(text, InlineKeyboardMarkup(tabs) if (tabs := _tabs(profile, 0)) else None)


async def run_action(
    memory: MemoryClient, chat_id: int, callback: CallbackData, now: datetime, zone: ZoneInfo
) -> Reply:
    """Carry out a button's action and return the new view. Raises MemoryUnreachable and MemoryRefused."""
    if callback.action == "tab":
        profile = await _profile(memory, chat_id, callback.number)
        return _listed(profile, callback.number, callback.item, now, zone, chat_id)
    tab, page = divmod(callback.item, _PAGES)
    changed: c.Memory | None = None
    if callback.action in _ACTIONS:
        action = _ACTIONS[callback.action]
        changed = await memory.update_memory(
            c.UpdateMemoryArgs(memory_id=callback.number, action=action, chat_id=chat_id)
        )
    if callback.action == "remove" and changed is not None:
        return _removed(changed, callback.item)
    profile = await _profile(memory, chat_id, tab)
    known = changed if callback.action in ("pin", "unpin") else _known(profile, callback.number)
    if callback.action == "restore" or known is None:
        return _listed(profile, tab, page, now, zone, chat_id)
    return _one(known, callback.item, now, zone)


def entries(profile: c.Profile, tab: int) -> Sequence[c.Memory]:
    """The memories in a tab."""
    if tab == _NOTES:
        searched = {m.id: m for group in profile.lists.values() for m in group if not m.shown}
        return sorted(searched.values(), key=lambda m: (m.valid_from, m.id), reverse=True)
    name = TABS[tab] if 0 < tab < len(TABS) else "facts"
    return views.in_order(name, views.by_title(profile)[name])


def is_empty(profile: c.Profile) -> bool:
    return not any(entries(profile, tab) for tab in range(1, len(TABS)))


def _listed(profile: c.Profile, tab: int, page: int, now: datetime, zone: ZoneInfo, chat_id: int) -> Reply:
    if not 0 < tab < len(TABS):
        return overview(profile, zone, now, chat_id)
    found = entries(profile, tab)
    pages = max(1, -(-len(found) // PAGE))
    page = min(page, pages - 1)
    shown = list(enumerate(found[page * PAGE : (page + 1) * PAGE], page * PAGE + 1))
    lines = [f"{n}. {views.dated(m, zone, now)}" for n, m in shown] or [phrase("memory.nothing")]
    foot = ["", phrase("memory.page", page=page + 1, pages=pages)] if pages > 1 else []
    cells = [button(str(n), CallbackData("open", m.id, tab * _PAGES + page)) for n, m in shown]
    rows = [cells[at : at + PAGE] for at in range(0, len(cells), PAGE)]
    if pages > 1:
        rows.append([button(sign, CallbackData("tab", tab, (page + by) % pages)) for sign, by in (("◀", -1), ("▶", 1))])
    title = phrase("memory.notes", n=profile.only_searched) if tab == _NOTES else phrase(f"memory.{TABS[tab]}")
    text = "\n".join([title, *lines, *foot])
    return Reply(text, InlineKeyboardMarkup([*rows, *_tabs(profile, tab)]))


def _one(known: c.Memory, item: int, now: datetime, zone: ZoneInfo) -> Reply:
    since = known.valid_from.astimezone(zone)
    text = phrase(
        "memory.one", content=views.dated(known, zone, now), since=phrase("memory.since", day=views.long_day(since))
    )
    pinned = button("📌 ✗", CallbackData("unpin", known.id, item)) if known.pinned else None
    row = [
        button(phrase("button.edit"), CallbackData("edit", known.id)),
        button("✗", CallbackData("remove", known.id, item)),
        pinned or button("📌", CallbackData("pin", known.id, item)),
    ]
    return Reply(text, InlineKeyboardMarkup([row, [_back(item)]]))


def _removed(known: c.Memory, item: int) -> Reply:
    undo = button(phrase("button.undo"), CallbackData("restore", known.id, item))
    return Reply(
        phrase("memory.removed", content=views.in_days(known.content)), InlineKeyboardMarkup([[undo, _back(item)]])
    )


def _back(item: int) -> InlineKeyboardButton:
    tab, page = divmod(item, _PAGES)
    return button(phrase("memory.back"), CallbackData("tab", tab, page))


def _tabs(profile: c.Profile, current: int) -> list[list[InlineKeyboardButton]]:
    filled = (n == 0 or (profile.only_searched if n == _NOTES else entries(profile, n)) for n in range(len(TABS)))
    shown = [n for n, has_any in enumerate(filled) if has_any and n != current]
    cells = [button(phrase(f"memory.tab_{TABS[n]}"), CallbackData("tab", n)) for n in shown]
    return [cells[at : at + _ROW] for at in range(0, len(cells), _ROW)]


def _known(profile: c.Profile, number: int) -> c.Memory | None:
    found = (memory for tab in range(1, len(TABS)) for memory in entries(profile, tab) if memory.id == number)
    return next(found, None)


async def _profile(memory: MemoryClient, chat_id: int, tab: int) -> c.Profile:
    notes = {"kinds": ("note",), "limit": _MOST_NOTES} if tab == _NOTES else {}
    return await memory.get_profile(c.GetProfileArgs.model_validate({"chat_id": chat_id, **notes}))
