"""The forecast of an import."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from tellonce.client_settings import SummarizerSettings
from tellonce.settings import Compaction
from tellonce_cli.import_ import _agreed
from tellonce_cli.importers.forecast import Forecast, Talk, forecast, measured
from tellonce_cli.importers.items import Unreadable
from tellonce_cli.screen import CommandFailed
from tellonce_server.services.import_messages import ImportMessage, OwnConversation

NOW = datetime(2026, 2, 16, tzinfo=UTC)
RULES = Compaction()


def settings(**more: object) -> SummarizerSettings:
    return SummarizerSettings.model_validate({"data_dir": "/nowhere", **more})


def talk(threads: int, each: int) -> Talk:
    return measured(
        ImportMessage("user", "x" * 200, f"{t}:{n}", NOW, "chatgpt", None, t, None, OwnConversation("chatgpt"))
        for t in range(threads)
        for n in range(each)
    )


def test_the_forecast_for_many_messages_with_a_key_names_calls_time_and_money() -> None:
    many = forecast(talk(100, 1000), RULES, settings(anthropic_api_key="k"))
    assert many.talk.messages == 100_000
    assert 8_000 < many.calls < 14_000
    assert many.dollars is not None
    assert 20 < many.dollars < 100
    assert "100000 messages" in many.lines[0]
    assert "claude-haiku-4-5 then reads them" in many.lines[1]
    assert " h. " in many.lines[1]


def test_the_forecast_is_for_the_best_tier_that_learns() -> None:
    many = forecast(talk(10, 1000), RULES, settings(learner="claude-cli", anthropic_api_key="k"))
    assert many.dollars
    assert "claude-haiku-4-5 then reads them" in many.lines[1]


def test_a_subscription_takes_days_and_no_money_and_without_a_model_nothing_is_called() -> None:
    command = forecast(talk(10, 1000), RULES, settings(learner="claude-cli"))
    assert (command.dollars, command.seconds > 86_400) == (0.0, True)
    alone = forecast(talk(10, 1000), RULES, settings(learner="keep"))
    assert (alone.calls, alone.dollars) == (0, 0.0)
    assert "It costs nothing" in alone.lines[1]


def test_a_wrong_name_is_reported_before_the_import() -> None:
    def lines(speaker: str | None) -> str:
        one = ImportMessage("user", "Hi", "g:1", NOW, "telegram", speaker, None, None, OwnConversation("telegram"))
        return forecast(measured([one]), RULES, settings()).lines[0]

    assert "None of the messages is recognized as yours" in lines("Ann")
    damaged = forecast(measured([Unreadable("line 2: it has no sent_at")]), RULES, settings())
    assert "1 entry cannot be read and will be skipped." in damaged.lines[0]
    assert lines(None).startswith("It holds 1 message (1 of them yours);")


def test_where_nobody_can_be_asked_only_what_costs_nothing_begins(capsys: pytest.CaptureFixture[str]) -> None:
    paid = forecast(talk(1, 100), RULES, settings(anthropic_api_key="k"))
    free = forecast(talk(1, 100), RULES, settings(learner="keep"))
    assert _agreed(free, yes=False, dry_run=False)
    assert _agreed(paid, yes=True, dry_run=False)
    assert not _agreed(paid, yes=True, dry_run=True)
    with pytest.raises(CommandFailed):
        _agreed(paid, yes=False, dry_run=False)


@pytest.mark.parametrize(("calls", "mine"), [(1, 3), (0, 0)], ids=["it calls a model", "no message is the user's"])
def test_an_import_that_costs_or_cannot_be_corrected_needs_a_yes_if_nobody_can_be_asked(calls: int, mine: int) -> None:
    foreseen = Forecast(Talk(Counter(thread=3), mine=mine), calls, reader="a model")
    with pytest.raises(CommandFailed, match="use --yes"):
        _agreed(foreseen, yes=False, dry_run=False)
    assert _agreed(foreseen, yes=True, dry_run=False)
    assert _agreed(Forecast(Talk(Counter(thread=3), mine=3)), yes=False, dry_run=False)
