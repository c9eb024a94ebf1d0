"""Subtitles (WebVTT and SubRip): what is said in a minute is a paragraph that begins with its time."""

from __future__ import annotations

import html
import re
from pathlib import Path

from documents.parsers.outcome import Limits, Refused
from documents.parsers.written import opened
from documents.text.section import Parsed

_TIMES = re.compile(r"^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s*-->\s*[\d:.,]+")
_SPEAKER = re.compile(r"<v(?:\.[\w.]+)?\s+([^>]+)>")
_MARKS = re.compile(r"<[^>]{0,200}>|\{\\[^}]*\}")
_PARAGRAPH_SECONDS = 60
_NO_CUE = ("NOTE", "STYLE", "REGION", "WEBVTT")


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read subtitles; numbers, styles and positions go, a speaker's name stays before the words."""
    found = opened(path, "subtitles", "subtitles", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    started: int | None = None
    held: list[str] = []
    cues = 0
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip().split("\n")
        at = next((index for index, line in enumerate(lines[:2]) if _TIMES.match(line)), None)
        if at is None:
            if lines[0] and not lines[0].startswith(_NO_CUE):
                held.append(_words(" ".join(lines)))
            continue
        cues += 1
        seconds = _seconds(lines[at])
        if started is None or seconds - started >= _PARAGRAPH_SECONDS or seconds < started:
            builder.prose(" ".join(held))
            started, held = seconds, [f"[{_clock(seconds)}]"]
        words = _words(" ".join(lines[at + 1 :]))
        if words and words != held[-1]:
            held.append(words)
    builder.prose(" ".join(held) if held and held != [f"[{_clock(started or 0)}]"] else "")
    if not cues:
        builder.warn("malformed")
    return builder.finish()


def _seconds(line: str) -> int:
    found = _TIMES.match(line)
    hours, minutes, seconds = found.groups() if found else ("0", "0", "0")
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _words(text: str) -> str:
    return " ".join(html.unescape(_MARKS.sub("", _SPEAKER.sub(r"\1: ", text))).split())
