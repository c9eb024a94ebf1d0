"""The lean process that reads files: it imports the readers once, then forks a caged child for each file.

Started by documents.sandbox with `python -I -S`, never imported by it. It knows no secret, has no network, and ends when the
process that started it does, or after some idle seconds. `--walls` says which walls stand on this machine.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from documents.cage.walls import Cage
    from documents.parsers.outcome import Limits
    from documents.prepared import Outcome

_MAP_MUCH = frozenset(("msg", "doc", "ppt", "xls", "xlsb"))
# What most files need. The readers of Outlook and old Office files are imported by the child that reads one.
_WARMED = (
    "documents.cage.walls", "documents.parsers.registry", "documents.prepared", "documents.sandbox_wire", "documents.tokens",
    "documents.text.analyse", "documents.text.blocks", "documents.text.chunk", "documents.text.language",
    "documents.parsers.plain", "documents.parsers.markdown", "documents.parsers.rst", "documents.parsers.html",
    "documents.parsers.pdf", "documents.parsers.docx", "documents.parsers.xlsx", "documents.parsers.pptx",
    "documents.parsers.eml", "documents.parsers.delimited", "documents.parsers.json_file", "documents.parsers.code",
)  # fmt: skip


def main() -> None:
    """Serve the control line on standard input; the first line on it says where modules are."""
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    setup = json.loads(_first_line(control))
    sys.path[:0] = setup["sys_path"]
    from importlib import import_module

    for name in _WARMED:
        import_module(name)
    _tokenizer(setup["tokenizer"])
    from documents.cage.children import Children
    from documents.cage.walls import user_for_readers

    _own.update(user=user_for_readers(setup["user"], setup["readable"]), readable=setup["readable"])

    gc.collect()
    gc.freeze()  # what is here now is shared with every child and collected by none
    Children(control, _work, setup["idle_seconds"]).serve()


def _first_line(control: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        line += control.recv(1) or b"\n"
    return line


_own: dict[str, Any] = {}
_counters: dict[str, Any] = {}


def _tokenizer(path: str) -> Any:
    """The counter of a tokenizer file, loaded once."""
    if path not in _counters:
        from documents.tokens import counter

        _counters[path] = counter(Path(path))
        _counters[path]("Words, before a child does")
    return _counters[path]


def _work(data: bytes, file: int, output: int) -> None:
    """In the child: cage it, read the file and write the outcome."""
    tempfile.tempdir = (
        "/nonexistent"  # a reader that has to write a file may not; asking for the place alone does no harm
    )
    gc.disable()  # one file, then gone: collecting costs 15 % of the time and finds little
    request = json.loads(data)
    count = _tokenizer(request["tokenizer"])
    from documents.cage.walls import enter

    if request["reader"]:
        code = compile(Path(request["reader"]).read_bytes(), "reader", "exec")
        enter(_cage(request), files=(file,))
        exec(code, {"request": request, "file": file, "output": os.fdopen(output, "wb")})  # noqa: S102 - our own tests'
        return
    if request["ocr"]:
        _start_ocr(request, output)
    enter(_cage(request), files=(file,))
    _write(
        output,
        _encoded(request, f"/proc/self/fd/{file}" if sys.platform == "linux" else f"/dev/fd/{file}", count),
    )


def _start_ocr(request: dict[str, Any], output: int) -> None:
    """A helper with walls of its own, since it starts a program. A first byte in the output asks for the time it needs."""
    from documents.cage.walls import enter
    from documents.parsers.ocr import start_helper

    start_helper(
        request["ocr"]["program"],
        request["ocr"]["languages"],
        cage=lambda: enter(_cage(request), files=(), may_start_programs=True),
        begin=lambda: os.pwrite(output, b"O", 0),
    )


def _cage(request: dict[str, Any]) -> Cage:
    from documents.cage.walls import Cage

    limits = request["limits"]
    return Cage(
        memory_bytes=limits["memory_bytes"],
        cpu_seconds=limits["cpu_seconds"],
        output_bytes=limits["output_bytes"],
        alarm_seconds=int(limits["wall_seconds"] + (limits["ocr_seconds"] if request["ocr"] else 0)) + 5,
        maps_much=request["kind"] in _MAP_MUCH or bool(request["ocr"]),
        user=_own["user"],
        readable=_own["readable"],
    )


def _encoded(request: dict[str, Any], path: str, count: Any) -> bytes:
    from documents.prepared import Failed
    from documents.sandbox_wire import encode

    try:
        return encode(_outcome(request, Path(path), count))
    except MemoryError:
        return encode(Failed("documents.too_much_memory"))
    except RecursionError:
        return encode(Failed("documents.reader_failed", "It is nested too deeply."))
    except Exception as trouble:  # noqa: BLE001 - the boundary of the cage: whatever a reader raises becomes a word
        return encode(Failed("documents.reader_failed", type(trouble).__name__))


def _outcome(request: dict[str, Any], path: Path, count: Any) -> Outcome:
    from dataclasses import replace

    from documents.parsers.outcome import Limits, Refused
    from documents.parsers.registry import parse
    from documents.prepared import Prepared, PreparedPiece
    from documents.text.addresses import web_address
    from documents.text.analyse import frequencies, with_names
    from documents.text.blocks import blocks_of
    from documents.text.boxes import packed, tied
    from documents.text.chunk import canonical, chunk, fit_title
    from documents.text.language import detect
    from documents.text.links import links_of
    from documents.text.piece import ChunkProfile

    limits = Limits(**request["limits"])
    parsed = parse(path, kind=request["kind"], limits=limits)
    if isinstance(parsed, Refused):
        return parsed
    profile = ChunkProfile(**request["profile"])
    text, placed = canonical(parsed)
    title = fit_title(parsed.title or _stem(request["filename"]), profile, count)
    language = parsed.language or detect(text)
    boxes = packed(tied(parsed.page_words, placed)) if parsed.page_words else b""
    pieces = chunk(parsed, profile, count, title=title)
    prepared = []
    for piece in pieces:
        terms, length = frequencies(piece.searchable_text(title), language=language)
        if piece.entry:
            terms = with_names(terms, parsed.entries[piece.entry - 1].ident)
            length = sum(terms.values())
        prepared.append(PreparedPiece(piece, terms, length))
    found = Prepared(text, title, language, parsed.report, tuple(prepared), blocks_of(placed), boxes, parsed.entries)
    address = web_address(parsed.metadata.get("address", ""))
    return _bounded(replace(found, source_url=address, links=links_of(placed)), limits)


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
    main()
