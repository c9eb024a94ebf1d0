# ruff: noqa: INP001, S310, T201 (a program of its own, which prints and calls one address)
"""Keep a Footnote collection in step with a folder: `python sync.py docs/ COLLECTION_REF`. Python's standard library alone.

FOOTNOTE_URL is the portal's address, FOOTNOTE_KEY a key with the scope `ingest`. What changed is sent, what is the same is not,
what went is deleted once everything else is there. Exit code 1 when files were refused (they are listed).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

AT_ONCE = 50
BYTES_AT_ONCE = 20_000_000


def call(path: str, body: bytes, content_type: str) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{os.environ['FOOTNOTE_URL'].rstrip('/')}/api/v1{path}",
        data=body,
        headers={"Authorization": f"Bearer {os.environ['FOOTNOTE_KEY']}", "Content-Type": content_type},
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return dict(json.load(reply))
    except urllib.error.HTTPError as refused:
        sys.exit(f"{path}: {refused.code} {refused.read().decode(errors='replace')}")


def send_json(path: str, **values: Any) -> dict[str, Any]:
    return call(path, json.dumps(values).encode(), "application/json")


def send_files(folder: Path, paths: list[str], collection: str) -> list[dict[str, Any]]:
    mark = uuid.uuid4().hex
    parts = [_field(mark, "collection", collection)]
    parts += [_field(mark, "path", path) for path in paths]
    parts += [_file(mark, folder / path) for path in paths]
    body = b"".join(parts) + f"--{mark}--\r\n".encode()
    return list(call("/documents/batch/", body, f"multipart/form-data; boundary={mark}")["results"])


def _field(mark: str, name: str, value: str) -> bytes:
    return f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()


def _file(mark: str, file: Path) -> bytes:
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="file{file.suffix}"\r\n\r\n'
    return head.encode() + file.read_bytes() + b"\r\n"


def batches(folder: Path, paths: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    size = 0
    for path in paths:
        more = (folder / path).stat().st_size
        if found[-1] and (len(found[-1]) == AT_ONCE or size + more > BYTES_AT_ONCE):
            found.append([])
            size = 0
        found[-1].append(path)
        size += more
    return [batch for batch in found if batch]


def main(folder: Path, collection: str) -> int:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    manifest = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    at = f"/collections/{collection}/sync/"
    wanted = send_json(at, manifest=manifest)["wanted"]
    refused = {}
    for paths in batches(folder, wanted):
        results = send_files(folder, paths, collection)
        refused |= {path: row["title"] for path, row in zip(paths, results, strict=True) if row["status"] >= 400}
    deleted: list[str] = []
    while True:
        done = send_json(at, manifest=manifest, refused=list(refused), settle=True)
        deleted += done["deleted"]
        if not done["remaining"]:
            break
    print(f"{len(wanted) - len(refused)} sent, {len(manifest) - len(wanted)} unchanged, {len(deleted)} deleted.")
    for path, why in refused.items():
        print(f"  not taken  {path}: {why}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
