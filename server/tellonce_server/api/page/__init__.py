"""The memory page: its files, and the tools that only the page calls. The page changes memories with the tools for
assistants."""
