"""A vector as it crosses processes, and its binary code."""

from __future__ import annotations

import struct
from collections.abc import Sequence

# A plain list: pgvector packs it to halfvec without numpy, which would cost the web and worker processes 13 MB each.
Vector = list[float]


def from_float32(raw: bytes) -> Vector:
    """Little-endian float32 values, as `encoding_format: base64` carries them. Raises ValueError on a broken length."""
    if not raw or len(raw) % 4:
        raise ValueError("is not a whole number of float32 values")
    return list(struct.unpack(f"<{len(raw) // 4}f", raw))


def binary_code(vector: Sequence[float]) -> str:
    """The sign of each value as PostgreSQL bit-string text, first value first: "1" where v > 0, else "0".

    Binds as `%s::varbit`. Hamming distance between two codes orders like the angle between the vectors (Charikar 2002,
    random hyperplanes; here the axes stand in for them). An empty vector gives "".
    """
    return "".join(["1" if value > 0 else "0" for value in vector])


def as_text(vector: Sequence[float]) -> str:
    """A vector as pgvector reads it, six significant digits: more than half precision keeps."""
    return "[" + ",".join(map("{:.6g}".format, vector)) + "]"
