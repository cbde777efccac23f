"""Requests of the stateless protocol in wire format, for tests that use HTTP or stdio directly."""

from typing import Any

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}


def wire_headers(method: str, name: str | None = None) -> dict[str, str]:
    """The headers of a request in the stateless protocol."""
    base = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }
    return {**base, "Mcp-Name": name} if name else base
