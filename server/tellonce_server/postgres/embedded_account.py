"""The OS account of the embedded PostgreSQL, and the folders that this account can reach. If the program runs as root,
another account is needed, because PostgreSQL refuses to run as root. The account gets its own folder; the permissions
of other folders are not changed."""

import logging
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import pwd

ACCOUNT_NAME = "chatmem-postgres"

logger = logging.getLogger(__name__)


class NoServerAccount(Exception):
    """This program runs as root and found no account for PostgreSQL. The text says how to create one."""


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int


def server_account(cluster: Path) -> Account | None:
    """The account that runs the server. None means the account of this process. An existing cluster keeps its owner."""
    if os.geteuid() != 0:
        return None
    if cluster.exists() and cluster.stat().st_uid != 0:
        return Account(cluster.stat().st_uid, cluster.stat().st_gid)
    return _named(ACCOUNT_NAME) or _created() or _other_account()


def can_reach(account: Account | None, directory: Path) -> bool:
    """Whether the account may enter `directory`, by the mode bits. Access control lists are not read."""
    return account is None or all(_may_enter(account, part) for part in (directory, *directory.parents))


def _may_enter(account: Account, directory: Path) -> bool:
    status = directory.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def _named(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def _created() -> Account | None:
    program = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if program is None:
        return None
    options = "--system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin".split()
    done = subprocess.run([program, *options, ACCOUNT_NAME], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # The usual reason is that another process has just created the account.
        logger.info("useradd %s: %s", ACCOUNT_NAME, done.stderr.strip())
    return _named(ACCOUNT_NAME)


def _other_account() -> Account:
    account = _named("postgres") or _named("nobody")
    if account is None or account.uid == 0:
        raise NoServerAccount(
            "PostgreSQL refuses to run as root and has no account here: create one (`useradd --system "
            f"{ACCOUNT_NAME}`), start tellonce as an ordinary user, or set DATABASE_URL to a PostgreSQL that runs elsewhere"
        )
    return account
