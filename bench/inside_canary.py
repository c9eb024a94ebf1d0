"""Called through bench.inside against a running stack: a program's key of the demo person."""

from __future__ import annotations

from bench.inside_corpus import demo_scope
from portal.keys import make_key


def key() -> str:
    return make_key(demo_scope(), "canary", scopes=("read", "ask"))[1]
