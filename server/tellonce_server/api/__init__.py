"""The MCP tools: thin functions over the actors, with strict arguments and errors that say what to do."""
