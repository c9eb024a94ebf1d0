"""`python -m portal.embedded.deploy DIRECTORY`: the secrets of compose.yaml, a file each, made once."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

PLAIN = (
    "postgres_password",
    "valkey_password",
    "db_owner_password",
    "db_app_password",
    "db_serve_password",
    "db_worker_password",
    "embedder_key",
    "secret_key",
    "context_key",
    "fingerprint_key",
)


def make_secrets(directory: Path) -> list[str]:
    """Write what is missing; the names of what was written.

    The folder is 0700 and the files 0644: containers read them through a mount, as another user.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = [name for name in PLAIN if write_once(directory / name, secrets.token_hex(32))]
    database, broker = (
        (directory / name).read_text(encoding="ascii").strip() for name in ("postgres_password", "valkey_password")
    )
    addresses = {
        "admin_database_url": f"postgresql://postgres:{database}@postgres:5432/footnote",
        "broker_url": f"redis://:{broker}@valkey:6379/0",
    }
    return made + [name for name, value in addresses.items() if write_once(directory / name, value)]


def write_once(file: Path, value: str) -> bool:
    """Whether the file was made now."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="ascii") as out:
        out.write(value + "\n")
    return True


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "secrets")
    written = make_secrets(target)
    sys.stdout.write(f"{len(written)} secrets made in {target}, others kept\n")
