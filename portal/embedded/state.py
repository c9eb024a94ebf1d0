"""What a state directory remembers between starts: who holds it, the secrets, the ports."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

SECRETS = (
    "SECRET_KEY",
    "EMBEDDER_KEY",
    "VALKEY_PASSWORD",
    "POSTGRES_PASSWORD",
    "FOOTNOTE_CONTEXT_KEY",
    "FOOTNOTE_FINGERPRINT_KEY",
    "FOOTNOTE_DB_OWNER_PASSWORD",
    "FOOTNOTE_DB_APP_PASSWORD",
    "FOOTNOTE_DB_SERVE_PASSWORD",
    "FOOTNOTE_DB_WORKER_PASSWORD",
)


class CannotStart(Exception):
    """Footnote cannot start or go on. The message says what happened, whether data is safe and what to do."""


def make(path: Path) -> Path:
    """Create the state directory (others may pass through it, since the database account must; not list it)."""
    if path.is_dir():
        return path
    try:
        path.mkdir(parents=True)
        path.chmod(0o711)
    except OSError as error:
        raise CannotStart(
            f"The state directory {path} cannot be made ({error.strerror}). Give one that you may write to: STATE_DIR=…"
        ) from error
    return path


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the state directory for this process. Raises CannotStart when another one holds it."""
    try:
        descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise CannotStart(
            f"The state directory {path} cannot be written to ({error.strerror}). It may belong to another user: "
            "start as that user, or give another directory with STATE_DIR=…"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 40, 0).decode("ascii", "replace").strip() or "unknown"
            raise CannotStart(
                f"Footnote already runs in {path} (process {holder}). It goes on undisturbed. "
                f"Use it, stop it with Ctrl-C there or `kill {holder}`, or give another directory with STATE_DIR=…"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def keep_secrets(path: Path) -> dict[str, str]:
    """The passwords and keys of this state directory; those that are missing are made, once."""
    file = path / "secrets.env"
    kept = read_pairs(file)
    missing = [name for name in SECRETS if not kept.get(name)]
    if missing:
        kept.update({name: secrets.token_hex(32) for name in missing})
        write_pairs(file, kept)
    return kept


def keep_port(path: Path, name: str) -> int:
    """The port that `name` had before when it is free on loopback, else another free one, which is then kept."""
    file = path / "ports.env"
    kept = read_pairs(file)
    before = kept.get(name, "")
    if before.isdigit() and is_free("127.0.0.1", int(before)):
        return int(before)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    write_pairs(file, {**kept, name: str(port)})
    return port


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. Raises CannotStart when the host is not one of this machine's."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = found[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror as error:
        raise CannotStart(f"HOST={host} is not a name or address of this machine. Use 127.0.0.1 or 0.0.0.0.") from error
    except PermissionError as error:
        raise CannotStart(f"PORT={port} needs rights that this user lacks. Use one from 1024 up.") from error
    except OSError:
        return False
    return True


def wait_until(claim: Callable[[], bool], *, within_seconds: float) -> bool:
    """Poll every 50 ms until `claim()` holds; False when the time is over."""
    end = time.monotonic() + within_seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def read_pairs(file: Path) -> dict[str, str]:
    """KEY=value lines, empty when the file does not exist."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CannotStart(f"{file} cannot be read ({error.strerror}). Start as the user who owns it.") from error
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def write_pairs(file: Path, pairs: Mapping[str, str]) -> None:
    """Replace the file in one step, readable by its owner only: a full disk leaves the old one whole."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.writelines(f"{name}={value}\n" for name, value in pairs.items())
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise CannotStart(
            f"{file} cannot be written ({error.strerror}). What was stored before is unharmed. "
            "Free some space or rights there, then start again."
        ) from error
