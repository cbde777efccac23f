"""The part of ONNX's file format that a graph needs, in protobuf's encoding.

Field numbers are the numbers in onnx.proto3. Protobuf merges concatenated messages. If the bytes of two models are
concatenated, the result is one model with the nodes, constants, inputs and outputs of both.
"""

import struct
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Attribute = int | float | Sequence[int]

OPSET = 20
IR_VERSION = 9
FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7
"""Element types of tensors."""

_ELEMENTS = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int64": INT64}
_FLOAT_ATTRIBUTE, _INT_ATTRIBUTE, _INTS_ATTRIBUTE = 1, 2, 7
_VARINT, _LENGTH, _FIXED32 = 0, 2, 5


def model(graph: bytes) -> bytes:
    opset = _number(2, OPSET)
    return _number(1, IR_VERSION) + _bytes(7, graph) + _bytes(8, opset)


def extension(graph: bytes) -> bytes:
    """Return bytes that can be appended to a model. They add the parts of the graph `graph` to this model."""
    return _bytes(7, graph)


def graph(
    nodes: Iterable[bytes] = (),
    constants: Iterable[bytes] = (),
    inputs: Iterable[bytes] = (),
    outputs: Iterable[bytes] = (),
    between: Iterable[bytes] = (),
    name: str = "",
) -> bytes:
    """A graph. `between` describes intermediate values, so that the runtime knows their shapes."""
    parts = [_bytes(1, node) for node in nodes]
    parts += [_bytes(2, name.encode())] if name else []
    parts += [_bytes(5, constant) for constant in constants]
    parts += [_bytes(11, value) for value in inputs]
    parts += [_bytes(12, value) for value in outputs]
    parts += [_bytes(13, value) for value in between]
    return b"".join(parts)


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Attribute) -> bytes:
    parts = [_bytes(1, name.encode()) for name in inputs]
    parts += [_bytes(2, name.encode()) for name in outputs]
    parts += [_bytes(3, outputs[0].encode()), _bytes(4, kind.encode())]
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts)


def constant(name: str, value: Array) -> bytes:
    """A constant tensor. The elements of the tensor are stored in little-endian byte order."""
    dimensions = b"".join(_number(1, size) for size in value.shape)
    little = value.astype(value.dtype.newbyteorder("<"), copy=False)
    element = _ELEMENTS[value.dtype.name]
    return dimensions + _number(2, element) + _bytes(8, name.encode()) + _bytes(9, little.tobytes())


def value(name: str, element: int, shape: Sequence[int | str]) -> bytes:
    """An input, an output or an intermediate value. A string in `shape` names a size that may vary between calls."""
    sizes = [_bytes(2, size.encode()) if isinstance(size, str) else _number(1, size) for size in shape]
    tensor = _number(1, element) + _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: Attribute) -> bytes:
    head = _bytes(1, name.encode())
    if isinstance(value, float):
        return head + _tag(2, _FIXED32) + struct.pack("<f", value) + _number(20, _FLOAT_ATTRIBUTE)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, _INT_ATTRIBUTE)
    return head + b"".join(_number(8, part) for part in value) + _number(20, _INTS_ATTRIBUTE)


def _number(field: int, value: int) -> bytes:
    return _tag(field, _VARINT) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _tag(field, _LENGTH) + _varint(len(value)) + value


def _tag(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _varint(value: int) -> bytes:
    rest, parts = value & (1 << 64) - 1, bytearray()
    while rest > 0x7F:
        parts.append(rest & 0x7F | 0x80)
        rest >>= 7
    parts.append(rest)
    return bytes(parts)
