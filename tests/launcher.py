"""Replaces the command `python`. The launcher asks the forking process (`tests/fork_server.py`) to run the product's
programs. It runs all other programs with the real Python.

The forked program gets the environment, folder and streams of the launcher. The launcher forwards signals to the
program, and ends with the program's exit code. It starts in 20 ms, because it imports only small modules of the standard
library.
"""

import json
import os
import signal
import socket
import sys
from typing import Any

FIELD = 12
"""Number of characters that each number has in the protocol of the forking process."""
FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STREAMS = (0, 1, 2)


def request(address: str, program: dict[str, Any], streams: list[int]) -> socket.socket:
    """Ask the forking process for a program with these streams. The returned connection receives the program's process
    id and, when the program ends, its exit code. If the connection closes earlier, the program is killed."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    body = json.dumps(program).encode()
    socket.send_fds(connection, [f"{len(body):{FIELD}}".encode()], streams)
    connection.sendall(body)
    return connection


def number(connection: socket.socket) -> int:
    return int(connection.recv(FIELD, socket.MSG_WAITALL))


def run(module: str, arguments: list[str], *, safe_path: bool) -> int:
    """Run one of the product's programs. With `safe_path`, the program does not import from its folder. Returns the
    program's exit code, which is negative after a signal."""
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    program = {
        "module": module,
        "safe_path": safe_path,
        "arguments": arguments,
        "env": dict(os.environ),
        "cwd": os.getcwd(),
        "python": sys.argv[0],
        "session": os.getsid(0) == os.getpid(),
    }
    connection = request(os.path.join(os.path.dirname(sys.argv[0]), "socket"), program, list(STREAMS))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in STREAMS:
        os.dup2(nothing, stream)
    pid = number(connection)
    for forwarded in FORWARDED:
        signal.signal(forwarded, lambda received, _: os.kill(pid, received))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    return number(connection)


def main() -> None:
    match sys.argv[1:]:
        case ["-P", "-m", module, *arguments] | ["-m", module, *arguments] if module.startswith("tellonce"):
            code = run(module, arguments, safe_path=sys.argv[1] == "-P")
        case arguments:
            os.execv(sys.executable, [sys.executable, *arguments])
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
