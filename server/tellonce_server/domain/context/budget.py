"""How many tokens each part of a context may take; pure arithmetic over estimates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tellonce.settings import Budgets
from tellonce_text.tokens import estimate

DEFAULT_TOTAL = 4300
NEWLINE = 1
"""Tokens a line break may add when lines are joined; estimates are taken line by line."""

ItemT = TypeVar("ItemT")


@dataclass
class TokenBudget:
    """What is left of the total. Every part pays from it, so the total cannot be exceeded."""

    left: int

    def pay(self, tokens: int) -> bool:
        if tokens > self.left:
            return False
        self.left -= tokens
        return True

    def set_aside(self, tokens: int) -> int:
        """Takes at most so many out; returns how many, to be put back by the caller."""
        taken = min(tokens, self.left)
        self.left -= taken
        return taken


@dataclass(frozen=True)
class Taken:
    """Which items fit and which were left (by index), those that fit as they were rendered, and what they cost."""

    kept: Sequence[int]
    left: Sequence[int]
    texts: Sequence[str]
    cost: int


def scaled(budgets: Budgets, total: int) -> Budgets:
    """The shares of a total other than 4,300."""
    return Budgets(**{name: share * total // DEFAULT_TOTAL for name, share in budgets.model_dump().items()})


def cost(line: str) -> int:
    return estimate(line) + NEWLINE


def take(
    items: Sequence[ItemT],
    render: Callable[[ItemT], str],
    share: int,
    token_budget: TokenBudget,
    *,
    dense: bool,
    least: Callable[[ItemT], int] | None = None,
) -> Taken:
    """Take items in the order given while share and purse last.

    `dense` skips an item that does not fit and goes on (facts); otherwise the first that does not fit ends it
    (history and summaries, which must stay contiguous). `least` tells what an item costs at least: one that cannot fit is
    passed over without being rendered.
    """
    kept: list[int] = []
    texts: list[str] = []
    spent = 0
    for index, item in enumerate(items):
        if least is not None and least(item) > min(share - spent, token_budget.left):
            continue
        text = render(item)
        price = cost(text)
        if spent + price <= share and token_budget.pay(price):
            kept.append(index)
            texts.append(text)
            spent += price
        elif not dense:
            break
    left = sorted(set(range(len(items))).difference(kept))
    return Taken(kept, left, texts, spent)
