"""Word lists written as blocks of text, which people can read and edit."""


def words_of(block: str) -> frozenset[str]:
    """The words of a block, separated by white space."""
    return frozenset(block.split())
