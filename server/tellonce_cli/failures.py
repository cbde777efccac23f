"""The exception of a command that fails with one sentence that says what to do."""


class CommandFailed(Exception):
    """A command failed; the text is for the person to read."""
