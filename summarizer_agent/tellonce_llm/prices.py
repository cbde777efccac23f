"""Prices of Claude models: list prices in US dollars per million tokens, as published on 2026-10-24."""

from dataclasses import dataclass

_LONG_PROMPT_TOKENS = 100_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cache_write` is the price of tokens that the provider caches for five minutes."""

    input: float
    output: float
    cache_write: float
    cache_read: float

    def cost(self, input_tokens: int, output_tokens: int, cache_write: int, cache_read: int) -> float:
        """US dollars for one call; `input_tokens` excludes the tokens that were written to or read from the cache."""
        million = 1_000_000
        return (
            input_tokens * self.input
            + output_tokens * self.output
            + cache_write * self.cache_write
            + cache_read * self.cache_read
        ) / million


_OPUS_4 = Price(5.00, 25.00, 6.25, 0.50)
_SONNET_4 = Price(3.00, 15.00, 3.75, 0.30)
_FABLE_5 = Price(10.00, 50.00, 12.50, 1.00)
_HAIKU_5_5_LONG = Price(0.50, 2.50, 0.625, 0.05)

_PRICES = {
    "claude-haiku-4-5": Price(1.00, 5.00, 1.25, 0.10),
    "claude-haiku-5-5": Price(0.10, 0.50, 0.125, 0.01),
    "claude-sonnet-4-5": _SONNET_4,
    "claude-sonnet-4-6": _SONNET_4,
    "claude-sonnet-5-5": Price(2.00, 10.00, 2.50, 0.10),
    "claude-sonnet-5": Price(2.00, 10.00, 2.50, 0.20),
    "claude-opus-4-5": _OPUS_4,
    "claude-opus-4-6": _OPUS_4,
    "claude-opus-4-7": _OPUS_4,
    "claude-opus-4-8": _OPUS_4,
    "claude-opus-5-5": Price(4.00, 20.00, 5.00, 0.20),
    "claude-opus-5": _OPUS_4,
    "claude-fable-5-1": Price(10.00, 50.00, 12.50, 0.25),
    "claude-fable-5": _FABLE_5,
}


def price_of(model: str, prompt_tokens: int = 0) -> Price | None:
    """The price of a model, or None if the price is unknown. The model's name can end with a date (`…-20251001`).
    `prompt_tokens` includes cached tokens. This number matters because claude-haiku-5-5 charges more for long
    prompts."""
    name = _undated(model)
    if name == "claude-haiku-5-5" and prompt_tokens > _LONG_PROMPT_TOKENS:
        return _HAIKU_5_5_LONG
    return _PRICES.get(name)


def _undated(model: str) -> str:
    head, _, tail = model.rpartition("-")
    return head if len(tail) == 8 and tail.isdigit() else model
