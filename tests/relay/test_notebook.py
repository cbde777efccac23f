"""What is noted stays, through a kill and for every process that looks."""

from pathlib import Path

from tellonce_relay.notebook import Notebook


def test_two_processes_share_what_either_notes(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    relay, script = Notebook(file), Notebook(file)
    relay.put("42:2", "1")
    script.put("42:4", "3")
    relay.put("42:6", "5")
    assert relay.items() == script.items() == [("42:2", "1"), ("42:4", "3"), ("42:6", "5")]
    assert Notebook(file).get("42:4") == "3"


def test_the_oldest_go_when_it_is_full(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path / "asked.json", most=2)
    for name in "abc":
        notebook.put(name, "x")
    assert [name for name, _ in Notebook(tmp_path / "asked.json").items()] == ["b", "c"]


def test_half_a_file_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": ')
    notebook = Notebook(tmp_path / "x.json")
    assert notebook.get("a") is None
    notebook.put("a", "b")
    assert Notebook(tmp_path / "x.json").get("a") == "b"


def test_without_a_file_it_remembers_as_long_as_it_lives() -> None:
    notebook = Notebook()
    notebook.put("a", "b")
    assert notebook.get("a") == "b"
