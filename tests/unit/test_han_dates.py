"""Tests of days in Chinese and Japanese texts, which have no spaces between words."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_text.dates.annotation import annotated
from tellonce_text.dates.lexicon import tables
from tellonce_text.dates.readings import Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of

SHANGHAI, TOKYO = ZoneInfo("Asia/Shanghai"), ZoneInfo("Asia/Tokyo")
SATURDAY = datetime(2026, 11, 28, 10)


def certain(text: str, zone: ZoneInfo, now: datetime = SATURDAY) -> list[tuple[str, str]]:
    """The first and the last day of each certain expression."""
    found = expressions(text, Said(now.replace(tzinfo=zone), zone, region_of(zone)))
    return [(str(e.best.days[0]), str(e.best.days[1])) for e in found if e.certain and e.best]


CHINESE = """
下下周五考试 2026-12-11
大后天出差 2026-12-01
我大前天去过医院 2026-11-25
大大后天回来 2026-12-02
我前天买了车 2026-11-26
後天颱風會來 2026-11-30
他明天来我家吃饭 2026-11-29
下周三要体检 2026-12-02
上上周日我们搬家了 2026-11-15
我们下下个星期二见面 2026-12-08
下星期一开学 2026-11-30
下礼拜四看牙医 2026-12-03
上周六我跑了马拉松 2026-11-21
这周五交报告 2026-11-27
下个月五号交房租 2026-12-05
下个月15号手术 2026-12-15
上个月3号我辞职了 2026-10-03
下下个月10号出发 2027-01-10
去年5月3日我结婚了 2025-05-03
明年1月8日去东京 2027-01-08
今天晚上开会 2026-11-28
昨晚没睡好 2026-11-27
下週三去香港 2026-12-02
我们下周末去爬山 2026-12-05..2026-12-06
他下个月结婚 2026-12-01..2026-12-31
上上个月我去了北京 2026-09-01..2026-09-30
我明年毕业 2027-01-01..2027-12-31
去年8月我们去了日本 2025-08-01..2025-08-31
我大后年退休 2029-01-01..2029-12-31
下下周我休假 2026-12-07..2026-12-13
"""
JAPANESE = """
再来週の金曜日に試験 2026-12-11
さ来週の月曜 2026-12-07
再来月の3日 2027-01-03
一昨日電話した 2026-11-26
試験は再来週の水曜日です 2026-12-09
一昨々日に会いました 2026-11-25
明々後日に帰ります 2026-12-01
荷物が届くの明後日だって 2026-11-30
来週の火曜は休み 2026-12-01
来週水曜に面接があります 2026-12-02
先週の木曜日に買いました 2026-11-19
先々週の土曜日に引っ越した 2026-11-14
今週の月曜日に始めた 2026-11-23
明日の午後3時に会議 2026-11-29
本日は定休日です 2026-11-28
昨夜は眠れなかった 2026-11-27
今晩飲みに行く 2026-11-28
来月の5日に引っ越す 2026-12-05
来月10日に手術を受ける 2026-12-10
先月の20日に退職した 2026-10-20
来年の4月1日に入社します 2027-04-01
昨年3月15日に結婚した 2025-03-15
15日に返事します -
来週末は京都です 2026-12-05..2026-12-06
再来週は出張です 2026-12-07..2026-12-13
先々月に始めた 2026-09-01..2026-09-30
再来年に卒業する 2028-01-01..2028-12-31
一昨年に結婚した 2024-01-01..2024-12-31
来年の春に引っ越す 2027-01-01..2027-12-31
ランチ明日どう 2026-11-29
"""


def table(rows: str, zone: ZoneInfo) -> list[tuple[str, ZoneInfo, list[tuple[str, str]]]]:
    """The text, the zone and the days of each row."""
    found = []
    for row in rows.strip().splitlines():
        text, _, days = row.partition(" ")
        first, _, last = days.partition("..")
        found.append((text, zone, [(first, last or first)] if first != "-" else []))
    return found


@pytest.mark.parametrize(("text", "zone", "days"), [*table(CHINESE, SHANGHAI), *table(JAPANESE, TOKYO)])
def test_the_days_of_whole_words_are_known(text: str, zone: ZoneInfo, days: list[tuple[str, str]]) -> None:
    assert certain(text, zone) == days


WORDS = st.sampled_from(
    ["下周五", "前天", "后天", "明天", "昨天", "去年", "上个月", "来週", "来月", "先週", "昨日", "来年", "明後日"]
)
MODIFIERS = st.sampled_from(
    [*"大再さ一上下前后後翌隔老外小昨今明每毎々三两第次先サ弥し", "年前の", "两周后的", "去年的", "やの"]
)


@given(MODIFIERS, WORDS)
def test_a_word_inside_a_longer_one_is_not_certain(modifier: str, word: str) -> None:
    """The resolver either reads the longer word as a whole, or marks the expression as uncertain."""
    text = f"{modifier}{word}"
    for found in expressions(text, Said(SATURDAY.replace(tzinfo=TOKYO), TOKYO, "JP")):
        assert not found.certain or found.end < len(text) or found.text == text


CONNECTORS = tables("han")["boundary"]["connectors"].split()


@given(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), st.sampled_from(["来週", "来月", "昨日", "明日", "今日"])
)
def test_a_japanese_word_directly_after_another_character_is_known_only_after_a_connector(char: str, word: str) -> None:
    known = certain(f"{char}{word}に行きます", TOKYO)
    assert not known or char in CONNECTORS or char in "再さ"


@pytest.mark.parametrize(
    "text",
    [
        "下周一起去爬山",
        "下周二或周三见面",
        "来週の水曜か木曜に会う",
        "明日か明後日に会う",
        "12月3日か4日に会議",
        "12月3日または5日に会議",
        "12月3日(水)に歯医者",
        "12月3日星期五看牙医",
        "我在今日头条上班",
        "下周天气很好",
        "看一下周五的安排",
        "早上周五的课",
        "去年的今天我们认识",
        "一周后的今天出发",
        "雨后天晴了",
        "明后天都行",
        "后天性免疫",
        "他说明天气很重要",
        "过去年年如此",
        "来年度の予算",
        "去年の今日、結婚した",
        "明日香さんに会った",
        "1日3回飲む",
        "3日に一度走る",
        "あと3日で終わる",
        "10日の休み",
        "翌年12月15日に生まれた",
        "毎月15日に払う",
        "每年12月5日体检",
    ],
)
def test_a_character_beside_a_word_can_make_its_day_uncertain(text: str) -> None:
    assert {days for days in certain(text, TOKYO) if days[0] == days[1]} == set()


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("12月10日から17日までクレタ島に行く", ("2026-12-10", "2026-12-17")),
        ("12月10号到17号去克里特", ("2026-12-10", "2026-12-17")),
        ("12月28日~1月3日は休み", ("2026-12-28", "2027-01-03")),
        ("12月3日(木)に歯医者", ("2026-12-03", "2026-12-03")),
        ("12月10日到9日休假", None),
        ("12月10日到40日休假", None),
    ],
)
def test_a_span_of_dates_has_its_last_day(text: str, days: tuple[str, str] | None) -> None:
    assert certain(text, TOKYO) == ([days] if days else [])


def test_a_week_may_begin_on_sunday_in_japan() -> None:
    sunday = datetime(2026, 11, 29, 10)
    assert certain("来週の金曜日に試験", TOKYO, sunday) == []
    assert certain("来週の日曜日に試験", TOKYO) == []
    assert certain("下周五考试", SHANGHAI, sunday) == [("2026-12-04", "2026-12-04")]


@given(st.dates(date(2026, 1, 1), date(2027, 12, 31)))
def test_a_day_of_another_month_that_does_not_exist_is_no_day(today: date) -> None:
    now = datetime(today.year, today.month, today.day, 12)
    for text in ("来月の31日", "来年2月29日"):
        assert all(first[5:] in {f"{today.month % 12 + 1:02}-31", "02-29"} for first, _ in certain(text, TOKYO, now))


def test_a_day_is_added_after_the_whole_word() -> None:
    said = Said(SATURDAY.replace(tzinfo=TOKYO), TOKYO, "JP")
    assert annotated("再来週の金曜日に試験", said) == "再来週の金曜日 (2026-12-11)に試験"
