"""`python -m training.mean`: writes `mean.json`, the mean of the vectors that the local model computes for generated
sentences.

The binary code of a vector has a bit for each dimension; the bit is 1 if the vector is above this mean.
"""

import asyncio
import json
from collections.abc import Iterator
from itertools import product

import numpy as np

from tellonce.settings import ServerSettings
from tellonce_server.embedding.local_embedder import MEAN
from tellonce_server.embedding.model_files import GRAPH, MODEL, TOKENIZER, fetch
from tellonce_server.embedding.onnx_session import Session

_FRAMES = (
    "I need to talk about {0} before {1}.",
    "Could you tell me more about {0}? I was thinking of {1}.",
    "Yesterday we looked at {0}, and {1} came up again.",
    "{0} is more expensive than {1}, as far as I know.",
    "My sister asked whether {0} goes well with {1}.",
    "Here is a summary of {0}: it depends mostly on {1}.",
)
_TOPICS = (
    "the garden",
    "our flight to Oslo",
    "the database migration",
    "a birthday dinner",
    "my blood test",
    "the guitar lesson",
    "tax papers",
    "the new puppy",
    "a football match",
    "kitchen tiles",
    "the deployment",
    "his job interview",
)


def sentences() -> Iterator[str]:
    """Every sentence pattern filled with every pair of different topics."""
    for frame, first, second in product(_FRAMES, _TOPICS, _TOPICS):
        if first != second:
            yield frame.format(first, second)


def main() -> None:
    folder = ServerSettings().data_dir / "models" / MODEL
    files = asyncio.run(fetch(folder, lambda done, total: None))
    vectors = list(map(Session(files / GRAPH, files / TOKENIZER).vector, sentences()))
    mean: list[float] = np.array(vectors, np.float32).mean(axis=0).round(5).tolist()
    MEAN.write_text(json.dumps([round(value, 5) for value in mean]) + "\n")


if __name__ == "__main__":
    main()
