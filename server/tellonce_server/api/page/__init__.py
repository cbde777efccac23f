"""The memory page: its files, its sign-in, and the reads that only it needs. It makes changes through the ordinary
tools."""
