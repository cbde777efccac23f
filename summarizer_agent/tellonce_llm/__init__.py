"""Language models behind one protocol. Only the modules `claude` and `ollama` import a provider's SDK."""

from tellonce_llm.allowance import Allowance, Used
from tellonce_llm.batch import Batched
from tellonce_llm.breaker import Breaker, Guarded
from tellonce_llm.errors import Cause, LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.fallback import FirstAvailable, NoModelAnswered
from tellonce_llm.model import (
    Answer,
    Completion,
    File,
    FileKind,
    LanguageModel,
    SystemBlock,
    Turn,
    Wrapped,
    ask,
    readable,
)

__all__ = [
    "Allowance",
    "Answer",
    "Batched",
    "Breaker",
    "Cause",
    "Completion",
    "File",
    "FileKind",
    "FirstAvailable",
    "Guarded",
    "LLMError",
    "LLMUnavailable",
    "LLMUnusable",
    "LanguageModel",
    "NoModelAnswered",
    "SystemBlock",
    "Turn",
    "Used",
    "Wrapped",
    "ask",
    "readable",
]
