"""Starts the product's programs by forking a process that has already imported their modules.

The imports of a program take one to two seconds of processor time, and the tests start hundreds of programs. A forked
program is still a separate process with its own arguments, environment, folder and streams. It also ends like a
separate Python process. Programs that a forked program starts with `sys.executable` are forked, too. Programs that a
test starts with `python()` are also forked. Some tests need programs that are not forked, and start `sys.executable`.
They test a cold start, memory use, or names in /proc.

The forking process runs this file as a module. It inherits two sockets: standard input, which closes when the tests
end, and a listening socket, which takes one connection for each program.
"""

import asyncio
import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import IO, Any

import anyio

import tellonce_cli
import tellonce_sql
from tests import launcher, memory_disk
from tests.launcher import FIELD, number, request

PROGRAMS = (
    "tellonce_server.app.http",
    "tellonce_server.app.stdio",
    "tellonce_relay.__main__",
    "tellonce_summarizer.__main__",
    "tellonce_server.app.bootstrap",
    "tellonce_server.app.agent_port",
    "tellonce_llm.claude",
)
"""The modules that programs import, at their start or later. (The modules of the command are imported, too.) No module
here starts a thread, because a fork would lose the thread."""
LIBRARIES = ("anyio._backends._asyncio", "anyio._core._subprocesses", "httpcore", "httpcore2", "uvicorn.lifespan.on")
"""Modules that libraries import only when a program first uses them."""
ROOT = Path(__file__).parents[1]
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
        self.pid = number(report)
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
        """Open our ends of the pipes. The keys of `pipes` are the numbers of the streams."""
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
    """Start `python -m module` with these arguments. The streams are those of `subprocess.Popen`."""
    told = {"module": module, "arguments": arguments, "env": dict(env), "cwd": str(cwd), "python": python()}
    streams = _Streams()
    said = streams.writing(stdout, 1)
    errors = said if stderr == subprocess.STDOUT else streams.writing(stderr, 2)
    program = Program(request(_forking(os.getpid()), told, [streams.reading(stdin), said, errors]))
    streams.close()
    await program.connect(streams.ours)
    return program


def python() -> str:
    """The path of a program that takes the arguments of Python. It forks the product's programs and runs all others as
    Python does."""
    return str(Path(_forking(os.getpid())).with_name("python"))


class _Streams:
    """The descriptors for a program's streams, and the other ends of the pipes."""

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
        """Close the descriptors that were passed to the program; the program has its own copies."""
        for descriptor in self._theirs:
            os.close(descriptor)


class _Output(asyncio.StreamReaderProtocol):
    """An output stream of a program. `ended` is set at the end of the stream, which is after the end of the program."""

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
def _forking(_: int) -> str:
    """Start a forking process, and return the address of its socket. The forking process ends when this process ends.
    The argument is the id of this process. It is the key of the cache, so a fork of this process starts its own."""
    folder = Path(tempfile.mkdtemp(prefix="tellonce-forking-"))
    folder.chmod(0o711)
    address = str(folder / "socket")
    ours, theirs = socket.socketpair()
    with theirs, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        command = [sys.executable, "-m", "tests.fork_server", str(listening.fileno())]
        # By default, NumPy's library of linear algebra starts a thread for each core.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(
            command, stdin=theirs, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment, pass_fds=[listening.fileno()]
        )
    program = folder / "python"
    program.write_text(f"#!{sys.executable} -IS\n{Path(launcher.__file__).read_text()}")
    program.chmod(0o755)
    # The functions run in reverse order.
    atexit.register(shutil.rmtree, folder)
    atexit.register(process.wait)
    atexit.register(ours.close)
    return address


def serve(control: socket.socket, listening: socket.socket) -> str:
    """Fork a process for each connection, until the tests end. The function returns only in a program that was started
    in this way. It returns the module that the program runs."""
    for module in (*PROGRAMS, *LIBRARIES, *_commands()):
        importlib.import_module(module)
    tellonce_sql.queries()
    memory_disk.follow_the_tests()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        if control in select.select([control, listening], [], [])[0]:
            sys.exit()
        connection, _ = listening.accept()
        if os.fork() == 0:
            # Standard input stays open, because otherwise another stream of the program could get the number 0.
            control.detach()
            listening.close()
            return _program(connection)
        connection.close()


def _commands() -> list[str]:
    return [found.name for found in pkgutil.walk_packages(tellonce_cli.__path__, "tellonce_cli.")]


def _program(connection: socket.socket) -> str:
    """Fork this process. The new process is the program: there, the function returns the module to run. In the old
    process, the function does not return. The old process reports the program's exit and ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    length, streams, _, _ = socket.recv_fds(connection, FIELD, 3)
    told = json.loads(connection.recv(int(length), socket.MSG_WAITALL))
    if told.get("session"):
        os.setsid()
    pid = os.fork()
    if pid == 0:
        connection.close()
        return _prepare(told, streams)
    for descriptor in streams:
        os.close(descriptor)
    _report(connection, pid)
    os._exit(0)


def _report(connection: socket.socket, pid: int) -> None:
    """Send the program's process id at once, and its exit code when the program ends. If the connection closes earlier,
    kill the program."""
    ended = Event()

    def end() -> None:
        with suppress(ConnectionError):
            connection.recv(1)
        if not ended.is_set():
            os.kill(pid, signal.SIGKILL)

    with suppress(OSError):
        connection.send(f"{pid:{FIELD}}".encode())
        Thread(target=end, daemon=True).start()
        _, status = os.waitpid(pid, 0)
        ended.set()
        connection.send(f"{os.waitstatus_to_exitcode(status):{FIELD}}".encode())


def _prepare(told: dict[str, Any], streams: list[int]) -> str:
    """Set up this process as the request says. Returns the module to run."""
    for stream, descriptor in enumerate(streams):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    # A stream object remembers whether its first file was seekable, so the new files need new stream objects.
    sys.stdout, sys.stderr = (os.fdopen(stream, "w", encoding="utf-8", closefd=False) for stream in (1, 2))
    sys.stderr.reconfigure(line_buffering=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(told["cwd"])
    os.environ.clear()
    os.environ.update(told["env"])
    time.tzset()
    if action := os.environ.get("PYTHONWARNINGS"):
        warnings.simplefilter(action)  # the name of an action
    sys.path[:1] = [] if told.get("safe_path") else [told["cwd"]]
    module: str = told["module"]
    sys.executable = told["python"]
    sys.argv[1:] = told["arguments"]
    sys.modules.pop(f"{module}.__main__", None)
    # Some modules of the command read the environment when they are imported (for example, for the width of the
    # screen).
    for name in [name for name in sys.modules if name.partition(".")[0] == tellonce_cli.__name__]:
        del sys.modules[name]
    return module


if __name__ == "__main__":
    sockets = (socket.socket(fileno=descriptor) for descriptor in (0, int(sys.argv[1])))
    runpy.run_module(serve(*sockets), run_name="__main__", alter_sys=True)
