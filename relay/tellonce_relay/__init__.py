"""The relay: an MCP client that answers on Telegram and in the terminal. It holds no SQL."""
