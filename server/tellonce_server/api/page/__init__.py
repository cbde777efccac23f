"""The memory page: its files and its own tools. It changes memories with the tools for assistants."""
