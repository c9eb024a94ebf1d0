"""Numbers of a workbook as its reader sees them: dates as dates, percentages as percentages, the rest without noise."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from lxml import etree

_NUMBER_FORMAT = re.compile(r"\}numFmt$")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DATES = frozenset((*range(14, 18), 22, *range(27, 37), *range(50, 59)))
_TIMES = frozenset((18, 19, 20, 21, 45, 46, 47))
_PERCENTS = frozenset((9, 10))
_LAST_DAY = 2_958_466


@dataclass(frozen=True, slots=True)
class Formats:
    """What each style of a workbook makes of a number: "date", "time", "percent" or ""."""

    of_style: tuple[str, ...]
    epoch: dt.datetime

    def shown(self, raw: str, style: int) -> str:
        """The number as text; what is no number is returned as it is."""
        try:
            number = float(raw)
        except ValueError:
            return raw
        kind = self.of_style[style] if style < len(self.of_style) else ""
        if kind in ("date", "time") and 0 <= number < _LAST_DAY:
            return self._moment(number, kind)
        if kind == "percent":
            return f"{_plain(round(number * 100, 6))}%"
        return _plain(number) if abs(number) < 1e15 else raw

    def _moment(self, number: float, kind: str) -> str:
        moment = self.epoch + dt.timedelta(seconds=round(number * 86_400))
        if kind == "time" and number < 1:
            return f"{moment:%H:%M:%S}".removesuffix(":00")
        day = f"{moment:%Y-%m-%d}"
        return day if number == int(number) else f"{day} {moment:%H:%M:%S}".removesuffix(":00")


def _plain(number: float) -> str:
    """12.0 is 12, and 0.1 + 0.2 is 0.3: fifteen digits are what Excel itself keeps."""
    return f"{number:.15g}"


def formats_of(styles: etree._Element | None, uses_1904: bool) -> Formats:
    """Read a workbook's styles; without them every number is plain."""
    epoch = dt.datetime(1904, 1, 1) if uses_1904 else dt.datetime(1899, 12, 30)  # noqa: DTZ001 - a cell has no zone
    if styles is None:
        return Formats((), epoch)
    own = {
        one.get("numFmtId", ""): one.get("formatCode", "")
        for one in styles.iter()
        if _NUMBER_FORMAT.search(str(one.tag))
    }
    used = next((one for one in styles if str(one.tag).endswith("}cellXfs")), ())
    return Formats(tuple(_kind(one.get("numFmtId", "0"), own) for one in used), epoch)


def _kind(number: str, own: dict[str, str]) -> str:
    if number in own:
        code = _QUOTED.sub("", own[number].split(";")[0]).lower()
        if "y" in code or "d" in code:
            return "date"
        if "h" in code or "s" in code:
            return "time"
        return "percent" if "%" in code else ""
    known = int(number) if number.isdigit() else 0
    return "date" if known in _DATES else "time" if known in _TIMES else "percent" if known in _PERCENTS else ""
