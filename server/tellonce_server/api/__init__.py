"""The MCP tools: thin functions over the services, with strict arguments and errors that say what to do."""
