"""Measures the precision of scores, weighted by the shares of labels in everyday conversation, not those in the
training text."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from training.keep.corpus import Floats

TALK: Final = {"good": 0.18, "partly": 0.15, "junk": 0.63, "false": 0.04}
"""The share of each label among a person's sentences to friends and assistants."""


@dataclass(frozen=True)
class Kept:
    """The result of a threshold: the shares of labels among kept sentences, and in `found` the share of good sentences
    that are kept."""

    found: float
    good: float
    partly: float
    junk: float
    false: float


def shares(labels: NDArray[np.str_]) -> Floats:
    """A weight for each row, so that the labels present have the shares of everyday talk."""
    present = {label: int((labels == label).sum()) for label in TALK}
    return np.array([TALK[label] / present[label] for label in labels])


def average_precision(labels: NDArray[np.str_], scores: Floats) -> float:
    """The average precision of good sentences against all others in everyday conversation."""
    order = np.argsort(-scores, kind="stable")
    weight, good = shares(labels)[order], labels[order] == "good"
    precision = np.cumsum(weight * good) / np.cumsum(weight)
    return float((precision * weight * good).sum() / (weight * good).sum())


def kept(labels: NDArray[np.str_], scores: Floats, threshold: float) -> Kept:
    weight, above = shares(labels), scores >= threshold
    total = max(float(weight[above].sum()), 1e-12)
    part = {label: float(weight[above & (labels == label)].sum()) for label in TALK}
    return Kept(part["good"] / TALK["good"], *(part[label] / total for label in TALK))


def threshold_for(labels: NDArray[np.str_], scores: Floats, wrong: float) -> float:
    """The lowest threshold at which at most the share `wrong` of the kept sentences is junk or false, weighted as in
    everyday conversation."""
    order = np.argsort(-scores, kind="stable")
    weight, bad = shares(labels)[order], np.isin(labels[order], ("junk", "false"))
    share = np.cumsum(weight * bad) / np.cumsum(weight)
    within = np.flatnonzero(share <= wrong)
    return float(scores[order][within[-1]]) if len(within) else float(scores.max())
