"""`tellonce service` writes a unit that systemd accepts, and starts it with the system's own service manager."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tellonce.children import service_file
from tellonce_cli.service import Launchd, Service, launchd_plist, systemd_unit
from tests import fork_server

ODD = Service(
    ("/opt/a folder/50%/tellonce", "up"),
    Path("/srv/a folder"),
    {"TELLONCE_DATA_DIR": '/srv/"x" $HOME'},
    Path("/tmp/log"),
)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_accepts_the_unit_and_reads_odd_names_literally(tmp_path: Path) -> None:
    program = tmp_path / "a folder 50%" / "tellonce"
    program.parent.mkdir()
    shutil.copy(shutil.which("true") or "/bin/true", program)
    unit = tmp_path / "tellonce.service"
    unit.write_bytes(systemd_unit(Service((str(program), "up"), tmp_path, ODD.environment, ODD.log)))
    verified = subprocess.run(
        ["systemd-analyze", "--user", "verify", unit], capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_unit_quotes_what_systemd_would_expand() -> None:
    text = systemd_unit(ODD).decode()
    assert 'ExecStart="/opt/a folder/50%%/tellonce" "up"\n' in text
    assert 'Environment="TELLONCE_DATA_DIR=/srv/\\"x\\" $HOME"\n' in text


def test_the_launchd_agent_holds_the_same(tmp_path: Path) -> None:
    read = plistlib.loads(launchd_plist(ODD))
    assert read["ProgramArguments"] == ["/opt/a folder/50%/tellonce", "up"]
    assert read["EnvironmentVariables"] == {"TELLONCE_DATA_DIR": '/srv/"x" $HOME'}
    assert read["KeepAlive"] == {"SuccessfulExit": False}
    assert Launchd().start(tmp_path)[0][-1] == str(tmp_path)


@pytest.mark.skipif(sys.platform == "darwin", reason="systemd's path")
def test_install_asks_systemd_and_uninstall_leaves_nothing(tmp_path: Path) -> None:
    """A program on the path replaces the service manager and records the calls. The `tellonce` command is the real
    one."""
    called = tmp_path / "called"
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text(f'#!/bin/sh\necho "$@" >> {called}\n')
    systemctl.chmod(0o755)
    environment = {
        "PATH": f"{systemctl.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TELLONCE_DATA_DIR": str(tmp_path / "data"),
        "ANTHROPIC_API_KEY": "the-secret",
        "COLUMNS": "400",
    }

    def command(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [fork_server.python(), "-m", "tellonce_cli.entry", "service", *words],
            capture_output=True, text=True, check=False, env=environment, cwd=tmp_path,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    assert command("status") == (1, "tellonce: the service is not installed; `tellonce service install` installs it.\n")
    code, said = command("install")
    unit = tmp_path / "config" / "systemd" / "user" / "tellonce.service"
    assert code == 0, said
    assert f"WorkingDirectory={tmp_path}\n" in unit.read_text()
    assert "The service does not see these variables of this shell: ANTHROPIC_API_KEY." in said
    assert "the-secret" not in said + unit.read_text()
    assert command("status")[0] == 0
    assert command("uninstall")[0] == 0
    assert not unit.exists()
    assert called.read_text().splitlines() == [
        "--user daemon-reload",
        "--user enable tellonce.service",
        "--user restart tellonce.service",
        "--user --no-pager status tellonce",
        "--user disable --now tellonce.service",
        "--user daemon-reload",
    ]
    systemctl.write_text("#!/bin/sh\necho no bus >&2; exit 1\n")
    code, said = command("install")
    assert code == 1
    assert "systemctl --user daemon-reload failed: no bus" in said
    assert "loginctl enable-linger" in said
    assert not unit.exists()
    shutil.rmtree(tmp_path / "config")
    (tmp_path / "config").touch()
    code, said = command("install")
    assert (code, said.count("\n")) == (1, 1)
    assert f"{unit.parent} cannot be written (Not a directory). The service is not installed" in said


def test_each_system_has_its_own_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert service_file("linux") == tmp_path / ".config/systemd/user/tellonce.service"
    assert service_file("darwin") == tmp_path / "Library/LaunchAgents/tellonce.plist"
