"""Words of a text as the full-text index holds them; pure."""


def index_text(content: str, speaker: str | None) -> str:
    """What of a message is indexed: its text and who said it."""
    return f"{speaker}: {content}" if speaker else content


def scope_lexemes(owner_id: int, chat_id: int | None) -> list[str]:
    """Lexemes that scope a search inside the index, so that it never reads another chat's postings."""
    owner = f"@o{owner_id}"
    return [owner] if chat_id is None else [owner, f"@c{chat_id}"]
