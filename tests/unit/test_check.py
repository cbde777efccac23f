"""A model's claim is certain only if its quotes, names, numbers and days occur in the user's own words."""

import time
import unicodedata
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.memory import literals
from tellonce_server.domain.memory.check import Quoted, check, check_claim, contains_quote
from tests.depth import depth
from tests.moments import during

SAID_AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")


def user(quote: str, message: str | None = None, role: str = "user") -> Quoted:
    return Quoted(quote, quote if message is None else message, role, SAID_AT, ZONE)


def test_a_claim_in_the_users_words_is_certain() -> None:
    verdict = check("Ann works at Mercy Hospital", [user("I work at Mercy Hospital")])
    assert verdict.certain
    assert verdict.has_true_quote
    assert verdict.reasons == ()


@pytest.mark.parametrize(
    ("quote", "message"),
    [
        ("i WORK   at\nMercy", "Well, I work at Mercy now."),
        ("“I don’t eat meat — ever”", "I don't eat meat - ever"),
        ("I moved. To Oslo", "I moved.  To Oslo, finally"),
        ("Je vis a Orleans", "Je vis à Orléans"),
        ("住在东京", "我住在东京,很好"),
        ("मैं दिल्ली में", "मैं दिल्ली में रहता हूँ"),
        ("٣ أطفال", "عندي 3 أطفال"),
        ("ＦＵＬＬ width", "full wi\u200bdth"),
        ("부산에 살아요", unicodedata.normalize("NFD", "저는 부산에 살아요")),
        ("ガムが好き", unicodedata.normalize("NFD", "ガムが好き")),
    ],
)
def test_a_quote_is_found_whatever_its_marks_spaces_and_capitals(quote: str, message: str) -> None:
    assert contains_quote(message, quote)


@pytest.mark.parametrize(
    ("quote", "message"),
    [("art", "I start"), ("I live in Oslo", "I don't live in Oslo"), ("", "x"), ("…", "well …"), ("Oslo I", "I, Oslo")],
)
def test_what_the_message_does_not_say_is_no_quote(quote: str, message: str) -> None:
    assert not contains_quote(message, quote)


def test_a_name_elsewhere_in_the_message_is_said_too() -> None:
    message = "Fatou got the job at Siemens and Bintou didn't."
    assert check("Bintou did not get the job at Siemens", [user("Bintou didn't", message)]).certain


def test_a_claim_without_a_true_quote_says_so() -> None:
    for quoted in (user("I like tea", "the weather?"), user("I like tea", role="assistant")):
        verdict = check("The user likes tea", [quoted])
        assert not verdict.certain
        assert not verdict.has_true_quote
        assert verdict.reasons
    assert not check("The user likes tea", []).has_true_quote


def test_one_false_quote_among_true_ones_leaves_the_claim_uncertain() -> None:
    verdict = check("The user likes tea", [user("I like tea"), user("always", "I like tea")])
    assert not verdict.certain
    assert verdict.has_true_quote


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Pays 1,200 for rent", "I pay 1200 rent"),
        ("Pays 1200 for rent", "rent is 1 200"),
        ("Pays 1.200 for rent", "rent is 1200"),
        ("Runs 2.5 km", "ich laufe 2,5 km"),
        ("Has 3 children", "عندي ٣ أطفال"),
        ("Gets up at 9:05", "at 09:05"),
        ("The price is 12.50", "it was 12,5"),
        ("Has 3 cats", "猫が三匹いる"),
        ("Earns 1,200,000", "1200000 a year"),
    ],
)
def test_a_number_is_the_same_in_every_form(text: str, quote: str) -> None:
    assert check(text, [user(quote)]).certain


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Has 3 children", "I have children"),
        ("Pays 1,300", "I pay 1200"),
        ("Runs 2.5 km", "I run 25 km"),
        ("Is 41", "I'm 14"),
    ],
)
def test_a_number_nobody_said_is_a_reason(text: str, quote: str) -> None:
    verdict = check(text, [user(quote)])
    assert not verdict.certain
    assert "number" in verdict.reasons[0]


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        ("my puppy is ten weeks old", "The puppy is ten months old"),
        ("I pay 12 € per month for it", "Pays 12 € per year for it"),
        ("ich laufe seit drei Wochen", "Läuft seit drei Monaten"),
        ("dejé de fumar hace 2 meses", "Dejó de fumar hace 2 años"),
        ("я учу сербский 5 месяцев", "Учит сербский 5 лет"),
    ],
)
def test_a_number_with_another_unit_of_time_is_a_reason(said: str, claimed: str) -> None:
    assert check(said, [user(said)]).certain
    assert not check(claimed, [user(said)]).certain


def test_today_supports_no_claim_if_the_quote_names_another_day() -> None:
    assert check("Sober for 600 days as of 20 November", [user("sober for 600 days")]).certain
    assert not check("The party was on 20 November", [user("the party was yesterday")]).certain


