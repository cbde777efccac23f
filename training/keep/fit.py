"""Ridge logistic regression with Newton's method. The inputs are z-scored, the targets are soft, and the result is
deterministic.

The precision of the scores is weighted by the shares of labels in everyday conversation, not by the shares in the
training text.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellonce_server.domain.keep.heads import Head, Heads
from training.keep.corpus import Examples, Floats

TARGETS: Final = {"good": 1.0, "partly": 0.2, "junk": 0.0, "false": 0.0}

FALSE_WEIGHT: Final = 2.0
"""The weight of a false sentence. It is higher, because keeping a false sentence is worse than keeping junk."""

RIDGE: Final = 300.0
"""The strength of regularization, as a number of examples. It was chosen from 30, 100, 300 and 1000, with authors that
were left out of the training."""

STEPS: Final = 12


def train(examples: Examples) -> Heads:
    labels = examples.labels
    personal = examples.where(np.isin(labels, ("good", "partly")))
    wishes = np.array([float(row.wish) for row in personal.rows])
    return Heads(
        keep=keep_head(examples),
        wish=logistic(personal.inputs, wishes, np.ones(len(wishes))),
        dangling=logistic(personal.inputs, (personal.labels == "partly").astype(float), np.ones(len(wishes))),
    )


def keep_head(examples: Examples) -> Head:
    targets = np.array([TARGETS[row.label] for row in examples.rows])
    weights = np.where(examples.labels == "false", FALSE_WEIGHT, 1.0)
    return logistic(examples.inputs, targets, weights)


def logistic(inputs: Floats, targets: Floats, weights: Floats, ridge: float = RIDGE) -> Head:
    """Fit a head. The scaling to z-scores is included in the head's weights, so that the head takes unscaled inputs."""
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    rows = np.hstack([(inputs - mean) / deviation, np.ones((len(inputs), 1))])
    penalty = np.full(rows.shape[1], ridge)
    penalty[-1] = 1e-6
    solution = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-rows @ solution))
        gradient = rows.T @ (weights * (odds - targets)) + penalty * solution
        curvature = (rows * (weights * odds * (1 - odds))[:, None]).T @ rows + np.diag(penalty)
        solution -= np.linalg.solve(curvature, gradient)
    plain = solution[:-1] / deviation
    return Head(plain.tolist(), float(solution[-1] - plain @ mean))


def scores(head: Head, inputs: Floats) -> Floats:
    found: Floats = inputs @ np.array(head.weights) + head.bias
    return found


TALK: Final = {"good": 0.18, "partly": 0.15, "junk": 0.63, "false": 0.04}
"""The share of each label among a person's sentences to friends and assistants."""


@dataclass(frozen=True)
class Kept:
    """The result of a threshold: the share of each label among the kept sentences. `found` is the share of the good
    sentences that are kept."""

    found: float
    good: float
    partly: float
    junk: float
    false: float


def shares(labels: NDArray[np.str_]) -> Floats:
    """A weight for each row. The weights of a label add up to the label's share in everyday conversation (`TALK`)."""
    present = {label: int((labels == label).sum()) for label in TALK}
    return np.array([TALK[label] / present[label] for label in labels])


def average_precision(labels: NDArray[np.str_], scores: Floats) -> float:
    """The average precision of the scores in everyday conversation: how well they separate good sentences from all
    others."""
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
    """The lowest threshold with an acceptable share of errors. Among the sentences that reach it, the share of junk and
    false sentences is at most `wrong`. The sentences are weighted as in everyday conversation."""
    order = np.argsort(-scores, kind="stable")
    weight, bad = shares(labels)[order], np.isin(labels[order], ("junk", "false"))
    share = np.cumsum(weight * bad) / np.cumsum(weight)
    within = np.flatnonzero(share <= wrong)
    return float(scores[order][within[-1]]) if len(within) else float(scores.max())
