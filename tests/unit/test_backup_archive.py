"""A backup that this program cannot restore is refused with the reason, before anything is changed."""

import json
import zipfile
from pathlib import Path

import pytest

from tellonce_server.backup.archive import FORMAT, MANIFEST, BackupRefused, opened, to_apply
from tellonce_sql import migrations

APPLIED = {migration.version: migration.sha256 for migration in migrations()}


def archive(folder: Path, **manifest: object) -> Path:
    file = folder / "memory.tellonce"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(MANIFEST, json.dumps({"format": FORMAT, "migrations": APPLIED, "tables": [], **manifest}))
    return file


def test_a_backup_of_this_program_is_restored_with_all_its_migrations(tmp_path: Path) -> None:
    with opened(archive(tmp_path)) as found:
        assert found is not None
        assert to_apply(found.manifest, migrations()) == list(migrations())


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"format": FORMAT + 1, "sums": {"messages": "0"}}, "a newer tellonce made the backup"),
        ({"migrations": {**APPLIED, 9999: "0"}}, "a newer tellonce made the backup"),
        ({"migrations": {**APPLIED, 1: "0"}}, "different migrations"),
    ],
)
def test_a_backup_of_another_program_is_refused(tmp_path: Path, manifest: dict[str, object], reason: str) -> None:
    with opened(archive(tmp_path, **manifest)) as found:
        assert found is not None
        with pytest.raises(BackupRefused, match=reason):
            to_apply(found.manifest, migrations())


def test_a_file_without_a_list_of_its_contents_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.tellonce"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("notes.txt", "nothing")
    with pytest.raises(BackupRefused, match="not a backup"), opened(file):
        pass
