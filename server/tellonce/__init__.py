"""Code that every client of the memory may import: the contract, the settings and the MCP client. It has no storage."""
