"""Names for how documents are cut and stored now, so that an embedded corpus is kept for exactly as long as it is true."""

from __future__ import annotations

import hashlib

from portal import env

CUTTING = ("documents/parsers/*.py", "documents/text/*.py", "documents/sandbox*.py", "documents/indexing.py")
STORING = ("*/migrations/*.py", "*/sql/0*.sql", "portal/database.py")


def key() -> str:
    """Names the sources that decide what chunks and terms a file becomes."""
    return digest(CUTTING)


def schema_key() -> str:
    """Names the sources that decide which tables a state directory holds."""
    return digest(STORING)


def digest(patterns: tuple[str, ...]) -> str:
    """Ten hexadecimal digits."""
    found = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(env.ROOT.glob(pattern)):
            found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:10]
