"""A name for how documents are cut and indexed now, so that an embedded corpus is kept for exactly as long as it is true."""

from __future__ import annotations

import hashlib

from portal import env

SOURCES = ("documents/parsers/*.py", "documents/text/*.py", "documents/sandbox*.py", "documents/indexing.py")


def key() -> str:
    """Ten hexadecimal digits of the sources that decide what chunks and terms a file becomes."""
    digest = hashlib.sha256()
    for pattern in SOURCES:
        for path in sorted(env.ROOT.glob(pattern)):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:10]
