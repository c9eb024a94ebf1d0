"""Whether OCR is installed here, and for which languages."""

from __future__ import annotations

import functools
import shutil
import subprocess

_MOST_LANGUAGES = 4
_NO_LANGUAGES = ("osd", "equ")


@functools.cache
def installed() -> dict[str, str] | None:
    """The program and the languages it reads ("eng+deu", English first), None when there is none."""
    program = shutil.which("tesseract")
    if program is None:
        return None
    try:
        told = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    names = [line for line in told.splitlines()[1:] if line.strip() and line not in _NO_LANGUAGES]
    languages = sorted(names, key=lambda name: (name != "eng", name))[:_MOST_LANGUAGES]
    return {"program": program, "languages": "+".join(languages)} if languages else None
