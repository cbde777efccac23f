"""Limits the tokens that each part of a context may use. Pure arithmetic on estimates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from tellonce.contract import TOKEN_BUDGET
from tellonce.settings import Budgets
from tellonce_text.tokens import estimate

DEFAULT_TOTAL = TOKEN_BUDGET
LOG_PART = 2
"""The part of a context's budget above the default budget is divided by this number. The quotient is the maximum tokens
of the log. The rest is for search results."""
ELSEWHERE = 276
"""Maximum number of tokens for lines from other threads and chats. A context below the default budget has
proportionally fewer tokens for these lines."""
NEWLINE = 1
"""The tokens of the line break after a line. These tokens are added because each line is estimated without its line
break."""

ItemT = TypeVar("ItemT")


@dataclass
class TokenBudget:
    """The tokens of a context that are not used yet. Every part takes its tokens from this object. The parts together
    therefore cannot exceed the total."""

    left: int

    def pay(self, tokens: int) -> bool:
        if tokens > self.left:
            return False
        self.left -= tokens
        return True

    def set_aside(self, tokens: int) -> int:
        """Reserve up to `tokens` tokens and return the number of reserved tokens. To release them, the caller adds this
        number to `left`."""
        taken = min(tokens, self.left)
        self.left -= taken
        return taken


@dataclass(frozen=True)
class Taken:
    """The items that fit, and the items that do not fit. `kept` are the indexes of the items that fit. `texts` are the
    texts of these items, and `cost` is the total number of tokens. `left` are the indexes of the items that do not
    fit."""

    kept: Sequence[int]
    left: Sequence[int]
    texts: Sequence[str]
    cost: int


@lru_cache(64)
def scaled(budgets: Budgets, total: int) -> Budgets:
    return Budgets(**{name: share * total // DEFAULT_TOTAL for name, share in budgets.model_dump().items()})


def log_share(total: int) -> int:
    """The maximum tokens of the log in a context of `total` tokens. The maximum is 0 if `total` does not exceed the
    default budget."""
    return max(0, total - DEFAULT_TOTAL) // LOG_PART


def elsewhere_share(total: int) -> int:
    """The number of tokens for messages of other threads and chats. A budget above the default does not raise this
    number."""
    return ELSEWHERE * min(total, DEFAULT_TOTAL) // DEFAULT_TOTAL


def cost(line: str) -> int:
    return estimate(line) + NEWLINE


def take(
    items: Sequence[ItemT], render: Callable[[ItemT], str], share: int, token_budget: TokenBudget, *, dense: bool
) -> Taken:
    """Take items in the given order until the share or the whole budget is used up.

    If `dense` is true, an item that does not fit is skipped, and the next item is tried. Memories are taken in this
    way. Otherwise the list ends before the first item that does not fit, because history and summaries must stay
    contiguous. An item that is rendered as an empty text is skipped.
    """
    kept: list[int] = []
    texts: list[str] = []
    spent = 0
    for index, item in enumerate(items):
        text = render(item)
        if not text:
            continue
        price = cost(text)
        if spent + price <= share and token_budget.pay(price):
            kept.append(index)
            texts.append(text)
            spent += price
        elif not dense:
            break
    left = sorted(set(range(len(items))).difference(kept))
    return Taken(kept, left, texts, spent)
