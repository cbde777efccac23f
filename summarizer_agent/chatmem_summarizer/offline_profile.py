"""A user's narrative without a language model: their memories in prose order; invents nothing."""

from chatmem.work import KnownMemory, ProfileInput, ProfileResult
from chatmem_summarizer.length import tokens

_OPENINGS = (
    ("fact", ""),
    ("pin", ""),
    ("preference", "Preferences: "),
    ("goal", "Goals: "),
    ("date", "Dates: "),
    ("outcome", "So far: "),
)
_IDENTITY = ("name is", "goes by", "is ", "works as", "works at", "works", "lives")


def profile(work: ProfileInput) -> ProfileResult:
    """The narrative within `cap_tokens`; where not all fit, of the first memories, which tell most."""
    kept = [memory for memory in work.memories if memory.status == "active"]
    while kept and tokens(narrative(kept)) > work.cap_tokens:
        kept.pop()
    return ProfileResult(narrative=narrative(kept))


def narrative(memories: list[KnownMemory]) -> str:
    """Facts as sentences, then preferences, goals and dates each in a sentence of their own."""
    parts: list[str] = []
    for kind, opening in _OPENINGS:
        texts = [" ".join(memory.text.split()).rstrip(" .;") for memory in memories if memory.kind == kind]
        if texts and opening:
            parts.append(opening + "; ".join(_lowered(text) for text in texts) + ".")
        elif texts:
            parts.extend(f"{text}." for text in sorted(texts, key=_place))
    return " ".join(parts)


def _place(text: str) -> int:
    low = text.lower()
    return next((index for index, start in enumerate(_IDENTITY) if low.startswith(start)), len(_IDENTITY))


def _lowered(text: str) -> str:
    """The first letter small, unless the word is a name or all capitals."""
    first = text.split(" ", 1)[0]
    return (
        text[:1].lower() + text[1:]
        if first.lower() in _LOWERABLE or (first.lower().endswith(("s", "n't")) and first.istitle())
        else text
    )


_LOWERABLE = frozenset(
    {"always", "never", "don't", "doesn't", "is", "call", "give", "use", "keep", "answer", "will", "might", "would"}
)
