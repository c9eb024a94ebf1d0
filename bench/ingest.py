"""What ingest costs beside the bare embedding loop: `make bench ARGS=ingest`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from bench import inside
from bench.registry import Bench, say

FILES = 60


def main(bench: Bench) -> None:
    """Sixty Markdown files of 2 to 20 KB through upload and workers, and their chunks embedded once more alone."""
    folder = bench.data / "docs" / "fastapi-md"
    files = [str(path) for path in sorted(folder.rglob("*.md")) if 2_000 < path.stat().st_size < 20_000][:FILES]
    state = Path(tempfile.mkdtemp(prefix="footnote-ingest-"))
    state.chmod(0o711)
    try:
        for workers in (1, 2):
            found = inside.beside(
                state, "bench.inside_ingest:measure", without=("valkey",), files=files, workers=workers
            )
            say(line(found, workers))
    finally:
        shutil.rmtree(state, ignore_errors=True)


def line(found: dict[str, float], workers: int) -> str:
    chunks, whole, bare = found["chunks"], found["whole_cpu_s"], found["bare_cpu_s"]
    return (
        f"{workers} worker(s): {found['files']:.0f} files, {chunks:.0f} chunks in {found['wall_s']:.1f} s; "
        f"{chunks / whole:.2f} chunks per CPU-second, bare embedding {chunks / bare:.2f} (share {bare / whole:.3f}); "
        f"overhead {(whole - bare) * 1000 / chunks:.1f} CPU-ms per chunk, {(whole - bare) * 1000 / found['files']:.0f} per file"
    )
