"""How a command fails: with one sentence that says what to do."""


class CommandFailed(Exception):
    """A command failed; the text is for the person to read."""
