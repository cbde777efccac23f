"""Runs the scenarios of the official conformance suite that a server must pass for a revision of the protocol."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from tests.conformance.npm import run

RUN_SECONDS = 170


@dataclass(frozen=True)
class Suite:
    bin: Path
    folder: Path

    async def __call__(self, url: str, revision: str, expected: Mapping[str, str]) -> tuple[int, str]:
        """Run the suite and return its exit code and output. The code is 0 if exactly the expected scenarios fail."""
        baseline = self.folder / "baseline.json"  # the file is YAML, which includes JSON
        baseline.write_text(json.dumps({"server": sorted(expected)}))
        code, out, errors = await run(
            self.bin / "conformance",
            *("server", "--url", url, "--requirements", revision, "--expected-failures", str(baseline)),
            *("-o", str(self.folder / "out")),
            env={"PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.folder)},
            cwd=self.folder,
            seconds=RUN_SECONDS,
        )
        return code, out + errors


class WithToken:
    """Adds the credential to requests, because the suite cannot send a header. It changes nothing else."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "headers": [*scope.get("headers", []), self._header]}, receive, send)
