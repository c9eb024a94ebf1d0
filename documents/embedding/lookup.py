"""Keep a quantised embedding table quantised: look rows up first, then make them floats.

An exporter may write the weights of a table as `Mul(Cast(int8), scale per row)` before the `Gather`. onnxruntime folds that
into floats when it loads, four times the bytes (47 MB for 30,522 rows of 384). Looked up first, only the rows of a
text are turned into floats: the same numbers, bit by bit. Everything else of the model is left as it is.

The few fields of ONNX's protobuf that this touches are read and written here (onnx.proto3: ModelProto.graph = 7,
GraphProto.node = 1, NodeProto input = 1, output = 2, op_type = 4): the `onnx` package would be 20 MB of memory for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_GRAPH, _NODE = 7, 1
_INPUT, _OUTPUT, _OP_TYPE = 1, 2, 4
_BYTES = 2
_FIXED = {1: 8, 5: 4}


class NotReadable(ValueError):
    """These bytes are no protobuf message as onnx.proto3 has them."""


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a message: its number, its wire type, what it holds, and its bytes with the tag."""

    number: int
    wire: int
    content: memoryview
    whole: memoryview


@dataclass(frozen=True, slots=True)
class _Node:
    """The parts of a NodeProto that wire it up; `rest` are its other fields, as they were."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rest: bytes

    def encoded(self) -> bytes:
        wired = [(_INPUT, name) for name in self.inputs] + [(_OUTPUT, name) for name in self.outputs]
        fields = [_delimited(number, name.encode()) for number, name in [*wired, (_OP_TYPE, self.op)]]
        return _delimited(_NODE, b"".join(fields) + self.rest)


def rows_before_floats(model: bytes) -> bytes:
    """The same model with each int8 table looked up before it is made floats; unchanged where there is none.

    Raises NotReadable when `model` is not an ONNX model.
    """
    fields = list(_fields(memoryview(model)))
    graph = next((field for field in fields if field.number == _GRAPH and field.wire == _BYTES), None)
    if graph is None:
        raise NotReadable("there is no graph in it")
    parts = list(_fields(graph.content))
    nodes = [_node(part.content) for part in parts if part.number == _NODE]
    turned = _turned(nodes)
    if turned == nodes:
        return model
    others = [bytes(part.whole) for part in parts if part.number != _NODE]
    changed = _delimited(_GRAPH, b"".join([node.encoded() for node in turned] + others))
    return b"".join(changed if field is graph else bytes(field.whole) for field in fields)


def _turned(nodes: Sequence[_Node]) -> list[_Node]:
    """Every Gather ← Mul ← Cast whose parts nobody else reads, the lookups first: their indices are the model's inputs."""
    maker = {name: node for node in nodes for name in node.outputs}
    readers: dict[str, int] = {}
    for node in nodes:
        for name in node.inputs:
            readers[name] = readers.get(name, 0) + 1
    lookups: list[_Node] = []
    instead: dict[_Node, _Node | None] = {}
    for gather in nodes:
        found = _table(gather, maker)
        if found is None or readers[found[0].outputs[0]] != 1 or readers[found[1].outputs[0]] != 1:
            continue
        scaling, cast = found
        quantised, scales, indices = cast.inputs[0], scaling.inputs[1], gather.inputs[1]
        rows, their_scales = f"{gather.outputs[0]}_rows", f"{gather.outputs[0]}_scales"
        lookups += [
            replace(gather, inputs=(quantised, indices), outputs=(rows,), rest=b""),
            replace(gather, inputs=(scales, indices), outputs=(their_scales,), rest=b""),
        ]
        instead[cast] = replace(cast, inputs=(rows,))
        instead[scaling] = replace(scaling, inputs=(cast.outputs[0], their_scales), outputs=gather.outputs)
        instead[gather] = None
    kept = [instead.get(node, node) for node in nodes]
    return lookups + [node for node in kept if node is not None]


def _table(gather: _Node, maker: dict[str, _Node]) -> tuple[_Node, _Node] | None:
    """The Mul and the Cast that make what `gather` looks up, when its indices need no node before them."""
    if gather.op != "Gather" or gather.inputs[1] in maker:
        return None
    scaling = maker.get(gather.inputs[0])
    if scaling is None or scaling.op != "Mul" or scaling.inputs[1] in maker:
        return None
    cast = maker.get(scaling.inputs[0])
    return (scaling, cast) if cast is not None and cast.op == "Cast" and cast.inputs[0] not in maker else None


def _node(content: memoryview) -> _Node:
    inputs: list[str] = []
    outputs: list[str] = []
    op, rest = "", b""
    for field in _fields(content):
        if field.number == _INPUT:
            inputs.append(str(field.content, "utf-8"))
        elif field.number == _OUTPUT:
            outputs.append(str(field.content, "utf-8"))
        elif field.number == _OP_TYPE:
            op = str(field.content, "utf-8")
        else:
            rest += field.whole
    return _Node(op, tuple(inputs), tuple(outputs), rest)


def _fields(message: memoryview) -> Iterator[_Field]:
    at = 0
    while at < len(message):
        start = at
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            _, end = _varint(message, at)
        elif wire == _BYTES:
            size, at = _varint(message, at)
            end = at + size
        elif wire in _FIXED:
            end = at + _FIXED[wire]
        else:
            raise NotReadable(f"wire type {wire}")
        if end > len(message):
            raise NotReadable("it ends in the middle of a field")
        yield _Field(number, wire, message[at:end], message[start:end])
        at = end


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise NotReadable("a number without an end")


def _delimited(number: int, content: bytes) -> bytes:
    return _number(number << 3 | _BYTES) + _number(len(content)) + content


def _number(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
