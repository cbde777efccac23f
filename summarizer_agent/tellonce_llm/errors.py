"""What can go wrong when a language model is asked; knows no provider.

Reasons are shown, logged and kept, so they are ours: of a provider's words only those that are about the account or the
model, never such as may quote what was asked.
"""

from dataclasses import dataclass, field
from typing import Literal

from tellonce_llm.model import Answer

Cause = Literal["busy", "away", "key", "billing", "model", "refused"]
"""Why there is no answer, as far as a person can act on it.

`busy`: the provider asks us to slow down; `away`: it cannot be reached, or its answer broke off; `key`, `billing`, `model`:
what is wrong with the account or the settings; `refused`: it will not answer this request.
"""


@dataclass(eq=False)
class LLMError(Exception):
    """A language model gave no usable answer."""

    provider: str
    reason: str
    cause: Cause = field(default="away", kw_only=True)

    def __str__(self) -> str:
        return f"{self.provider}: {self.reason}"


@dataclass(eq=False)
class LLMUnavailable(LLMError):
    """The provider cannot answer now (no route, no key, overloaded, too slow); another may, or this one later."""

    retry_after: float | None = field(default=None, kw_only=True)
    """Seconds the provider asked us to wait, when it said so."""
    this_only: bool = field(default=False, kw_only=True)
    """Only requests like this one have to wait; the provider is well."""


@dataclass(eq=False)
class LLMUnusable(LLMError):
    """The provider is well but this answer is of no use (refused, cut off, rejected); waiting does not help."""

    cause: Cause = field(default="refused", kw_only=True)
    answer: Answer | None = field(default=None, kw_only=True)
    """What came back, for its tokens are paid for all the same."""
