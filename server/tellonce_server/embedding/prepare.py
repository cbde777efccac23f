"""`python -m tellonce_server.embedding.prepare SOURCE TARGET`: the int8 graph, the tokenizer and the mean vector.

SOURCE holds the model's own files, or the files an earlier version of this program prepared from them.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from tellonce_server.embedding.model_files import FORMER_GRAPH, GRAPH, MEAN, TOKENIZER, formerly_complete
from tellonce_server.embedding.onnx_graph import add_early, build
from tellonce_server.embedding.samples import sentences
from tellonce_server.embedding.session import Session, mean_of


def prepare(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    shutil.copy(source / TOKENIZER, target / TOKENIZER)
    if formerly_complete(source):
        _finish(source / FORMER_GRAPH, target / GRAPH)
        shutil.copy(source / MEAN, target / MEAN)
    else:
        _quantize(source, target)
        session = Session(target / GRAPH, target / TOKENIZER)
        (target / MEAN).write_text(json.dumps(mean_of(session.embed(list(sentences())))))


def _quantize(source: Path, target: Path) -> None:
    """Weights are quantised per channel: half the time of float32 at a cosine of .99 to it."""
    with tempfile.TemporaryDirectory() as scratch:
        exact, small = Path(scratch) / "exact.onnx", Path(scratch) / "small.onnx"
        onnx.save(build(source), str(exact))
        quantize_dynamic(
            exact,
            small,
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
        _finish(small, target / GRAPH)


def _finish(quantized: Path, graph: Path) -> None:
    model = onnx.load(str(quantized))
    add_early(model)
    onnx.save(model, str(graph))


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), Path(sys.argv[2]))
