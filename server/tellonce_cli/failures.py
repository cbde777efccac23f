"""How a command fails: with one sentence that says what to do."""


class CommandFailed(Exception):
    """What the person should read."""
