"""The memory page: its files, and the tools that only the page calls. It changes memories with the tools for
assistants."""
