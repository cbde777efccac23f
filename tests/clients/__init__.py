"""Other people's MCP clients against our server: each from its registry, in an environment of its own."""
