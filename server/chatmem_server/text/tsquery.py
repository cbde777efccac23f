"""Full-text queries from lexemes; pure. Lexemes are quoted, so no user text can be read as an operator."""

from collections.abc import Sequence

NOTHING = "'@nothing'"
"""A query no row answers: an empty one would be a notice and no match anyway."""


def quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def any_of(lexemes: Sequence[str]) -> str:
    return " | ".join(map(quoted, lexemes)) or NOTHING


def all_of(lexemes: Sequence[str]) -> str:
    return " & ".join(map(quoted, lexemes)) or NOTHING


def owner_scope(owner_id: int) -> str:
    return quoted(f"@o{owner_id}")


def beginning_with(stems: Sequence[Sequence[str]]) -> str:
    """Rows that hold, for each group, a lexeme that begins with one of its stems."""
    groups = (" | ".join(f"{quoted(stem)}:*" for stem in group) for group in stems)
    return " & ".join(f"({group})" for group in groups) or NOTHING
