"""The MCP tools: thin functions that call the services, with strict arguments and errors that say what to do."""
