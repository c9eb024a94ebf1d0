"""A quantised table is looked up before it is made floats: the same vectors from a third less memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from documents.embedding.lookup import NotReadable, rows_before_floats
from documents.embedding.model import Encoder, default_files, files_in

TABLE = "inner.embeddings.word_embeddings.weight"
"""The words' table of the default model, as floats."""
LONG = "The quick brown fox reads release notes of 3.11, page 7. " * 12


@pytest.fixture(scope="module")
def original() -> bytes:
    return default_files().onnx.read_bytes()


@pytest.fixture(scope="module")
def turned(original: bytes) -> bytes:
    return rows_before_floats(original)


def vectors(model: bytes, texts: list[str]) -> list[np.ndarray]:
    encoder = Encoder(default_files())
    encoder._session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return [encoder.embed_one(text).vector for text in texts]


def test_the_vectors_are_the_same_bit_by_bit(original: bytes, turned: bytes) -> None:
    texts = ["", "x", "Wo steht ERR_QUOTA_42?", "量子", LONG]

    before, after = vectors(original, texts), vectors(turned, texts)

    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_the_table_is_no_longer_made_floats(original: bytes, turned: bytes) -> None:
    looked_up = _field(1, TABLE.encode()) + _field(1, b"input_ids")

    assert looked_up in original
    assert looked_up not in turned


def test_turning_twice_changes_nothing_more(turned: bytes) -> None:
    assert rows_before_floats(turned) is turned


def test_a_table_by_itself_is_turned() -> None:
    turned = rows_before_floats(small())

    assert b"rows_rows" in turned
    assert b"rows_scales" in turned


@pytest.mark.parametrize(
    "model",
    [
        lambda: small(node("Identity", ["table"], "copy")),
        lambda: small(node("Identity", ["floats"], "copy")),
        lambda: small(indices="positions"),
        lambda: small(node("Abs", ["s"], "scales"), scales="scales"),
        lambda: small(scaling="Add"),
        lambda: small(lookup="GatherElements"),
    ],
    ids=["read twice", "unscaled read too", "computed indices", "computed scales", "no scaling", "no lookup"],
)
def test_a_table_of_another_shape_is_left_as_it_is(model: Callable[[], bytes]) -> None:
    given = model()

    assert rows_before_floats(given) is given


@pytest.mark.parametrize(
    "broken",
    [b"", b"\x08", b"\x3a\xff\xff\xff\xff\x0f", b"\xff" * 12, b"not a model", b"\x0b\x0c"],
    ids=["empty", "cut number", "cut field", "endless number", "text", "groups"],
)
def test_what_is_no_model_is_refused(broken: bytes) -> None:
    with pytest.raises(NotReadable):
        rows_before_floats(broken)


def test_the_encoder_loads_a_model_with_files_beside_it_as_it_is(tmp_path: Path) -> None:
    files = default_files()
    (tmp_path / "model.onnx").write_bytes(files.onnx.read_bytes())
    (tmp_path / "model.onnx.data").write_bytes(b"unused")
    (tmp_path / "tokenizer.json").symlink_to(files.tokenizer)
    encoder = Encoder(files_in(tmp_path))

    assert encoder.dims == 384


def small(*more: bytes, indices: str = "ids", scales: str = "s", scaling: str = "Mul", lookup: str = "Gather") -> bytes:
    """A model of a table and its lookup, without weights."""
    nodes = [
        node("Cast", ["q"], "floats"),
        node(scaling, ["floats", scales], "table"),
        node("Shape", ["mask"], "positions"),
        node(lookup, ["table", indices], "rows"),
        *more,
    ]
    return _field(7, b"".join(nodes))


def node(op: str, inputs: list[str], output: str) -> bytes:
    names = b"".join(_field(1, name.encode()) for name in inputs)
    return _field(1, names + _field(2, output.encode()) + _field(4, op.encode()))


def _field(number: int, content: bytes) -> bytes:
    size, length = len(content), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content
