"""The list from which a person picks what to forget: the list's text and buttons. `ForgetLists` stores the lists. All
other code is pure.

Lists are lost when the process ends, and their confirm tokens expire within minutes. A tap on such a list is answered
with a note.
"""

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from tellonce import contract as c
from tellonce.forget_contract import selection, ticked
from tellonce_relay import views
from tellonce_relay.buttons import Action, CallbackData, encoded
from tellonce_relay.catalogue import counted, phrase
from tellonce_relay.responders.offline import OWN_ANSWER

PAGE = 8
"""Matches on a page."""
_ROW = 4
_NEARBY, _NEAR = 3, 80
"""Maximum number of nearby messages that are shown, and maximum characters of each."""
_MOST = 200
"""Maximum number of lists that are stored."""


@dataclass(frozen=True)
class ForgetList:
    """A preview of an erasure and its ticked matches. `title` is the person's description of what to forget."""

    title: str
    target: c.ForgetArgs
    confirm: str
    matches: tuple[c.ForgetMatch, ...]
    related: tuple[c.ForgetMatch, ...]
    more: int
    ticked: frozenset[int]
    page: int = 0

    @property
    def pages(self) -> int:
        return -(-len(self.matches) // PAGE)

    @property
    def numbered(self) -> Sequence[tuple[int, c.ForgetMatch]]:
        """The matches of the current page with the numbers that the person sees. These have no gaps, unlike the ids."""
        return list(enumerate(self.matches, 1))[self.page * PAGE : (self.page + 1) * PAGE]

    @property
    def confirmation(self) -> c.ForgetArgs:
        return self.target.model_copy(update={"confirm": self.confirm, **selection(self.ticked, ticked(self.matches))})


class ForgetLists:
    """The lists that were shown, by number. If there are too many lists, the oldest are dropped."""

    def __init__(self) -> None:
        self._lists: OrderedDict[int, ForgetList] = OrderedDict()

    def add(self, shown: ForgetList) -> int:
        number = secrets.randbelow(2**40)
        self.put(number, shown)
        return number

    def put(self, number: int, shown: ForgetList) -> None:
        self._lists[number] = shown
        while len(self._lists) > _MOST:
            self._lists.popitem(last=False)

    def get(self, number: int, chat_id: int) -> ForgetList | None:
        """The list, if it was shown in the chat. The data of a button can be forged."""
        shown = self._lists.get(number)
        return shown if shown is not None and shown.target.chat_id == chat_id else None

    def drop(self, number: int, chat_id: int) -> None:
        if self.get(number, chat_id) is not None:
            del self._lists[number]


def list_of(title: str, target: c.ForgetArgs, preview: c.Forgotten) -> ForgetList | None:
    """The list for a preview, or None if nothing matches."""
    if preview.confirm is None:
        return None
    return ForgetList(
        title, target, preview.confirm, preview.matches, preview.related, preview.unlisted, ticked(preview.matches)
    )


def after(shown: ForgetList, callback: CallbackData) -> ForgetList:
    """Return the list after a tap on one of its buttons."""
    every = frozenset(match.id for match in shown.matches)
    match callback.action:
        case "tick":
            return replace(shown, ticked=shown.ticked ^ (frozenset((callback.item,)) & every))
        case "page":
            return replace(shown, page=min(max(callback.item, 0), shown.pages - 1))
        case "all":
            return replace(shown, ticked=every)
        case "none":
            return replace(shown, ticked=frozenset())
        case _:
            return shown


def text(shown: ForgetList, now: datetime) -> str:
    """The text of the list's current page. `now` is in the person's zone."""
    matches = counted("match", len(shown.matches))
    head = phrase("forget.title", topic=shown.title, ticked=len(shown.ticked), matches=matches)
    lines = [f"{number}. {views.match_view(match, now)}" for number, match in shown.numbered]
    foot = [phrase("forget.page", page=shown.page + 1, pages=shown.pages)] if shown.pages > 1 else []
    foot += [phrase("forget.unlisted", count=shown.more)] if shown.more else []
    said = dict.fromkeys(match.text[:_NEAR] for match in shown.related if not OWN_ANSWER.match(match.text))
    near = [f"· {text}" for text in [*said][:_NEARBY]]
    foot += [phrase("forget.nearby"), *near] if near else []
    return "\n".join([head, "", *lines, *(["", *foot] if foot else [])])


def markup(number: int, shown: ForgetList) -> InlineKeyboardMarkup:
    ticks = [_button(number, _label(shown, match.id, at), "tick", match.id) for at, match in shown.numbered]
    rows = [ticks[start : start + _ROW] for start in range(0, len(ticks), _ROW)]
    if shown.pages > 1:
        back, on = (shown.page - 1) % shown.pages, (shown.page + 1) % shown.pages
        rows.append([_button(number, "◀", "page", back), _button(number, "▶", "page", on)])
    if len(shown.matches) > 1:
        rows.append([_button(number, phrase("button.all"), "all"), _button(number, phrase("button.none"), "none")])
    rows.append([_button(number, phrase("button.forget"), "erase"), _button(number, phrase("button.cancel"), "cancel")])
    return InlineKeyboardMarkup(rows)


def _label(shown: ForgetList, match_id: int, number: int) -> str:
    return f"{'☑' if match_id in shown.ticked else '☐'} {number}"


def _button(number: int, label: str, action: Action, item: int = 0) -> InlineKeyboardButton:
    return InlineKeyboardButton(label, callback_data=encoded(CallbackData(action, number, item)))
