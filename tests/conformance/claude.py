"""Claude Code's command line in a home of its own: no network but loopback, no key, no settings of this machine."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

import anyio

RUN_SECONDS = 90
QUIET = ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_BUG_COMMAND")


@dataclass(frozen=True)
class Claude:
    bin: Path
    home: Path

    async def __call__(self, *arguments: str, **environment: str) -> str:
        """What it printed, after it ended well."""
        (self.home / "work").mkdir(parents=True, exist_ok=True)
        process = await asyncio.create_subprocess_exec(
            str(self.bin / "claude"),
            *arguments,
            env={**self._environment(), **environment},
            cwd=self.home / "work",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            with anyio.fail_after(RUN_SECONDS):
                out, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0, f"claude {arguments}: {errors.decode()} {out.decode()}"
        return out.decode()

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.bin}{os.pathsep}{os.defpath}",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / "config"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **dict.fromkeys(QUIET, "1"),
        }
