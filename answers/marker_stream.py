"""A model's text on its way to the reader, with the markers as they may be shown: `[n]`, of passages that were sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from answers.prompt import NOT_FOUND
from answers.rules.markers import clean

_OPEN: Final = re.compile(r"(?:\*\*|__|\*|_)?[\[［【][^\]］】]{0,40}$|(?:\*\*|__|\*|_|`+|[ \t]+)$")
"""What may still become a marker, or the space before one that will be removed."""

_OPENER: Final = {"]": "[", "］": "［", "】": "【"}
_LOOSE: Final = " \t*_"


class MarkerStream:
    """Feed pieces, get what may be shown of them. Held back is only what could still turn into a marker, or into NOT FOUND."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._passages = passages
        self._raw = ""
        self._shown = ""

    @property
    def raw(self) -> str:
        return self._raw

    def feed(self, piece: str) -> str:
        self._raw += piece
        if NOT_FOUND.startswith(self._raw.strip()) or is_not_found(self._raw):
            return ""
        held = _OPEN.search(self._raw)
        # A word character after a bracket tells a marker from a link or an index: wait for what follows it.
        sure = self._raw[: held.start() if held else len(self._raw)].rstrip(_LOOSE)
        if sure.endswith(tuple(_OPENER)):
            sure = sure[: max(sure.rfind(_OPENER[sure[-1]]), 0)].rstrip(_LOOSE)
        return self._show(sure)

    def end(self) -> str:
        """What was held back and is no part of anything."""
        return "" if is_not_found(self._raw) else self._show(self._raw)

    def _show(self, raw: str) -> str:
        text, _ = clean(raw, self._passages)
        if not text.startswith(self._shown):
            return ""
        fresh = text[len(self._shown) :]
        self._shown = text
        return fresh


def is_not_found(text: str) -> bool:
    """The model holds that the passages do not answer."""
    return text.strip(" \t\n.*_\"'“”").upper().startswith(NOT_FOUND)
