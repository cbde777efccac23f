"""Formats counts with the right plural, for messages to people."""


def quantity(number: int, one: str) -> str:
    """The number with its noun: `1 job`, `0 jobs`, `2 memories`, `3 matches`."""
    return f"{number} {one if number == 1 else _plural(one)}"


def _plural(one: str) -> str:
    if one.endswith("ch"):
        return f"{one}es"
    return f"{one[:-1]}ies" if one.endswith("y") and one[-2] not in "aeiou" else f"{one}s"


def singular(name: str) -> str:
    """Each word of the name in the singular: `message versions` becomes `message version`."""
    return " ".join(word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s") for word in name.split())


def memories(number: int) -> str:
    return quantity(number, "memory")


def messages(number: int) -> str:
    return quantity(number, "message")


def summaries(number: int) -> str:
    return quantity(number, "summary")


def duration(seconds: float) -> str:
    """Format a duration as `about 40 s`, `about 12 min`, `about 3 h` or `about 5 days`."""
    for unit, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 1.5 * unit:
            return f"about {seconds / unit:.0f} {name}"
    return f"about {max(1.0, seconds):.0f} s"