@pytest.mark.parametrize(
    ("text", "shown", "known"),
    [
        ("Works with Tomas", (), ()),
        ("Is a friend of Ana Duarte", ("Assistant: Ana Duarte called.",), ()),
        ("Is a friend of Ana Duarte", (), ("Ana Duarte is a colleague",)),
        ("Lives in 東京", ("東京に住んでいます",), ()),
        ("Lives in Kazan", ("Живу в Казани",), ()),
        ("Der Nutzer hat einen kleinen Hund", (), ()),
        ("Uses TOMAS", (), ()),
        ("tOMAS is a tool of theirs", (), ()),
    ],
)
def test_names_stand_in_the_quotes_the_lines_shown_or_what_was_known(
    text: str, shown: tuple[str, ...], known: tuple[str, ...]
) -> None:
    assert check(text, [user("me and tomas, as always")], shown=shown, known=known).certain


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The user takes 75 milligrams of the drug", "I take 75 micrograms of the drug"),
        ("Die Nutzerin nimmt 40 mg pro Tag", "ich nehme 40 mg pro Woche"),
        ("The user has been sober for 19 years", "been sober nineteen months"),
        ("The user pays 300 a month for the garage", "the garage is 300 a week"),
        ("У пользователя четверо детей", "у нас трое детей"),
        ("The user moved to Freiberg", "i moved to Freiburg"),
        ("The user's boss is Anselma", "my boss is Anselmo"),
    ],
)
def test_a_changed_unit_numeral_or_name_is_a_reason(text: str, quote: str) -> None:
    assert not check(text, [user(quote)]).certain


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The user takes 0.5 g twice a day", "I take 500 mg twice a day"),
        ("The user pays 300 a month for 2 weeks of parking", "parking is 300 a month, for two weeks"),
        ("The user runs 5 km a day", "ich laufe jeden Tag 5 Kilometer"),
        ("The user's rent is 2,350 a month", "rent is twenty-three fifty a month"),
        ("The user bought it for 2.5 million", "купили за два с половиной миллиона"),
        ("Пользователь купил три билета", "купил три билета"),
    ],
)
def test_the_same_measure_in_other_words_is_certain(text: str, quote: str) -> None:
    assert check(text, [user(quote)]).reasons == ()


@pytest.mark.parametrize(
    ("quote", "day", "certain"),
    [
        ("got my braces off yesterday", date(2026, 11, 19), True),
        ("got my braces off yesterday", date(2026, 11, 20), False),
        ("sold the car on Wednesday", date(2026, 11, 18), True),
        ("sold the car on Wednesday", date(2026, 11, 25), False),
        ("the movers come on Wednesday", date(2026, 11, 25), True),
        ("got my braces off, finally", date(2026, 11, 20), False),
    ],
)
def test_a_certain_day_admits_no_other(quote: str, day: date, certain: bool) -> None:
    verdict = check("The user said so", [user(quote)], when=during(ZONE, day))
    assert verdict.certain == certain


@pytest.mark.parametrize(
    "text",
    [
        "Works with Bob",
        "Lives in 東京",
        "Knows Dr. Bob",
        "Uses AWS",
        "AWS is a tool of theirs",
        "Она живёт в Москве с Иваном",
        "Der Nutzer wohnt mit seinem Bruder in Hamburg",
    ],
)
def test_a_name_from_nowhere_is_a_reason(text: str) -> None:
    verdict = check(text, [user("me and tomas, as always")])
    assert not verdict.certain
    assert "name" in verdict.reasons[0]


def test_a_day_follows_from_the_quote_through_the_resolver() -> None:
    quote = user("the exam is in three weeks")
    for day in (date(2026, 12, 8), date(2026, 12, 14)):
        assert check("The exam is soon", [quote], when=during(ZONE, day)).certain
    verdict = check("The exam is soon", [quote], when=during(ZONE, date(2026, 12, 15)))
    assert verdict.reasons == ("2026-12-15 does not follow from the quote.",)


def test_a_day_may_be_written_out_in_the_claim() -> None:
    quote, day = user("the exam is in three weeks"), date(2026, 12, 9)
    for text in ("The exam is on December 9, 2026", "The exam is on 2026-12-09", "The exam is on 9 Dec. 26"):
        assert check(text, [quote], when=during(ZONE, day)).certain
    assert not check("The exam in Oslo is on December 9", [quote], when=during(ZONE, day)).certain
    assert not check("The exam is on December 20", [quote], when=during(ZONE, day)).certain
    assert not check("The exam is on 2026-12-19", [quote]).certain


def test_a_weekday_nobody_said_must_be_that_of_its_day() -> None:
    quote = user("the exam is on the 9th of december")
    assert check("The exam is on Wednesday, December 9, 2026", [quote]).certain
    assert not check("The exam is on Monday, December 9, 2026", [quote]).certain


