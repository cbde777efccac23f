"""Third-party MCP clients tested against our server, each installed from its registry into a separate environment."""
