"""Calls `record_turn` over HTTP without a library, because importing a library takes longer than the call."""

from __future__ import annotations

import _socket
import os
import sys

from tellonce_hooks.json_codec import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes longer than all of this module
    from typing import Any

    Json = dict[str, Any]

URL = "http://127.0.0.1:8765/mcp"
PROTOCOL = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Away(Exception):
    """The server did not accept the call: try again later."""


class Refused(Exception):
    """The server understood the call and refused it: trying again does not help."""


def option(name: str) -> str:
    """The user's value, or empty. Hooks get it from the environment, others from Claude Code's settings."""
    given = os.environ.get(f"CLAUDE_PLUGIN_OPTION_{name.upper()}")
    return (given if given is not None else str(_stored_options().get(name, ""))).strip()


def _stored_options() -> Json:
    folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    configs = read_object(os.path.join(folder, "settings.json")).get("pluginConfigs", {})
    ours = (config.get("options", {}) for plugin, config in configs.items() if plugin.startswith("tellonce@"))
    return next(ours, {})


def read_object(path: str) -> Json:
    """The JSON object in a file; empty if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            value = loads(file.read())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def token() -> str:
    """This machine's access token. Raises Away if the server has not stored one yet."""
    try:
        with open(os.path.join(data_folder(), "tokens", "assistant"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError as error:
        raise Away(f"no access token in {data_folder()}") from error


def data_folder() -> str:
    """The server's data folder: from the plugin's options, else from TELLONCE_DATA_DIR, else the system's default."""
    chosen = option("data_folder") or os.environ.get("TELLONCE_DATA_DIR", "")
    if chosen:
        return os.path.expanduser(chosen)
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/tellonce")
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "tellonce")


def record_turn(arguments: Json, seconds: float) -> Json:
    """Call `record_turn` and return its structured result. Raises Away or Refused."""
    params = {"name": "record_turn", "arguments": arguments, "_meta": META}
    body = dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    try:
        status, answer = _exchange(body, seconds)
        result = loads(answer.decode()).get("result") if status == 200 else None
    except OSError as error:
        raise Away(error.strerror or str(error)) from error
    except (ValueError, LookupError) as error:
        raise Away("the memory server broke off or answered in another form") from error
    if not isinstance(result, dict) or "tellonce/later" in (result.get("_meta") or {}):
        raise Away(f"the memory server answered {status}")
    if result.get("isError"):
        raise Refused(" ".join(block.get("text", "") for block in result.get("content", [])))
    return result.get("structuredContent") or {}


def _exchange(body: bytes, seconds: float) -> tuple[int, bytes]:
    """A response to HTTP/1.0 is never chunked, and ends when the connection closes."""
    scheme, host, port, path = _address(option("url") or URL)
    lines = (
        f"POST {path} HTTP/1.0",
        f"Host: {host}:{port}",
        f"Authorization: Bearer {token()}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"MCP-Protocol-Version: {PROTOCOL}",
        "Mcp-Method: tools/call",
        "Mcp-Name: record_turn",
        f"Content-Length: {len(body)}",
    )
    connection = _encrypted(host, port, seconds) if scheme == "https" else _connected(host, port, seconds)
    answer = b""
    try:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        while True:
            piece = connection.recv(65536)
            if not piece:
                break
            answer += piece
    finally:
        connection.close()
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split(None, 2)[1]), _payload(head, rest)


def _connected(host: str, port: int, seconds: float) -> _socket.socket:
    failure = OSError(f"{host} has no address")
    # The host is passed as bytes, because with a str Python would load the tables for international domain names.
    for family, kind, protocol, _, address in _socket.getaddrinfo(host.encode(), port, 0, _socket.SOCK_STREAM):
        connection = _socket.socket(family, kind, protocol)
        connection.settimeout(seconds)
        try:
            connection.connect(address)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def _encrypted(host: str, port: int, seconds: float) -> _socket.socket:
    import socket  # noqa: PLC0415  # for a remote server only: they load slower than a local call
    import ssl  # noqa: PLC0415

    plain = socket.create_connection((host, port), seconds)
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _payload(head: bytes, rest: bytes) -> bytes:
    if b"text/event-stream" not in head.lower():
        return rest
    return [line[5:] for line in rest.splitlines() if line.startswith(b"data:")][-1]


def _address(url: str) -> tuple[str, str, int, str]:
    scheme, _, rest = url.partition("://")
    place, _, path = rest.partition("/")
    host, _, port = place.rpartition(":") if ":" in place.rpartition("]")[2] else (place, "", "")
    return scheme, host.strip("[]"), int(port or (443 if scheme == "https" else 80)), "/" + path
