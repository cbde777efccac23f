"""Tests of third-party MCP clients with our server. Each client is installed from its registry into a separate
environment."""
