"""Tests of the table of commands. Each command has an answer. The table names only kinds of orders that `orders.py`
defines."""

import re
from typing import get_args

import pytest

from tellonce_relay.catalogue import LANGUAGES, Language, entries, use_language
from tellonce_relay.command_table import BY_ORDER, COMMANDS, MENU
from tellonce_relay.commands.answers import TEXT_ANSWERS
from tellonce_relay.commands.menu import BOT_ANSWERS
from tellonce_relay.orders import Kind, order_of


def test_the_bot_answers_the_commands_of_the_table_and_no_others() -> None:
    assert {command.name for command in COMMANDS} == {*BOT_ANSWERS, *TEXT_ANSWERS}


def test_an_order_in_words_has_one_command() -> None:
    orders = [kind for command in COMMANDS for kind in command.orders]
    assert len(orders) == len(BY_ORDER)
    assert set(orders) <= set(get_args(Kind))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_request_that_help_offers_in_words_is_an_order_with_a_command(language: Language) -> None:
    offered = re.findall(r"^[“„«](.+)[”“»] – ", str(entries(language)["help.text"]), re.MULTILINE)
    assert offered
    with use_language(language):
        assert [text for text in offered if (order := order_of(text)) is None or order.command is None] == []


def test_the_catalogue_describes_the_commands_of_the_menu_and_help_lists_them_in_its_order() -> None:
    described = {key.split(".")[1] for key in entries("en") if key.startswith("menu.")}
    assert described == set(MENU)
    lines = entries("en")["help.text"].splitlines()
    assert [line.split()[0] for line in lines if line.startswith("/")] == [f"/{name}" for name in MENU]
    assert "/forget topic – erase something for good; without a topic: everything" in lines
