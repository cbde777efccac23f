"""The relay: an MCP client that answers people from the shared memory, on Telegram and in the terminal. The relay holds
no SQL."""