def test_a_day_written_in_digits_needs_no_resolver() -> None:
    when = during(ZONE, date(2027, 5, 12))
    assert check("Gets married", [user("wir heiraten am 12.05.2027")], when=when).certain
    assert not check("Gets married", [user("wir heiraten am 13.05.2027")], when=when).certain


def test_what_goes_on_may_count_from_the_day_it_was_said() -> None:
    quote = user("I live in Oslo")
    assert check("Lives in Oslo", [quote], when=during(ZONE, SAID_AT.date(), precision="ongoing")).certain
    assert not check("Moved to Oslo", [quote], when=during(ZONE, SAID_AT.date(), precision="day")).certain


def test_a_deadline_is_read_in_the_users_zone() -> None:
    quote = user("by 2026-11-27")
    assert check("Report", [quote], deadline=datetime(2026, 11, 26, 23, tzinfo=UTC)).certain
    assert not check("Report", [quote], deadline=datetime(2026, 11, 27, 23, tzinfo=UTC)).certain


def test_a_claim_without_a_quote_needs_its_content_in_the_users_words() -> None:
    words = [user("What will the weather be like in Oslo tomorrow?")]
    assert not check_claim("Ann is divorced", words).certain
    assert not check_claim("Lives in Oslo", [user("I adore jazz")]).certain
    assert check_claim("Adopted a puppy named Toby", [user("we adopted a puppy, Toby")]).certain
    assert check_claim("她住在东京", [user("我住在东京")]).certain
    assert not check_claim("Adopted a puppy", [user("we adopted a puppy", role="assistant")]).certain


def test_what_the_user_asks_bears_no_claim_out() -> None:
    for question in ("Did you hear that Ann plays chess?", "Ann plays chess？"):
        assert not check_claim("Ann plays chess", [user(question)], lambda _a, _b: 1.0).certain
    assert check_claim("Ann plays chess", [user("Ann plays chess. Do you?")]).certain


def test_a_quote_that_has_nothing_to_do_with_a_claim_bears_nothing_out() -> None:
    quotes = [user("What will the weather be like tomorrow?")]
    assert not check("The user has asthma", quotes, similarity=lambda _a, _b: 0.1).certain
    assert check("The user has asthma", [user("I need my inhaler")], similarity=lambda _a, _b: 0.4).certain
    assert check("The user has asthma", [user("I have asthma")], similarity=lambda _a, _b: 0.0).certain
    in_german = [user("Ich bin seit der Kindheit kurzatmig")]
    assert check("The user has asthma", in_german, similarity=lambda _a, _b: 0.0).certain


def test_a_sentence_that_means_the_same_bears_a_claim_out() -> None:
    def alike(_claim: str, sentence: str) -> float:
        return 0.9 if "meat" in sentence else 0.0

    words = [user("Nice day. I never eat meat.")]
    assert check_claim("The user is vegetarian", words, alike).certain
    assert not check_claim("The user is vegetarian", words).certain
    assert not check_claim("The user is vegetarian since 2019", words, alike).certain


@given(st.text(max_size=60), st.text(max_size=200), st.text(max_size=60))
def test_whatever_is_copied_at_word_borders_is_a_quote(before: str, quote: str, after: str) -> None:
    message = f"{before} . {quote} . {after}"
    assert contains_quote(message, quote) == bool(literals.words(quote))


@given(st.text(max_size=200))
def test_the_users_own_words_always_bear_themselves_out(text: str) -> None:
    if literals.words(text):
        assert check(text, [user(text)]).certain


@given(st.integers(0, 10**9), st.sampled_from([",", " ", "\u202f", "'", "."]))
def test_a_grouped_number_is_its_plain_one(value: int, mark: str) -> None:
    grouped = f"{value:,}".replace(",", mark)
    assert check(f"x {value}", [user(f"a {grouped} b")]).certain
    assert check(f"x {grouped}", [user(f"a {value} b")]).certain


@given(
    st.text(max_size=80),
    st.text(max_size=80),
    st.dates(date(2, 1, 1), date(9998, 12, 31)),
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC)),
)
def test_no_text_breaks_the_check(text: str, quote: str, day: date, deadline: datetime) -> None:
    when = during(ZONE, day, deadline, "instant")
    check(text, [user(quote)], when=when, deadline=deadline)
    check_claim(text, [user(quote)], lambda _a, _b: 0.5)


@pytest.mark.parametrize(
    "part", [" ", "\t", "[", "1", "1 ", "1,", "12 345 ", "\u0301", "A", "Ab ", "東", "東 ", "Abcd{} ", "a.", "\n", "ア"]
)
def test_a_long_text_takes_no_longer_than_its_length(part: str) -> None:
    size = depth(2**14, 2**16)
    text = "".join(part.replace("{}", str(i)) for i in range(size // len(part)))[:size]
    started = time.process_time()
    check(text, [user(text)], shown=[text], when=during(ZONE, SAID_AT.date() + timedelta(1)))
    check(text, [user("x" + text, "y" + text)])
    check_claim(text, [user(text)])
    assert time.process_time() - started < 5 * size / 2**16
