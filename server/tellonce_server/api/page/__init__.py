"""The memory page: its files, its sign-in, and the reads that only it needs. What it changes, it changes by the tools."""
