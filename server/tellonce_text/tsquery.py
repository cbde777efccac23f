"""Full-text queries from lexemes; pure. Lexemes are quoted, so no user text can be read as an operator."""

from collections.abc import Sequence

NOTHING = "'@nothing'"
"""A query that matches no row; an empty one would raise a notice."""


def quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def any_of(lexemes: Sequence[str]) -> str:
    return " | ".join(map(quoted, lexemes)) or NOTHING


def owner_scope(owner_id: int) -> str:
    return quoted(f"@o{owner_id}")
