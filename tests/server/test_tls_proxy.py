"""A real Caddy runs the unchanged example of docs/how-to/tls.md: clients can connect, and metrics are not public."""

import asyncio
import os
import shutil
import ssl
from pathlib import Path

import httpx2
import pytest

from tests.patience import HANGS
from tests.server.processes import end, free_port, http_server
from tests.server.wire import request, wire_headers

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(shutil.which("caddy") is None, reason="needs Caddy (Debian: apt-get install caddy)"),
]

EXAMPLE = Path(__file__).parents[2] / "docs" / "how-to" / "Caddyfile"
ALONE = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"
"""With these options, Caddy does not use another port and does not change this machine's trust store."""


async def test_the_example_lets_clients_in_over_tls_and_nothing_else_out(tmp_path: Path, dsn: str) -> None:
    port = free_port()
    (tmp_path / "Caddyfile").write_text(f"{ALONE}import {EXAMPLE}\n")
    root = tmp_path / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    async with http_server(tmp_path / "data", dsn) as server:
        caddy = await asyncio.create_subprocess_exec(
            *("caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"),
            env={
                **os.environ,
                "XDG_DATA_HOME": str(tmp_path),
                "XDG_CONFIG_HOME": str(tmp_path),
                "MEMORY_NAME": f"localhost:{port}",
                "TELLONCE_PORT": str(server.port),
            },
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            assert caddy.stderr is not None
            wanted = {b"serving initial configuration", b"certificate obtained successfully"}
            async with asyncio.timeout(HANGS):
                while wanted:
                    line = await caddy.stderr.readline()
                    assert line, "caddy ended"
                    wanted -= {words for words in wanted if words in line}
            trusted = ssl.create_default_context(cafile=str(root))
            async with httpx2.AsyncClient(
                verify=trusted, trust_env=False, base_url=f"https://localhost:{port}"
            ) as http:
                asked = {"json": request("tools/list"), "headers": {**wire_headers("tools/list"), **server.headers()}}
                answer = await http.post("/mcp", **asked)
                assert answer.status_code == 200
                assert "get_context" in answer.text
                assert (await http.post("/mcp", json=request("tools/list"))).status_code == 401
                for page in ("/metrics", "/health", "/ready"):
                    assert (await http.get(page)).status_code == 404
        finally:
            await end(caddy)
