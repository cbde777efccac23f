"""Counts as a person writes them."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 job`, `0 jobs`; `many` is a plural that is more than `one` with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def memories(number: int) -> str:
    return counted(number, "memory", "memories")


def messages(number: int) -> str:
    return counted(number, "message")


def summaries(number: int) -> str:
    return counted(number, "summary", "summaries")
