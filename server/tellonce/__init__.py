"""The package that every client of the memory may import: the contract, the settings and the MCP client. It contains no
storage."""
