"""The marks around text that came from memory: data for a model, and never learned from again; pure."""

FENCE_OPEN = "⟦memory⟧"
FENCE_CLOSE = "⟦/memory⟧"


def fenced(text: str) -> str:
    return f"{FENCE_OPEN}\n{text}\n{FENCE_CLOSE}"


def unfenced(text: str) -> str:
    """Stored text cannot open or close a fence: its marks are written with other brackets."""
    if "⟦" not in text and "⟧" not in text:
        return text
    return text.replace("⟦", "[").replace("⟧", "]")
