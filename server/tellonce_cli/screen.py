"""The consoles the commands print on. Markup is off, because people's texts and paths may contain brackets."""

from rich.console import Console

console = Console(markup=False, highlight=False, soft_wrap=True)
notes = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
"""The console for messages that are not the result itself, on standard error."""
