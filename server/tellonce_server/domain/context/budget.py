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
"""The log's share is the number of tokens above the default budget, divided by this."""
ELSEWHERE = 276
"""Maximum tokens of lines from other threads and chats."""
NEWLINE = 1
"""Tokens of the line break after a line. Lines are estimated without it."""

ItemT = TypeVar("ItemT")


@dataclass
class TokenBudget:
    """The unused tokens of a context. Every part takes its tokens from here."""

    left: int

    def pay(self, tokens: int) -> bool:
        if tokens > self.left:
            return False
        self.left -= tokens
        return True

    def set_aside(self, tokens: int) -> int:
        """Reserve up to `tokens` tokens and return how many. To release them, add this number to `left`."""
        taken = min(tokens, self.left)
        self.left -= taken
        return taken


@lru_cache(64)
def scaled(budgets: Budgets, total: int) -> Budgets:
    return Budgets(**{name: share * total // DEFAULT_TOTAL for name, share in budgets.model_dump().items()})


def log_share(total: int) -> int:
    """Maximum tokens of the log: 0 for a total up to the default budget."""
    return max(0, total - DEFAULT_TOTAL) // LOG_PART


def elsewhere_share(total: int) -> int:
    """Maximum tokens for other threads and chats. It does not grow above the default budget."""
    return ELSEWHERE * min(total, DEFAULT_TOTAL) // DEFAULT_TOTAL


def cost(line: str) -> int:
    return estimate(line) + NEWLINE


def take(
    items: Sequence[ItemT], render: Callable[[ItemT], str], share: int, token_budget: TokenBudget, *, dense: bool
) -> tuple[list[tuple[ItemT, str]], list[ItemT]]:
    """The items that fit into the share and the budget, each with its text, and the other items.

    If `dense` is true, an item that does not fit is skipped. Otherwise the list ends there, because history must stay
    contiguous. An item that renders as an empty text is in neither list.
    """
    kept: list[tuple[ItemT, str]] = []
    left: list[ItemT] = []
    for item in items:
        if left and not dense:
            left.append(item)
            continue
        text = render(item)
        price = cost(text)
        if text and price <= share and token_budget.pay(price):
            kept.append((item, text))
            share -= price
        elif text:
            left.append(item)
    return kept, left
