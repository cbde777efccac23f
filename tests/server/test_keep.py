"""Tests of the keeper with the local model. They check the kept sentences of an exchange, and the precision on unseen
text."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from tellonce_server.domain.keep.choice import CHANGE, SEARCHED, SHOWN
from tellonce_server.domain.keep.heads import heads, read, written
from tellonce_server.domain.keep.keeper import MOST_READ, Keeper
from tellonce_server.domain.keep.sentences import Sentence
from tellonce_server.embedding.model_files import GRAPH, TOKENIZER, fetch
from tellonce_server.embedding.onnx_session import Session
from tellonce_server.embedding.protocol import EmbeddingUnavailable, Layers, NoEmbedder
from tests.server.test_embedding import loaded, model_folder, nothing
from training.keep import corpus
from training.keep.__main__ import HELD_OUT
from training.keep.corpus import Examples
from training.keep.fit import average_precision, kept, scores, train

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Said:
    """A message as a worker sees it."""

    id: int
    text: str
    role: str = "user"
    speaker: str | None = None
    routine: str | None = None


class Counting(NoEmbedder):
    """An embedder that gives all texts the same vector."""

    def __init__(self) -> None:
        self.asked = 0

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        self.asked += len(texts)
        return [Layers([0.0] * 384, [0.0] * 384) for _ in texts]


@cache
def examples(*, held_out: bool) -> Examples:
    """The training texts, either of the held-out authors or of the other authors, with the inputs of the model's
    heads."""
    asyncio.run(fetch(model_folder(), nothing))
    rows = [row for row in corpus.read() if (row.author in HELD_OUT) is held_out]
    return corpus.with_inputs(rows, Session(model_folder() / GRAPH, model_folder() / TOKENIZER))


async def test_without_the_local_model_nothing_is_notable() -> None:
    assert await Keeper(NoEmbedder()).notable([Said(1, "We moved to Graz.")]) == []


async def test_only_the_users_own_messages_are_read_and_a_long_one_at_both_ends() -> None:
    counting = Counting()
    others = [
        Said(1, "We moved.", role="assistant"),
        Said(2, "We moved.", speaker="Ben"),
        Said(3, "We moved.", routine="news"),
    ]
    assert await Keeper(counting).notable(others) == []
    assert counting.asked == 0
    await Keeper(counting).notable([Said(4, "We moved away.\n" * 1000), Said(5, "We moved.")])
    assert counting.asked == MOST_READ + 1


@pytest.mark.model
async def test_an_exchange_gives_the_users_sentences_verbatim() -> None:
    messages = [
        Said(1, "hi! what's a good pasta sauce? I'm allergic to peanuts and my son Paul is vegan."),
        Said(2, "Pesto without nuts is lovely.", role="assistant"),
        Said(3, "ok thanks, can you make it shorter?"),
    ]
    async with loaded() as embedder:
        notes = await Keeper(embedder).notable(messages)
        again = await Keeper(embedder).notable(messages, [note.text for note in notes])
    assert [(note.message_id, note.text, note.shown, note.group) for note in notes] == [
        (1, "I'm allergic to peanuts and my son Paul is vegan.", True, "fact")
    ]
    assert again == []


@pytest.mark.model
async def test_a_models_layers_are_its_vector_and_one_more_and_refused_once_it_is_gone() -> None:
    async with loaded() as embedder:
        (layers,) = await embedder.layers(["We moved to Graz."])
        (vector,) = await embedder.embed(["We moved to Graz."], urgent=False)
    assert list(layers.final) == list(vector)
    assert len(layers.early) == 384
    with pytest.raises(EmbeddingUnavailable):
        await embedder.layers(["We moved to Graz."])


@pytest.mark.model
def test_an_instruction_to_the_assistant_about_a_known_topic_is_no_change_of_a_note() -> None:
    """If a short sentence is similar to an earlier note, a score of CHANGE is enough. The sentence is then kept as a
    change of the note. So the scores must be lower than CHANGE."""
    topics = ("bike lights", "moss", "roof garden", "Excel formulas", "school choice", "rain barrels", "birdhouses")
    texts = [f"Explain {topic} step {step} in more detail." for topic in topics for step in range(1, 8)]
    rows = [corpus.Example("", Sentence(text), "junk", wish=False, genre="") for text in texts]
    made = corpus.with_inputs(rows, Session(model_folder() / GRAPH, model_folder() / TOKENIZER))
    assert scores(heads().keep, made.inputs).max() < CHANGE


def test_written_weights_are_read_as_they_were() -> None:
    again = read(written(heads()))
    assert again.keep.weights == pytest.approx(heads().keep.weights, abs=1e-4)
    assert again.wish.bias == heads().wish.bias
    assert written(again) == written(heads())


def test_every_training_sentence_has_a_known_label_and_is_invented_once() -> None:
    rows = corpus.read()
    assert {row.label for row in rows} == {"good", "partly", "junk", "false"}
    assert len({(row.author, row.sentence.text) for row in rows}) == len(rows)


@pytest.mark.model
@pytest.mark.slow
def test_the_weights_are_those_the_training_gives() -> None:
    """The scores are compared with a tolerance, because int8 arithmetic differs between processors."""
    out, anew = examples(held_out=True), train(examples(held_out=False))
    for name in ("keep", "wish", "dangling"):
        shipped, made = (scores(getattr(one, name), out.inputs) for one in (heads(), anew))
        assert abs(shipped - made).mean() < 0.1


@pytest.mark.model
def test_sentences_of_an_author_outside_the_training_text_are_classified() -> None:
    out = examples(held_out=True)
    found = scores(heads().keep, out.inputs)
    shown, searched = (kept(out.labels, found, threshold) for threshold in (SHOWN, SEARCHED))
    assert average_precision(out.labels, found) > 0.75
    assert shown.junk + shown.false < 0.1
    assert shown.good > 0.7
    assert shown.found > 0.5
    assert searched.found > 0.75
    assert searched.junk + searched.false < 0.3
