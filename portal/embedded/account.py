"""Which system account the database server runs under: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from portal.embedded.state import CannotStart

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """A user to give a child to. `switch` is false when the child simply runs as who started it."""

    uid: int
    gid: int
    switch: bool

    def can_pass(self, path: Path) -> bool:
        """Whether this account may enter the directory or execute the file: asked of the kernel, as that account."""
        if not self.switch:
            return True
        ask = subprocess.run(
            ["/bin/sh", "-c", 'test -x "$1"', "sh", str(path)],
            user=self.uid,
            group=self.gid,
            extra_groups=[],
            cwd="/",
            check=False,
        )
        return ask.returncode == 0

    def give(self, path: Path) -> None:
        """Make this account the owner of a file or directory (nothing to do without a switch)."""
        if self.switch:
            os.chown(path, self.uid, self.gid)


def choose(data: Path) -> Account:
    """The account for a database whose files are under `data`: their owner, else the first candidate that exists."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switch=False)
    if data.exists() and (owner := data.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid, switch=True)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, switch=True)
    raise CannotStart(
        "PostgreSQL refuses to run as root, and this machine has neither a user postgres nor nobody. "
        "Start Footnote as an ordinary user, or name a database with DATABASE_URL."
    )
