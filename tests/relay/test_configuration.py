"""The files of the configuration folder: the shipped examples are valid, and mistakes are reported."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tellonce.client_settings import RelaySettings
from tellonce.settings import SettingsError
from tellonce_relay.cron import check, next_due
from tellonce_relay.responders.claude_cli import ClaudeCli
from tellonce_relay.responders.model import ModelResponder
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.selection import choose
from tellonce_relay.routines.built_in_routines import BUILT_IN
from tellonce_relay.routines.file import Routines, load_routines
from tellonce_relay.turn.agents import Agent, load_agents
from tellonce_relay.updates.access import is_own

EXAMPLES = Path(__file__).parents[2] / "config"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("agents", "routines"):
        shutil.copy(EXAMPLES / f"{name}.example.toml", tmp_path / f"{name}.toml")
    return tmp_path


def test_the_example_agents_speak_in_their_topics_and_one_everywhere_else(folder: Path) -> None:
    agents = load_agents(folder)
    assert agents.at(-1001234567890, 7).id == "aws-architect"
    assert agents.at(-1001234567890, 9).id == "security-analyst"
    assert agents.at(-1001234567890, None).id == agents.at(42, None).id == "general-assistant"
    assert "long-term memory" in agents.at(42, None).prompt


def test_the_example_routines_are_those_of_the_specification(folder: Path) -> None:
    routines = {routine.name: routine for routine in load_routines(folder).valid}
    assert list(routines) == [
        "morning-summary",
        "smart-checkin",
        "night-summary",
        "aws-daily-cost",
        "security-daily-scan",
        "weekly-etf",
    ]
    assert routines["aws-daily-cost"].agent == "aws-architect"
    assert all(routines[name].command for name in list(routines)[3:])
    assert set(list(routines)[:3]) == set(BUILT_IN)


def test_without_files_there_is_the_plain_assistant_and_no_routine(tmp_path: Path) -> None:
    assert load_agents(tmp_path).at(42, None) == Agent()
    assert load_routines(tmp_path) == Routines()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[a]\nprompt = ''", "a.prompt"),
        ("[a]\nprompt = 'x'\ntopics = ['seven']", "a.topics"),
        ("[a\n", "agents.toml"),
    ],
)
def test_a_mistake_in_the_agents_file_is_named(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / "agents.toml").write_text(text)
    with pytest.raises(SettingsError, match=names):
        load_agents(tmp_path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[weekly]\ncron = '0 8 * * 9'\ncommand = ['x']", "weekday"),
        ("[weekly]\ncron = '61 8 * * *'\ncommand = ['x']", "cron"),
        ("[weekly]\ncron = 'daily'\ncommand = ['x']", "five"),
        ("[weekly]\ncron = '0 8 * * 1'", "needs a command"),
        ("[weekly]\ncron = '0 8 * * 1'\ncomand = ['x']", "comand"),
        ("[weekly]\nname = 'x'\ncron = '0 8 * * 1'\ncommand = ['x']", "name"),
        ("weekly = 1", "valid dictionary"),
    ],
)
def test_a_mistake_in_a_routine_is_named_and_the_other_routines_are_kept(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / "routines.toml").write_text(f"{text}\n[morning-summary]\ncron = '0 8 * * *'\n")
    found = load_routines(tmp_path)
    assert [routine.name for routine in found.valid] == ["morning-summary"]
    assert list(found.mistakes) == ["weekly"]
    assert names in found.mistakes["weekly"]


def test_a_file_of_routines_that_cannot_be_parsed_has_no_routine_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "routines.toml").write_text("[weekly\n")
    found = load_routines(tmp_path)
    assert (found.valid, list(found.mistakes)) == ((), ["routines.toml"])


SINGAPORE, NEW_YORK = ZoneInfo("Asia/Singapore"), ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        ("0 7 * * *", datetime(2026, 2, 18, 6, 59, tzinfo=SINGAPORE), datetime(2026, 2, 18, 7, tzinfo=SINGAPORE)),
        ("0 7 * * *", datetime(2026, 2, 18, 7, 0, tzinfo=SINGAPORE), datetime(2026, 2, 19, 7, tzinfo=SINGAPORE)),
        ("0 9 * * 0", datetime(2026, 2, 18, 7, 0, tzinfo=SINGAPORE), datetime(2026, 2, 22, 9, tzinfo=SINGAPORE)),
        ("0 9 * * 7", datetime(2026, 2, 18, 7, 0, tzinfo=SINGAPORE), datetime(2026, 2, 22, 9, tzinfo=SINGAPORE)),
        ("0 9 * * 1-5", datetime(2026, 2, 20, 10, 0, tzinfo=SINGAPORE), datetime(2026, 2, 23, 9, tzinfo=SINGAPORE)),
        (
            "*/15 * * * *",
            datetime(2026, 2, 18, 7, 16, tzinfo=SINGAPORE),
            datetime(2026, 2, 18, 7, 30, tzinfo=SINGAPORE),
        ),
        ("0 8 * * *", datetime(2026, 3, 7, 9, 0, tzinfo=NEW_YORK), datetime(2026, 3, 8, 8, tzinfo=NEW_YORK)),
        ("0 8 * * *", datetime(2026, 10, 31, 9, 0, tzinfo=NEW_YORK), datetime(2026, 11, 1, 8, tzinfo=NEW_YORK)),
    ],
)
def test_a_routine_is_due_by_the_users_own_clock(expression: str, after: datetime, due: datetime) -> None:
    zone = ZoneInfo(str(after.tzinfo))
    assert next_due(check(expression), after, zone) == due


BERLIN, SAO_PAULO = ZoneInfo("Europe/Berlin"), ZoneInfo("America/Sao_Paulo")
SPRING, AUTUMN = datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "zone", "midnight", "hours"),
    [
        ("30 2 * * *", BERLIN, SPRING, [1.5]),
        ("0 2,3 * * *", BERLIN, SPRING, [1]),
        ("0 * * * *", BERLIN, SPRING, [0, 1, 2, 3]),
        ("30 2 * * *", BERLIN, AUTUMN, [0.5]),
        ("*/30 2 * * *", BERLIN, AUTUMN, [0, 0.5]),
        ("0 * * * *", BERLIN, AUTUMN, [0, 1, 2, 3]),
        ("0 0 * * *", SAO_PAULO, datetime(2018, 11, 4, tzinfo=UTC), [3]),
    ],
)
def test_where_the_clocks_change_what_is_due_at_an_hour_is_due_once_and_what_is_due_hourly_every_hour(
    expression: str, zone: ZoneInfo, midnight: datetime, hours: list[float]
) -> None:
    at, step, due = midnight - timedelta(minutes=1), timedelta(minutes=5), list[float]()
    # A routine runs at the first check after it has become due, as with the real schedule.
    while at < midnight + timedelta(hours=3):
        found = next_due(expression, at, zone)
        assert found is not None
        assert found.astimezone(UTC) > at
        if found <= at + step:
            due.append((found.astimezone(UTC) - midnight).total_seconds() / 3600)
        at += step
    assert due == hours


def relay_settings(tmp_path: Path, **more: object) -> RelaySettings:
    return RelaySettings.model_validate({"_env_file": None, "data_dir": tmp_path, "user_ids": (42,), **more})


def test_the_first_configured_responder_answers(tmp_path: Path) -> None:
    assert isinstance(choose(relay_settings(tmp_path)), OfflineResponder)
    assert isinstance(choose(relay_settings(tmp_path, ollama_url="http://127.0.0.1:1")), ModelResponder)
    both = relay_settings(tmp_path, ollama_url="http://127.0.0.1:1", anthropic_api_key="key", model="claude-x")
    assert "claude-x" in choose(both).name
    assert isinstance(choose(relay_settings(tmp_path, responder="claude-cli")), ClaudeCli)
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY"):
        choose(relay_settings(tmp_path, responder="anthropic"))


def test_the_users_own_profile_is_for_their_chats_only(tmp_path: Path) -> None:
    settings = relay_settings(tmp_path, user_ids=(42, 43), groups=(-100,), personal_groups=(-200,))
    assert [chat for chat in (42, 43, -100, -200) if is_own(chat, settings)] == [42, -200]
