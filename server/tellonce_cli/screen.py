"""What the commands print on. Nothing is markup: the texts of people, and paths, may hold brackets."""

from rich.console import Console

console = Console(markup=False, highlight=False, soft_wrap=True)
notes = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
"""For what is not what was asked for, on standard error."""
