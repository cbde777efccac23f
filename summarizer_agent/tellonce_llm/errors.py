"""The errors of language models, the same for all providers.

The reason of an error is shown, logged and stored, so we word it ourselves. It repeats a part of a provider's message
only if the part is about the account or the model. Other parts can quote the request.
"""

from dataclasses import dataclass, field
from typing import Literal

from tellonce_llm.model import Answer

Cause = Literal["busy", "away", "key", "billing", "model", "refused"]
"""The cause of a failure. A person needs the cause to know what to do.

`busy`: the provider asks us to slow down. `away`: the provider cannot be reached, or its answer broke off. `key`,
`billing`, `model`: the account or the settings are wrong. `refused`: the provider will not answer this request.
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
    """The provider cannot answer now. A later request can succeed, and so can another provider."""

    retry_after: float | None = field(default=None, kw_only=True)
    """The provider's requested pause in seconds, if any."""
    this_only: bool = field(default=False, kw_only=True)
    """Whether only this kind of request must wait, while the provider still answers other requests."""


@dataclass(eq=False)
class LLMUnusable(LLMError):
    """The provider works but this answer cannot be used (refused, cut off, rejected); waiting does not help."""

    cause: Cause = field(default="refused", kw_only=True)
    answer: Answer | None = field(default=None, kw_only=True)
    """The unusable answer. The user still pays for the tokens of this answer."""
