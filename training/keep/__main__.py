"""`python -m training.keep [--model FOLDER]`: trains the scorer, prints its precision on authors that were left out of
the training, and writes the weights.

The texts of the authors in HELD_OUT are never used for training. Their printed figures are measured with the final
weights.
"""

import argparse
import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np

from tellonce.settings import ServerSettings
from tellonce_server.domain.keep import heads as data
from tellonce_server.domain.keep.choice import SEARCHED, SHOWN
from tellonce_server.embedding.model_files import GRAPH, MODEL, TOKENIZER, fetch
from tellonce_server.embedding.onnx_session import Session
from training.keep.corpus import Examples, Floats, read, with_inputs
from training.keep.fit import TALK, average_precision, keep_head, kept, scores, threshold_for, train

HELD_OUT: Final = ("author_4",)
WEIGHTS: Final = Path(data.__file__).parent / data.FILE


def split(examples: Examples) -> tuple[Examples, Examples]:
    """The examples for training, and the examples of the authors in HELD_OUT."""
    out = np.array([row.author in HELD_OUT for row in examples.rows])
    return examples.where(~out), examples.where(out)


def left_out(examples: Examples) -> Floats:
    """The scores of each author's examples, computed by a head that was trained on the other authors."""
    found = np.zeros(len(examples.rows))
    for author in examples.authors:
        own = examples.by(author)
        found[own] = scores(keep_head(examples.where(~own)), examples.inputs[own])
    return found


def report(title: str, examples: Examples, found: Floats) -> None:
    labels = examples.labels
    print(f"\n{title}: {len(labels)} sentences, average precision {average_precision(labels, found):.3f}")
    for wrong in (0.06, 0.07, 0.08):
        print(f"  junk and false {wrong:.0%} of everyday talk at {threshold_for(labels, found, wrong):.2f}")
    for name, threshold in (("shown", SHOWN), ("searched", SEARCHED)):
        print(f"  {name} from {threshold}: {_line(examples, found, threshold)}")
    for genre in sorted({row.genre for row in examples.rows}):
        own = np.array([row.genre == genre for row in examples.rows])
        print(f"    {genre:32} {_raw(labels[own], found[own])}")


def _line(examples: Examples, found: Floats, threshold: float) -> str:
    of = kept(examples.labels, found, threshold)
    return f"good found {of.found:.0%}; kept: good {of.good:.0%}, partly {of.partly:.0%}, junk {of.junk:.1%}, false {of.false:.1%}"


def _raw(labels: Iterable[str], found: Floats) -> str:
    """The shares of the labels. They are not weighted, because a genre has too few sentences for weighting."""
    names = np.array(list(labels))
    counts = (f"{label} {(found[names == label] >= SHOWN).sum()}/{(names == label).sum()}" for label in TALK)
    return "shown: " + ", ".join(counts)


def session(folder: Path) -> Session:
    ready = asyncio.run(fetch(folder, lambda done, total: None))
    return Session(ready / GRAPH, ready / TOKENIZER)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.keep", description=__doc__)
    parser.add_argument("--model", type=Path, default=ServerSettings().data_dir / "models" / MODEL)
    examples, out = split(with_inputs(read(), session(parser.parse_args().model)))
    report("Each author scored by training on the others", examples, left_out(examples))
    trained = train(examples)
    WEIGHTS.write_text(data.written(trained))
    if out.rows:
        report(f"Never trained on: {', '.join(out.authors)}", out, scores(trained.keep, out.inputs))
    print(f"\n{WEIGHTS} written")


if __name__ == "__main__":
    main()
