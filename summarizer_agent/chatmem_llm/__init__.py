"""Language models behind one protocol; only the modules `claude` and `ollama` import a provider's SDK."""

from chatmem_llm.allowance import Allowance, Used
from chatmem_llm.batch import Batched
from chatmem_llm.breaker import Breaker, Guarded
from chatmem_llm.errors import LLMError, LLMUnavailable, LLMUnusable
from chatmem_llm.first import FirstAvailable, NoModelAnswered
from chatmem_llm.model import Answer, Completion, LanguageModel, Rung, SystemBlock, Turn, ask

__all__ = [
    "Allowance",
    "Answer",
    "Batched",
    "Breaker",
    "Completion",
    "FirstAvailable",
    "Guarded",
    "LLMError",
    "LLMUnavailable",
    "LLMUnusable",
    "LanguageModel",
    "NoModelAnswered",
    "Rung",
    "SystemBlock",
    "Turn",
    "Used",
    "ask",
]
