"""The memory page: its files and its own tools. To change memories, the page calls the tools for assistants."""
