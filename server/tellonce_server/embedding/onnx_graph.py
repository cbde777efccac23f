"""An ONNX graph of a BERT sentence encoder, written from its weights: token ids in, one unit vector a text out.

The architecture is BERT (Devlin et al. 2019) with mean pooling over tokens and L2 normalisation, as
sentence-transformers publishes all-MiniLM-L6-v2.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

OPSET = 20
IR_VERSION = 9
EARLY_LAYER = 3
"""How many layers the second output has passed: on which words to keep, their mean tells more than the last one's."""

EMBEDDING, EARLY = "embedding", "early"
"""Names of the outputs: the text's unit vector, and the plain mean over the tokens after the early layer."""

MASKED = -1e4
"""Added to the attention score of padding: e to this power is nothing."""


def build(source: Path) -> ModelProto:
    """The graph of the model in `source` (model.safetensors, config.json).

    Input `input_ids`, `attention_mask` (int64, batch x tokens); output EMBEDDING (float32, batch x hidden).
    """
    config = json.loads((source / "config.json").read_text())
    writer = _Writer(load_file(source / "model.safetensors"), config)
    hidden = writer.embeddings()
    for layer in range(config["num_hidden_layers"]):
        hidden = writer.layer(hidden, f"encoder.layer.{layer}.")
    writer.pool(hidden)
    return writer.model()


def add_early(model: ModelProto) -> None:
    """Give a graph of `build`, quantized or not, the output EARLY (float32, batch x hidden).

    Nothing of the graph is changed, so EMBEDDING keeps its value.
    """
    graph = model.graph
    tokens = [node.output[0] for node in graph.node if node.op_type == "LayerNormalization"][2 * EARLY_LAYER]
    mask = next(node.output[0] for node in graph.node if node.op_type == "Cast" and "attention_mask" in node.input)
    names = [f"early_{part}" for part in ("weights", "weighted", "total", "count")]
    weights, weighted, total, count = names
    graph.initializer.extend(
        numpy_helper.from_array(np.array([axis], np.int64), f"early_axis{axis}") for axis in (1, 2)
    )
    graph.node.extend(
        [
            helper.make_node("Unsqueeze", [mask, "early_axis2"], [weights]),
            helper.make_node("Mul", [tokens, weights], [weighted]),
            helper.make_node("ReduceSum", [weighted, "early_axis1"], [total], keepdims=0),
            helper.make_node("ReduceSum", [weights, "early_axis1"], [count], keepdims=0),
            helper.make_node("Div", [total, count], [EARLY]),
        ]
    )
    shape = [dimension.dim_param or dimension.dim_value for dimension in graph.output[0].type.tensor_type.shape.dim]
    graph.output.append(helper.make_tensor_value_info(EARLY, TensorProto.FLOAT, shape))


class _Writer:
    """Collects nodes and constants; every method returns the name of what it computed."""

    def __init__(self, weights: dict[str, Any], config: dict[str, Any]) -> None:
        self._weights = weights
        self._prefix = "" if "embeddings.word_embeddings.weight" in weights else "bert."
        self._hidden: int = config["hidden_size"]
        self._heads: int = config["num_attention_heads"]
        self._epsilon: float = config["layer_norm_eps"]
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._integers = {n: self._constant(f"int{n}", np.array([n], np.int64)) for n in (0, 1, 2)}
        self._mask = self._op("Cast", ["attention_mask"], to=TensorProto.FLOAT)
        self._bias = self._attention_bias()

    def embeddings(self) -> str:
        """Word, position and type embeddings, normalised. Every token is of type 0."""
        positions = self._weight("embeddings.position_embeddings.weight")
        types = self._weight("embeddings.token_type_embeddings.weight")[0]
        length = self._op("Slice", [self._op("Shape", ["input_ids"]), self._integers[1], self._integers[2]])
        words = self._constant("words", self._weight("embeddings.word_embeddings.weight"))
        table = self._constant("positions", positions + types)
        rows = self._op("Slice", [table, self._integers[0], length, self._integers[0]])
        total = self._op("Add", [self._op("Gather", [words, "input_ids"]), rows])
        return self._norm(total, "embeddings.LayerNorm")

    def layer(self, x: str, name: str) -> str:
        """One transformer layer: self-attention, then the feed-forward part, each with its residual."""
        attended = self._linear(self._attention(x, name + "attention.self."), name + "attention.output.dense")
        y = self._norm(self._op("Add", [attended, x]), name + "attention.output.LayerNorm")
        inner = self._op("Gelu", [self._linear(y, name + "intermediate.dense")])
        outer = self._linear(inner, name + "output.dense")
        return self._norm(self._op("Add", [outer, y]), name + "output.LayerNorm")

    def pool(self, tokens: str) -> None:
        """The mean over real tokens, scaled to length one."""
        weights = self._op("Unsqueeze", [self._mask, self._integers[2]])
        total = self._op("ReduceSum", [self._op("Mul", [tokens, weights]), self._integers[1]], keepdims=0)
        count = self._op("ReduceSum", [weights, self._integers[1]], keepdims=0)
        mean = self._op("Div", [total, count])
        self._nodes.append(helper.make_node("LpNormalization", [mean], [EMBEDDING], axis=-1, p=2))

    def model(self) -> ModelProto:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info(EMBEDDING, TensorProto.FLOAT, ["batch", self._hidden])
        graph = helper.make_graph(self._nodes, "sentence_encoder", inputs, [output], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        return model

    def _attention(self, x: str, name: str) -> str:
        size = self._hidden // self._heads
        split = self._constant(f"{name}split", np.array([0, 0, self._heads, size], np.int64))
        join = self._constant(f"{name}join", np.array([0, 0, self._hidden], np.int64))
        query, key, value = (
            self._op("Transpose", [self._op("Reshape", [self._linear(x, name + part), split])], perm=order)
            for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        scale = self._constant(f"{name}scale", np.array(1 / np.sqrt(size), np.float32))
        scores = self._op("Add", [self._op("Mul", [self._op("MatMul", [query, key]), scale]), self._bias])
        mixed = self._op("MatMul", [self._op("Softmax", [scores], axis=-1), value])
        return self._op("Reshape", [self._op("Transpose", [mixed], perm=[0, 2, 1, 3]), join])

    def _attention_bias(self) -> str:
        absent = self._op("Sub", [self._constant("one", np.array(1, np.float32)), self._mask])
        axes = self._constant("head_axes", np.array([1, 2], np.int64))
        masked = self._constant("masked", np.array(MASKED, np.float32))
        return self._op("Unsqueeze", [self._op("Mul", [absent, masked]), axes])

    def _linear(self, x: str, name: str) -> str:
        weight = self._constant(f"{name}.w", self._weight(f"{name}.weight").T)
        bias = self._constant(f"{name}.b", self._weight(f"{name}.bias"))
        return self._op("Add", [self._op("MatMul", [x, weight]), bias])

    def _norm(self, x: str, name: str) -> str:
        scale = self._constant(f"{name}.g", self._weight(f"{name}.weight"))
        shift = self._constant(f"{name}.s", self._weight(f"{name}.bias"))
        return self._op("LayerNormalization", [x, scale, shift], axis=-1, epsilon=self._epsilon)

    def _weight(self, name: str) -> Any:
        return self._weights[self._prefix + name].astype(np.float32)

    def _constant(self, name: str, value: Any) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _op(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        name = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name
