"""Runs Claude Code's command line with a separate home folder. Claude Code can reach only loopback. It has no key, and
it does not read this machine's settings."""

import os
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.npm import run

RUN_SECONDS = 90
QUIET = ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_BUG_COMMAND")


@dataclass(frozen=True)
class Claude:
    bin: Path
    home: Path

    async def __call__(self, *arguments: str, **environment: str) -> str:
        """Run the command and return its output. It must succeed."""
        (self.home / "work").mkdir(parents=True, exist_ok=True)
        code, out, errors = await run(
            self.bin / "claude",
            *arguments,
            env={**self.environment(), **environment},
            cwd=self.home / "work",
            seconds=RUN_SECONDS,
        )
        assert code == 0, f"claude {arguments}: {errors} {out}"
        return out

    def environment(self) -> dict[str, str]:
        """The environment: a separate home, and no network beyond loopback."""
        return {
            "PATH": f"{self.bin}{os.pathsep}{os.defpath}",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / "config"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **dict.fromkeys(QUIET, "1"),
        }
