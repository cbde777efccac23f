"""Starts the product's programs by forking a process that has already imported their modules.

The imports of a program take one to two seconds of processor time, and the tests start hundreds of programs. A forked
program is still a process of its own, with its own arguments, environment, folder and streams, and it ends as any
Python does. Tests of a cold start, of memory use, or of names in /proc start `sys.executable` instead.

Run as a module, this file is the process that forks. It inherits a socket as standard input.
"""

import asyncio
import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

import anyio

import tellonce_cli
from tests import memory_disk

PROGRAMS = (
    "tellonce_server.app.http",
    "tellonce_server.app.stdio",
    "tellonce_relay.__main__",
    "tellonce_summarizer.__main__",
)
"""The modules that programs import. Those of the command are imported too; none starts a thread, which a fork would
lose."""
ROOT = Path(__file__).parents[1]
FIELD = 12
"""Characters of a number that the forking process reports."""
LONGEST_LINE = 16 << 20
"""Bytes of the longest line that a test reads from a program."""


class Program:
    """A running program, with the attributes of `asyncio.subprocess.Process`."""

    stdin: asyncio.StreamWriter | None = None
    stdout: asyncio.StreamReader | None = None
    stderr: asyncio.StreamReader | None = None

    def __init__(self, report: socket.socket) -> None:
        self._report = report
        self._exit: int | None = None
        self._waiting = asyncio.Lock()
        self._outputs: list[_Output] = []
        self.pid = int(report.recv(FIELD, socket.MSG_WAITALL))
        report.setblocking(False)

    @property
    def returncode(self) -> int | None:
        if self._exit is None:
            try:
                self._exit = int(self._report.recv(FIELD, socket.MSG_PEEK))
            except BlockingIOError:
                return None
            if not self._waiting.locked():
                self._report.close()
        return self._exit

    async def wait(self) -> int:
        async with self._waiting:
            if self.returncode is None:
                await anyio.wait_readable(self._report)
            assert self.returncode is not None
            self._report.close()
        for output in self._outputs:
            await output.ended.wait()
        return self._exit

    async def connect(self, pipes: Mapping[int, int]) -> None:
        """Open our ends of the pipes, which are given by the number of the stream."""
        if 0 in pipes:
            self.stdin = await _writer(pipes[0])
        if 1 in pipes:
            self.stdout = await self._reader(pipes[1])
        if 2 in pipes:
            self.stderr = await self._reader(pipes[2])

    async def _reader(self, descriptor: int) -> asyncio.StreamReader:
        reader = asyncio.StreamReader(LONGEST_LINE)
        self._outputs.append(output := _Output(reader))
        await asyncio.get_running_loop().connect_read_pipe(lambda: output, os.fdopen(descriptor, "rb", 0))
        return reader

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def communicate(self, told: bytes = b"") -> tuple[bytes, bytes]:
        """Write to standard input, read the other streams to their ends, and wait for the exit."""
        if self.stdin is not None:
            self.stdin.write(told)
            self.stdin.close()
        out, errors = await asyncio.gather(*(_all(stream) for stream in (self.stdout, self.stderr)))
        await self.wait()
        return out, errors


async def start(
    module: str,
    *arguments: str,
    env: Mapping[str, str],
    cwd: Path,
    stdin: int = subprocess.DEVNULL,
    stdout: int | IO[Any] | None = None,
    stderr: int | IO[Any] | None = None,
) -> Program:
    """Start `python -m module` with these arguments. The streams are given as to `subprocess.Popen`."""
    request = {"module": module, "arguments": arguments, "env": dict(env), "cwd": str(cwd)}
    ours, theirs = socket.socketpair()
    streams = _Streams()
    with tempfile.TemporaryFile() as file, theirs:
        file.write(json.dumps(request).encode())
        file.flush()
        said = streams.writing(stdout, 1)
        errors = said if stderr == subprocess.STDOUT else streams.writing(stderr, 2)
        descriptors = [file.fileno(), theirs.fileno(), streams.reading(stdin), said, errors]
        socket.send_fds(_forking(os.getpid()), [b"."], descriptors)
        program = Program(ours)
    streams.close()
    await program.connect(streams.ours)
    return program


class _Streams:
    """The descriptors for a program's streams, and our ends of its pipes."""

    def __init__(self) -> None:
        self._theirs: list[int] = []
        self.ours: dict[int, int] = {}

    def reading(self, wanted: int) -> int:
        if wanted == subprocess.PIPE:
            theirs, self.ours[0] = os.pipe()
        elif wanted == subprocess.DEVNULL:
            theirs = os.open(os.devnull, os.O_RDONLY)
        else:
            return wanted
        self._theirs.append(theirs)
        return theirs

    def writing(self, wanted: int | IO[Any] | None, number: int) -> int:
        if wanted is None:
            return number
        if wanted == subprocess.PIPE:
            self.ours[number], theirs = os.pipe()
            self._theirs.append(theirs)
            return theirs
        return wanted if isinstance(wanted, int) else wanted.fileno()

    def close(self) -> None:
        """Close the program's descriptors, of which it has copies."""
        for descriptor in self._theirs:
            os.close(descriptor)


class _Output(asyncio.StreamReaderProtocol):
    """A stream of a program, which ends after the program."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self.ended = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.ended.set()


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(descriptor, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _all(stream: asyncio.StreamReader | None) -> bytes:
    return await stream.read() if stream is not None else b""


@cache
def _forking(_: int) -> socket.socket:
    """The socket of this process's own forking process, which ends when the socket closes."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.forked"]
    with theirs:
        # NumPy's library of linear algebra starts a thread for each core, unless told not to.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment)
    # The functions run in reverse order.
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def serve(control: socket.socket) -> str:
    """Fork a process for each request. Returns the module to run, in that process only."""
    for module in (*PROGRAMS, *_commands()):
        importlib.import_module(module)
    memory_disk.follow_the_tests()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 5)
        if not descriptors:
            sys.exit()
        if os.fork() == 0:
            control.close()
            return _program(*descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _commands() -> list[str]:
    return [found.name for found in pkgutil.walk_packages(tellonce_cli.__path__, "tellonce_cli.")]


def _program(file: int, report: int, *streams: int) -> str:
    """Fork the program, and become the process that reports its exit. Returns the module, in the program only."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.close(report)
        return _prepare(file, streams)
    for descriptor in streams:
        os.close(descriptor)
    os.write(report, f"{pid:{FIELD}}".encode())
    _, status = os.waitpid(pid, 0)
    os.write(report, f"{os.waitstatus_to_exitcode(status):{FIELD}}".encode())
    os._exit(0)


def _prepare(file: int, streams: tuple[int, ...]) -> str:
    """Set up this process as the request says. Returns the module to run."""
    with os.fdopen(file) as read:
        read.seek(0)
        request = json.load(read)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    if action := os.environ.get("PYTHONWARNINGS"):
        warnings.simplefilter(action)  # type: ignore[arg-type]  # the name of an action
    sys.path[0] = request["cwd"]
    module: str = request["module"]
    sys.argv[1:] = request["arguments"]
    sys.modules.pop(f"{module}.__main__", None)
    # The modules of the command read the environment when they are imported, as for the width of the screen.
    for name in [name for name in sys.modules if name.partition(".")[0] == tellonce_cli.__name__]:
        del sys.modules[name]
    return module


if __name__ == "__main__":
    runpy.run_module(serve(socket.socket(fileno=0)), run_name="__main__", alter_sys=True)
