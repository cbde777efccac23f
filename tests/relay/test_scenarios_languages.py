"""Days without a language model in Spanish, Russian and German, and a day in several languages."""

import pytest

from tellonce_relay.catalogue import phrase, use_language
from tests.relay.running_relay import Scripted
from tests.relay.scenario_day import Life

pytestmark = pytest.mark.anyio


async def test_a_day_in_spanish(life: Life) -> None:
    async with life.day(language="es") as day:
        await day.say_all(
            "Hola",
            "Mi cumpleaños es el 7 de noviembre y soy alérgica al marisco",
            "recuerda que el código del portal es 5093XK",
        )
        answers = await day.say_all(
            "¿cuándo es mi cumpleaños?",
            "¿cuál es el código del portal?",
            "¿a qué soy alérgica?",
            "¿cómo se llama mi jefe?",
        )
        reminder = await day.say("recuérdame el viernes a las 6 de la tarde comprar pan")
        cannot = await day.say_all("gracias", "escríbeme un poema sobre Lisboa", "traduce 'good morning'")
        listed = await day.say("¿Cuándo son mis recordatorios?")
        await day.say("olvida el código del portal")
        assert await life.tables_with("5093XK") != []
        await day.press("Borrar")
    assert ["7 de noviembre" in answers[0], "5093XK" in answers[1], "marisco" in answers[2]] == [True] * 3
    with use_language("es"):
        assert answers[3].startswith((phrase("offline.nearest"), phrase("offline.nothing")))
        assert cannot == [phrase("offline.cannot")] * 2
    assert reminder == ["⏰ Te lo recordaré el vie 19 jun a las 18:00: comprar pan"]
    assert "comprar pan" in listed[0]
    assert await life.tables_with("5093XK") == []


async def test_a_day_in_russian(life: Life) -> None:
    async with life.day(language="ru") as day:
        await day.say("Моя сестра Анна живёт в Казани. Её сына зовут Миша.")
        await day.say("Запомни: врач Ольги Петровой принимает по четвергам")
        answers = await day.say_all("Где живёт моя сестра?", "Как зовут сына Анны?", "Когда принимает врач?")
        unmarked = await day.say("где живет сестра")
        await day.say("Забудь про Казань")
        await day.press("Все")
        await day.press("Стереть")
        (gone,) = await day.say("Где живёт Анна?")
        reminders = await day.say_all(
            "напомни через полтора часа выключить духовку", "напомни послезавтра в полдень забрать посылку"
        )
    assert ["Казани" in answers[0], "Миша" in answers[1], "четвергам" in answers[2]] == [True] * 3
    assert "Казани" in unmarked[0]
    assert "Казан" not in gone
    assert await life.tables_with("Казан") == []
    assert await life.tables_with("Миша") != []
    assert reminders == [
        "⏰ Напомню сегодня в 11:30: выключить духовку",
        "⏰ Напомню чт, 18 июня в 12:00: забрать посылку",
    ]


async def test_a_day_in_german(life: Life) -> None:
    async with life.day(language="de") as day:
        await day.say_all("Moin", "Mein Auto steht in der Goethestraße 12")
        (where,) = await day.say("wo steht mein Auto")
        await day.say("jetzt in der Schillerstr. 4")
        (before,) = await day.say("wo stand es vorher?")
        cannot = await day.say_all("Kannst du mir ein Taxi rufen?", "Wie wird das Wetter?", "Wie spät ist es in Tokio?")
        (asked,) = await day.say("Vergiss das mit dem Auto")
        await day.say("doch nicht")
        assert await day.say("Danke dir!") == []
        (flower,) = await day.say("Vergiss mein nicht ist eine Blume")
    with use_language("de"):
        assert cannot == [phrase("offline.cannot")] * 3
        assert flower.startswith(phrase("forget.nothing"))
    assert "Goethestraße 12" in where
    assert "Moin" not in before
    assert asked.startswith("„Auto“ löschen?")
    assert await life.tables_with("Goethestraße") != []


async def test_a_reminder_keeps_its_language_beside_the_bots(life: Life) -> None:
    answers = ("Ok.", "En Oporto.", "Хорошо. [REMIND: позвонить Ане | AT: 2026-06-17 09:00]")
    model = Scripted(*answers)
    async with life.day(model, language="de") as day:
        await day.say_all("Meine Schwester Аня wohnt jetzt in Porto", "¿dónde vive mi hermana?")
        assert "Porto" in model.prompts[1].text
        shown = await day.say("напомни мне завтра в 9 позвонить Ане")
        (memory,) = await day.say("/memory")
    assert shown == ["Хорошо.", "⏰ Ich erinnere dich morgen um 09:00: позвонить Ане"]
    assert memory.startswith("📋 DEIN PROFIL\n\n📅 Wichtige Termine\n• позвонить Ане (⏰ Mi., 17. Juni 2026, 09:00)")
