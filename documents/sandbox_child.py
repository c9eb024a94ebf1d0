"""The caged reader: one file in, one result file out. Started by documents.sandbox with `python -I -S`, never imported by it.

It holds itself to the limits before it looks at the file, knows no secret, and imports the reader of the one kind it reads.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from documents.parsers.outcome import Limits
    from documents.prepared import Outcome

_HEAVY_KINDS = frozenset(("msg", "doc", "ppt", "xls", "xlsb"))


def main(request: dict[str, Any]) -> None:
    """Read the file that the request names and write the outcome to the descriptor that it names."""
    sys.path[:0] = request["sys_path"]
    hold_to_limits(request["limits"], heavy=request["kind"] in _HEAVY_KINDS)
    from documents.prepared import Failed
    from documents.sandbox_wire import encode

    try:
        data = encode(_outcome(request))
    except MemoryError:
        data = encode(Failed("documents.too_much_memory"))
    except RecursionError:
        data = encode(Failed("documents.reader_failed", "It is nested too deeply."))
    except Exception as trouble:  # noqa: BLE001 - the boundary of the cage: whatever a reader raises becomes a word
        data = encode(Failed("documents.reader_failed", type(trouble).__name__))
    _write(request["output_fd"], data)


def hold_to_limits(limits: dict[str, Any], *, heavy: bool) -> None:
    """Bound memory, CPU, file size and descriptors, and let an alarm end a child whose parent is gone."""
    signal.alarm(int(limits["wall_seconds"]) + 5)
    # RLIMIT_DATA bounds what is really taken; libraries of the heavy readers map far more than they touch.
    resource.setrlimit(resource.RLIMIT_DATA, (limits["memory_bytes"],) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory_bytes"] * (12 if heavy else 3),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_seconds"], limits["cpu_seconds"] + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["output_bytes"],) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.disable()  # one file, then gone: collecting costs 15 % of the time and finds little


def _outcome(request: dict[str, Any]) -> Outcome:
    from documents.parsers.outcome import Limits, Refused
    from documents.parsers.registry import parse

    limits = Limits(**request["limits"])
    parsed = parse(Path(request["path"]), kind=request["kind"], limits=limits)
    if isinstance(parsed, Refused):
        return parsed
    from documents.prepared import Prepared, PreparedPiece
    from documents.text.analyse import frequencies
    from documents.text.blocks import blocks_of
    from documents.text.chunk import canonical, chunk, fit_title
    from documents.text.language import detect
    from documents.text.piece import ChunkProfile
    from documents.tokens import counter

    profile = ChunkProfile(**request["profile"])
    count = counter(Path(request["tokenizer"]))
    text, placed = canonical(parsed)
    title = fit_title(parsed.title or _stem(request["filename"]), profile, count)
    language = parsed.language or detect(text)
    pieces = chunk(parsed, profile, count, title=title)
    prepared = [PreparedPiece(piece, *frequencies(piece.searchable_text(title), language=language)) for piece in pieces]
    return _bounded(Prepared(text, title, language, parsed.report, tuple(prepared), blocks_of(placed)), limits)


def _bounded(prepared: Outcome, limits: Limits) -> Outcome:
    from documents.prepared import Prepared, Refused

    if isinstance(prepared, Prepared) and len(prepared.pieces) > limits.pieces:
        return Refused("documents.too_much_text", f"The limit is {limits.pieces:,} chunks.")
    return prepared


def _stem(filename: str) -> str:
    stem, dot, _ = filename.rpartition(".")
    return stem if dot and stem else filename


def _write(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as output:
        output.write(data)


if __name__ == "__main__":
    main(json.loads(sys.stdin.buffer.read()))
