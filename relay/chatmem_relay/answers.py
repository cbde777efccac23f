"""The answers given since the process began: which context each rests on, and which messages it became; ids only."""

from collections import OrderedDict
from collections.abc import Sequence

MOST = 2000


class Answers:
    def __init__(self) -> None:
        self._first: OrderedDict[tuple[int, str], str] = OrderedDict()
        self._receipts: OrderedDict[tuple[int, str], str] = OrderedDict()

    def given(self, chat_id: int, ids: Sequence[str], receipt_id: str | None) -> None:
        """Note an answer that became the messages `ids`; the memory knows it by the first."""
        for part in ids:
            _put(self._first, (chat_id, part), ids[0])
        if ids and receipt_id is not None:
            _put(self._receipts, (chat_id, ids[0]), receipt_id)

    def first_of(self, chat_id: int, message_id: str) -> str:
        """The id under which the memory knows an answer of several messages."""
        return self._first.get((chat_id, message_id), message_id)

    def receipt_of(self, chat_id: int, message_id: str) -> str | None:
        return self._receipts.get((chat_id, self.first_of(chat_id, message_id)))


def _put(store: OrderedDict[tuple[int, str], str], key: tuple[int, str], value: str) -> None:
    store[key] = value
    if len(store) > MOST:
        store.popitem(last=False)
