from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.embedding.vector import binary_code, from_float32

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("vector", "code"), [([], ""), ([0.3, -0.1, 0.0, -0.0, 2.0], "10001"), ([1e-30, -1e-30], "10")]
)
def test_code_is_the_sign_of_each_value(vector: list[float], code: str) -> None:
    assert binary_code(vector) == code


@given(st.lists(finite.filter(bool), min_size=1, max_size=64))
def test_opposite_vectors_have_opposite_codes(vector: list[float]) -> None:
    opposite = binary_code([-value for value in vector])

    assert all(bit != other for bit, other in zip(binary_code(vector), opposite, strict=True))


@given(st.lists(finite, min_size=1, max_size=64))
def test_float32_survives_the_wire(vector: list[float]) -> None:
    assert from_float32(struct.pack(f"<{len(vector)}f", *vector)) == vector


@pytest.mark.parametrize("raw", [b"", b"abc", b"abcde"])
def test_broken_length_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match="whole number"):
        from_float32(raw)
