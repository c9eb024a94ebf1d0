"""Run in a cage in a reader's place: try what a hostile file would, and tell what was possible. See documents.cage.__main__."""

import json
import os
import socket
import threading
from collections.abc import Callable
from typing import IO

from documents.parsers.outcome import Refused
from documents.sandbox_wire import encode

output: IO[bytes] = globals()["output"]  # stands in the names that a reader's program is run with


def can(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


found = {
    "user": os.getuid(),
    "reads_files": can(lambda: os.close(os.open("/etc/passwd", os.O_RDONLY))),
    "reads_environment": can(lambda: os.close(os.open(f"/proc/{os.getppid()}/environ", os.O_RDONLY))),
    "opens_sockets": can(lambda: socket.socket().close()),
    "starts_programs": can(lambda: os._exit(9) if os.fork() == 0 else None),
    "threads": can(lambda: threading.Thread(target=int).start()),
}
output.write(encode(Refused("documents.walls", json.dumps(found))))
output.flush()
