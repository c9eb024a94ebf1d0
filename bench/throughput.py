"""What ingest costs beside the bare embedding loop, how soon an upload is found, and whether two files fill side by side."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from bench import inside
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, Upload, Visitor, running

PAGES = 2_000
PAGE_CHARACTERS = 1_800
FOUND_BYTES: Final = 200_000
FOUND_WITHIN_S: Final = 30.0
FILL_WITHIN_S: Final = 300.0
TIMES: Final = 3


@measures(Bar("ingest_share", ">=", 0.95), is_long=True, needs=("linux",))
def share(bench: Bench) -> Figures:
    """Two thousand pages of Django's documentation through upload and two workers, in parts, each part's chunks embedded once more
    alone right after it: what else the machine does meets both alike.
    """
    files = pages_of(bench.data / "docs" / "django-5.2-rst")
    with tempfile.TemporaryDirectory(prefix="footnote-throughput-") as folder:
        state = Path(folder)
        state.chmod(0o711)
        found = inside.beside(state, "bench.inside_ingest:throughput", without=("valkey",), files=files, workers=2)
    chunks, whole, bare = found["chunks"], found["whole_s"], found["bare_s"]
    bench.note(
        f"{found['files']:.0f} files, {chunks:.0f} chunks: {chunks / whole:.2f} a second, bare loop {chunks / bare:.2f};"
        f" the parts from {found['least']:.3f} to {found['most']:.3f}"
    )
    return {"ingest_share": bare / whole}


@measures(Bar("ingest_overhead_ms", "<=", 1.0), is_long=True, needs=("linux",))
def overhead(bench: Bench) -> Figures:
    """The same pages with vectors that cost nothing (bench/made_vectors.py), as files and as one document, and the same chunks and
    vectors through LangChain's PGVectorStore in the same PostgreSQL.
    """
    files = pages_of(bench.data / "docs" / "django-5.2-rst")
    with tempfile.TemporaryDirectory(prefix="footnote-overhead-") as folder:
        state = Path(folder)
        state.chmod(0o711)
        large = state / "all.rst"
        large.write_text("\n\n".join(Path(file).read_text() for file in files))
        found = inside.beside(
            state,
            "bench.inside_overhead:measure",
            without=("valkey", "embedder"),
            files=files,
            large=str(large),
            langchain=langchain(bench),
        )
    for name, parts in found.items():
        said = ", ".join(f"{part} {figure:.2f}" for part, figure in parts.items() if part not in ("files", "chunks"))
        bench.note(f"{name}: {parts['chunks']:.0f} chunks: {said}")
    return {"ingest_overhead_ms": found["files"]["whole_ms"]}


def langchain(bench: Bench) -> str:
    """A Python of its own with langchain-postgres, installed once; "" where that cannot be had."""
    place = bench.state / "langchain"
    python = place / "bin" / "python"
    if not python.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, timeout=300)
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "-q", "langchain-postgres==0.0.19", "psycopg[binary]"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if done.returncode:
        bench.note("LangChain could not be installed: left out.")
    return "" if done.returncode else str(python)


def pages_of(folder: Path) -> list[str]:
    """Files in the order of their paths until PAGES of PAGE_CHARACTERS each are there."""
    chosen: list[str] = []
    left = PAGES * PAGE_CHARACTERS
    for path in sorted(folder.rglob("*.rst")):
        if left <= 0:
            return chosen
        chosen.append(str(path))
        left -= path.stat().st_size
    if left <= 0:
        return chosen
    raise StackFailed(f"{folder} holds fewer than {PAGES} pages")


@measures(Bar("found_after_s", "<=", 2.0), Bar("fill_share", ">=", 0.8), is_long=True, needs=("linux",))
def soon(bench: Bench) -> Figures:
    """On a running stack: 200 KB of Markdown found by a word of it; two files' vectors when the first of them is whole."""
    with tempfile.TemporaryDirectory(prefix="footnote-soon-") as folder:
        state = Path(folder)
        state.chmod(0o711)
        with running(state) as stack:
            collection = inside.call(state, "bench.inside_corpus:collection", name="soon")
            key = inside.call(state, "bench.inside_ingest:key")
            share = fill_share(stack, collection)
            times = [found_after_s(stack, collection, key, number) for number in range(TIMES)]
            bench.note("found by words after " + ", ".join(f"{seconds:.2f}" for seconds in times) + " s")
    return {"found_after_s": statistics.median(times), "fill_share": share}


def found_after_s(stack: Stack, collection: str, key: str, number: int) -> float:
    """From the first byte sent until a search gives a passage of the file."""
    word = f"quillwort{number}"
    sentence = f"The gauge {{n}} of station {number} is read at noon and written down by hand. "
    parts = [f"## Part {n}\n\n{sentence.format(n=n) * 12}" for n in range(FOUND_BYTES // 900)]
    text = "# Gauges\n\n" + "\n\n".join(parts) + f"\n\n## Last\n\nThe {word} grows beside it.\n"
    visitor = Visitor(stack)
    headers = {"Authorization": f"Bearer {key}"}
    started = time.monotonic()
    visitor.upload([Upload(f"gauges-{number}.md", text.encode())], collection=collection)
    while time.monotonic() - started < FOUND_WITHIN_S:
        answer = visitor.http.post("/api/v1/search/", json={"question": word, "k": 3}, headers=headers)
        if answer.status_code == 200 and any(word in row["text"] for row in answer.json()["passages"]):
            return time.monotonic() - started
        time.sleep(0.05)
    raise StackFailed(f"not found within {FOUND_WITHIN_S:.0f} s")


def fill_share(stack: Stack, collection: str) -> float:
    """How much of the slower of two equal files has vectors when the faster one has all."""
    files = [Upload(f"fill-{name}.md", filler(name).encode()) for name in ("one", "two")]
    Visitor(stack).upload(files, collection=collection)
    shares: list[float] = inside.call(
        stack.state,
        "bench.inside_ingest:filled",
        collection=collection,
        names=[file.path for file in files],
        within_s=FILL_WITHIN_S,
    )
    return min(shares)


def filler(name: str) -> str:
    """Some 120 passages, none of them like another."""
    sentence = "The valve {n} of hall {name} is opened slowly and closed again by hand every morning. "
    return f"# Hall {name}\n\n" + "\n\n".join(
        f"## Part {n}\n\n{sentence.format(n=n, name=name) * 10}" for n in range(120)
    )
