"""Tests of sentence ends. A period after an ordinal number or an abbreviation does not end a sentence."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce_server.domain.erasure.forget_query import Mark
from tellonce_server.domain.erasure.redaction import redact
from tellonce_server.domain.keep.sentences import sentences as kept_sentences
from tellonce_server.domain.tombstones import Tombstones
from tellonce_text.sentences import sentences, split_sentences, whole_sentences

SPLITS: list[Callable[[str], list[str]]] = [
    split_sentences,
    lambda text: [part.strip() for _, part in whole_sentences(text)],
]
WHOLE = [
    "Ich habe am 24.12. Geburtstag",
    "Am 28. Nov. hast du mir das gesagt",
    "Wir heiraten am 3. Oktober in Bremen",
    "Das ist mein 2. Auto seit dem Umzug",
    "Mein Zahnarzt ist Dr. Müller in der Goethestr. 5",
    "Ich esse gern Obst, z.B. Birnen und Kirschen",
    "Die Miete beträgt ca. 900 Euro im Monat",
    "My flight is on 5. December at 6 a.m. from gate 7",
    "Our meeting with Prof. Lee is in room No. 12 upstairs",
    "Tom bought milk, bread etc. for the party",
    "The party on 24.12. starts at noon",
    "Mi cita con la Sra. Pérez es en la Avda. América",
    "El recibo está en la pág. 14 del libro",
    "Мой день рождения 24.12. и я люблю торт",
    "Я живу на ул. Ленина рядом с парком",
    "Она родилась в 1990 г. в Омске",
    "Наш адрес: ул. Мира, д. 5, кв. 12",
    "Wir treffen uns (am 24.12. Abends) bei Tom",
    "Она родилась 5. января в Омске",
    "Zahnarzt: 5. Dezember um acht",
    "My flight on Dec. 24 starts at noon",
    "We were in St. Louis last week",
    "Das Paket wiegt min. 5 Kilo",
    "Das dauert 5 min. mit dem Rad",
]
SEVERAL = {
    "Er kommt am 24.12. Wir freuen uns sehr.": 2,
    "I am 12. My dog is 5 years old.": 2,
    "i live in rome. my cat is called tom": 2,
    "The rent is 950. The garage is extra.": 2,
    "Yes you may. Tom may come too.": 2,
    "Das Auto hat die Nr. 5. Es ist rot.": 2,
    "Vivo en la calle Mayor 5. Mi hermana vive en Lima.": 2,
    "Ему 12. Он любит торт.": 2,
    "My dog is old. 3 cats live here too.": 2,
    "Am 24.12.\nTom kommt mit.": 2,
    "The total was 3.10. Bob paid it.": 2,
    "I fly on 5.12. Back on Monday.": 2,
    "i paid 3.10. bob was there": 2,
    "The total was 3.10. 5 people ate.": 2,
    "I live on Main St. Peter lives there too.": 2,
    "I live on 5th St. Peter lives there too.": 2,
    "Mum's party is in May. 20 people came to Bob's.": 2,
    "I like Jan. 3 cats live here.": 2,
    "He said no. 3 people left": 2,
    "Did he come? No. 3 people left.": 3,
    "I paid 5 min. 20 people came": 2,
    "He is 12. May I come?": 2,
    "I am 12. Bob is 5.": 2,
    "My PIN is 77. April is my month.": 2,
    "He is a prof. Ann is a doctor.": 2,
    "It lasted 3 hr. Anna came.": 2,
    "I met Max. 20 people came.": 2,
    "I love art. 3 paintings hang here.": 2,
    "Я дал им. Анна пришла.": 2,
}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("text", WHOLE)
def test_a_sentence_with_an_ordinal_number_or_an_abbreviation_is_whole(
    text: str, split: Callable[[str], list[str]]
) -> None:
    assert split(text) == [text]
    assert split(f"Oh. {text}! Na ja.") == ["Oh.", f"{text}!", "Na ja."]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(("text", "count"), SEVERAL.items())
def test_a_number_can_still_end_a_sentence(text: str, count: int, split: Callable[[str], list[str]]) -> None:
    assert len([part for part in split(text) if part]) == count


@pytest.mark.parametrize("text", WHOLE)
def test_a_note_is_the_whole_sentence(text: str) -> None:
    assert [sentence.text for sentence in kept_sentences(text)] == [text]


@given(st.text(alphabet='aA5 .!?\n"”)Dr24.', max_size=40))
def test_whole_sentences_keep_every_character_and_consist_of_the_pieces(text: str) -> None:
    whole = [part for _, part in whole_sentences(text)]
    assert "".join(whole) == text
    assert [piece for part in whole for piece in sentences(part)] == sentences(text)


def test_an_erasure_removes_the_whole_sentence() -> None:
    text = "Mir geht es gut. Ich habe am 24.12. Geburtstag. Tom auch."

    def marks(searched: str) -> list[Mark]:
        at = searched.find("Geburtstag")
        return [Mark(at, at + 10, "exact")] if at >= 0 else []

    assert redact(text, marks) == ("Mir geht es gut. Tom auch.", ["Ich habe am 24.12. Geburtstag. "])


@pytest.mark.parametrize("whole", WHOLE)
def test_text_that_was_forgotten_in_pieces_or_whole_stays_forgotten(whole: str) -> None:
    hashes = Tombstones(b"key")
    said = datetime(2026, 11, 28, tzinfo=UTC)
    text = f"Na ja. {whole}. Oh."
    by_pieces = hashes.message_claims("another text", sentences(f"{whole}."))
    by_sentence = hashes.message_claims("another text", [f"{whole}. "])
    for claims in (by_pieces, by_sentence):
        marks = dict.fromkeys(claims, said + timedelta(days=1))
        assert hashes.without_later_forgotten(text, said, marks) == "Na ja. Oh."
        assert hashes.forgotten_in(1, 2, text, {(1, 2): frozenset(claims)}) == [f"{whole}."]


def test_the_cuts_of_the_pieces_are_those_of_stored_tombstones() -> None:
    assert sentences("Am 24.12. Fest. Goethestr. 5? Dr. A. Lee: e.g. x…ja") == [
        "Am 24.", "12. ", "Fest. ", "Goethestr. ", "5? ", "Dr. ", "A. ", "Lee: e.", "g. ", "x…", "ja",
    ]  # fmt: skip


EDITS = [
    ("Ich traf Dr. Meier am 24.12.", " Anna kam auch.", "Anna kam auch."),
    ("Am 28. Nov. besuchte ich Tom um 5 p.m.", " it was bad.", "it was bad."),
    ("He is 12.", " Can I come?", "Can I come?"),
    ("My PIN is 77.", " Bob says hi.", "Bob says hi."),
    ("My secret is in box No. 5 at Dr. Lee.", " Bob says hi.", "Bob says hi."),
    ("I hid it with Ann B.", " Thanks!", "Thanks!"),
    ("Ich wohne bei Hr. Meier in der Goethestr. 5", ". Bob.", "Bob."),
    ("I saw Dr. Lee at 5 p.m.", " it was bad.", "it was bad."),
]
"""Each row contains a forgotten sentence, the text that an edit adds after it, and the part of the new text that may be
stored."""


@pytest.mark.parametrize(("forgotten", "added", "left"), EDITS)
def test_a_forgotten_sentence_stays_forgotten_if_its_end_is_joined_with_other_words(
    forgotten: str, added: str, left: str
) -> None:
    hashes = Tombstones(b"key")
    said = datetime(2026, 11, 28, tzinfo=UTC)
    marks = dict.fromkeys(hashes.message_claims(f"Hi. {forgotten}", [forgotten]), said + timedelta(days=1))
    assert hashes.without_later_forgotten(f"Hi. {forgotten}{added}", said, marks) == f"Hi. {left}"


def test_a_short_piece_of_a_forgotten_sentence_stays_in_other_sentences() -> None:
    hashes = Tombstones(b"key")
    said = datetime(2026, 11, 28, tzinfo=UTC)
    gone = ["Ich traf Dr. Meier am 24.12. um 5 p.m. bei Tom."]
    marks = dict.fromkeys(hashes.message_claims(gone[0], gone), said + timedelta(days=1))
    for other in ("Dr. Lee kommt am 24.12. zu uns.", "We met at 5 p.m. in Rome."):
        assert hashes.without_later_forgotten(other, said, marks) == other
