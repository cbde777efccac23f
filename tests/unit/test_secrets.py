"""Masking of secrets: texts that are masked, texts that stay, and idempotence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_text import secrets
from tellonce_text.secrets import mask

# The secrets are built from parts, so that no scanner reports this file as a leak.
SK = "sk-" + "ant-api03-" + "Zx9" * 9
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
GITHUB = "ghp_" + "a1B2c3D4e5" * 4
SLACK = "xox" + "b-123456789012-" + "abcdefGHIJKL"
GOOGLE = "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N"
BOT = "110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx"
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"my key is {SK}", "my key is [secret:api-key]"),
        (f"use {AWS} please", "use [secret:api-key] please"),
        (f"{GITHUB}, thanks", "[secret:api-key], thanks"),
        (f"slack {SLACK}", "slack [secret:api-key]"),
        (f"maps={GOOGLE}", "maps=[secret:api-key]"),
        (f"cookie {JWT};", "cookie [secret:jwt];"),
        (f"bot {BOT}", "bot [secret:bot-token]"),
        (f"https://api.example.org/bot{BOT}/getMe", "https://api.example.org/bot[secret:bot-token]/getMe"),
        (f"key:\n{PEM}\nend", "key:\n[secret:private-key]\nend"),
        ("-----BEGIN " + "PRIVATE KEY-----\nMIIE cut off", "[secret:private-key]"),
        ("Authorization: Bearer abcdef.123456-xyz", "Authorization: Bearer [secret:token]"),
        ("postgresql://ana:s3cr3t@db.example.org/x", "postgresql://[secret:credentials]@db.example.org/x"),
        ("redis://:s3cr3t@cache:6379", "redis://[secret:credentials]@cache:6379"),
    ],
)
def test_keys_and_tokens_are_masked_by_their_form(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password is hunter2.", "password is [secret:password]."),
        ("My password is sunshine and I live in Rome", "My password is [secret:password] and I live in Rome"),
        ("pwd: x1y2", "pwd: [secret:password]"),
        ("DB_PASSWORD=abc123", "DB_PASSWORD=[secret:password]"),
        ('{"password": "two words", "a": 1}', '{"password": [secret:password], "a": 1}'),
        (
            "the wifi password for the office is Sunny-Day99, ok?",
            "the wifi password for the office is [secret:password], ok?",
        ),
        ("I changed my password to Blue!sky7", "I changed my password to [secret:password]"),
        ("login ana password hunter22 works", "login ana password [secret:password] works"),
        ("Mein Passwort ist geheim", "Mein Passwort ist [secret:password]"),
        ("пароль: qwerty", "пароль: [secret:password]"),
        ("密码是abc123", "密码是[secret:password]"),
        ("contraseña: gato", "contraseña: [secret:password]"),
        ("my pin is 4821", "my pin is [secret:pin]"),
        ("CVV 123", "CVV [secret:pin]"),
        ('api_key="A1b2C3d4E5f6G7h8"', 'api_key="[secret:token]"'),
        ("the token is 9fceb02d0ae598e95dc970b74767f19372d61af8", "the token is [secret:token]"),
        ("client secret: dGhpc2lzMWFzZWNyZXQ5OQ", "client secret: [secret:token]"),
        ("access token Zx81kLmN0pQr55Tu", "access token [secret:token]"),
    ],
)
def test_what_is_called_a_secret_is_masked(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "number",
    ["4111 1111 1111 1111", "4111111111111111", "5500-0000-0000-0004", "3782 822463 10005", "6011000990139424"],
)
def test_card_numbers_are_masked(number: str) -> None:
    assert mask(f"card {number} exp 12/27") == "card [secret:card] exp 12/27"


@pytest.mark.parametrize(
    "text",
    [
        "My AWS account number is 123456789012 for the dev environment",
        "call +65 9123 4567 or 415-555-2671 or 020 7946 0958",
        "4111 1111 1111 1112 is no card",
        "chat -1001234567890 and message 1771372800000",
        "from 2026-02-15 to 2026-03-15, at 09:15",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "the primary key is 550e8400-e29b-41d4-a716-446655440000",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it",
        "key a81b0d4 in the log",
        "https://example.org/a/b?x=1#frag and git@example.org:me/repo.git",
        "ana@example.org",
        "password is required",
        "the password was too weak",
        "My password is not working",
        "def login(password: str) -> None:",
        "token limit is 4300 tokens per request",
        "secret santa is on December 20",
        "the key takeaways are these",
        "pin this: 20 mg every morning",
        "skeleton-key-to-everything-else",
        "the bearer of this letter",
        "ISBN 9780306406157",
        "my tax number is 12 345 678 901",
    ],
)
def test_what_people_want_remembered_stays(text: str) -> None:
    assert mask(text) == text


FORMS = (SK, AWS, GITHUB, SLACK, GOOGLE, JWT, BOT, PEM, "Bearer abcdef.123456", "a://b:c@d", "4111 1111 1111 1111")
WORDS = ("my", "is", "Passwort", "PASSWORD", "Pin", "4242", "3782 822463 10005", "хранит ПАРОЛЬ", "密码是", "client")
FORMS = (SK, AWS, GITHUB, SLACK, GOOGLE, JWT, BOT, PEM, "Bearer abcdef.123456", "a://b:c@d", "4111 1111 1111 1111")
WORDS = ("my", "is", "Passwort", "PASSWORD", "Pin", "4242", "3782 822463 10005", "хранит ПАРОЛЬ", "密码是", "client")
PIECES = st.sampled_from([*FORMS, *WORDS, "x9Y8z7W6v5U4t3", " ", ": ", "=", "\n"])


@given(st.lists(PIECES | st.text(max_size=12), max_size=8).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@given(st.text(max_size=40), st.sampled_from([SK, AWS, GITHUB, SLACK, GOOGLE, JWT]), st.text(max_size=40))
def test_a_key_never_survives_between_other_words(before: str, key: str, after: str) -> None:
    assert key not in mask(f"{before} {key} {after}")


@given(st.integers(10**11, 10**12 - 1))
def test_a_number_of_twelve_digits_is_never_a_card(number: int) -> None:
    assert mask(f"account {number}") == f"account {number}"


@given(st.text(alphabet=st.characters(categories=["Ll", "Zs"]), max_size=80))
def test_plain_words_stay_as_they_are(text: str) -> None:
    if not any(word in text for word in ("pass", "pwd", "pin", "senha", "пароль", "contraseña", "kennwort", "mot de")):
        assert mask(text) == text


@given(st.lists(PIECES | st.text(max_size=12), max_size=12).map("".join))
def test_the_short_way_round_masks_what_the_rules_mask(text: str) -> None:
    masked = text
    while (further := secrets._mask_once(masked)) != masked:
        masked = further
    assert mask(text) == masked
