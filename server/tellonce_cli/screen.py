"""The consoles of commands, and the exception of a command that fails with one sentence."""

from rich.console import Console

console = Console(markup=False, highlight=False, soft_wrap=True)
notes = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
"""The console for messages that are not the result itself, on standard error."""


class CommandFailed(Exception):
    """A command failed; the text is for the person to read."""
