"""The consoles to which commands print, and the exception for a command that fails with one sentence."""

from rich.console import Console

console = Console(markup=False, highlight=False, soft_wrap=True)
notes = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
"""The console on standard error, for messages that are not part of the result."""


class CommandFailed(Exception):
    """A command failed; the text is for the person to read."""
