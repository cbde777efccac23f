"""Values in the store survive a kill and are visible to all processes."""

from pathlib import Path

from tellonce_relay.seen_store import SeenStore


def test_two_processes_share_what_either_notes(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    relay, script = SeenStore(file), SeenStore(file)
    relay.put("42:2", "1")
    script.put("42:4", "3")
    relay.put("42:6", "5")
    assert relay.items() == script.items() == [("42:2", "1"), ("42:4", "3"), ("42:6", "5")]
    assert SeenStore(file).get("42:4") == "3"


def test_the_oldest_go_when_it_is_full(tmp_path: Path) -> None:
    seen_store = SeenStore(tmp_path / "asked.json", most=2)
    for name in "abc":
        seen_store.put(name, "x")
    assert [name for name, _ in SeenStore(tmp_path / "asked.json", most=2).items()] == ["b", "c"]


def test_a_file_stays_small_and_keeps_the_order_when_values_come_again(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    relay, script = SeenStore(file, most=3), SeenStore(file, most=3)
    for name in "abcdabedcaab":
        relay.put(name, "x")
        relay.put(name, "y")
        assert script.items() == relay.items() == SeenStore(file, most=3).items()
    assert file.stat().st_size < 200
    file.write_bytes(file.read_bytes() + b'\n{"z": "\xff')
    assert script.items() == SeenStore(file, most=3).items() == relay.items()
    script.put("n", "1")
    assert relay.get("n") == "1"


def test_half_a_file_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": ')
    seen_store = SeenStore(tmp_path / "x.json")
    assert seen_store.get("a") is None
    seen_store.put("a", "b")
    assert SeenStore(tmp_path / "x.json").get("a") == "b"


def test_without_a_file_it_remembers_as_long_as_it_lives() -> None:
    seen_store = SeenStore()
    seen_store.put("a", "b")
    assert seen_store.get("a") == "b"
