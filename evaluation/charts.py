"""Pictures of figures as plain shapes for _chart.html: SVG without style or script, each with the table that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 30


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class Text:
    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`summary` is what a screen reader says instead of the picture; `head` and `rows` are the table beside it."""

    id: str
    title: str
    summary: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    rects: tuple[Rect, ...] = ()
    dots: tuple[Dot, ...] = ()
    line: str = ""
    rules: tuple[float, ...] = ()
    texts: tuple[Text, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def right(self) -> int:
        return self.width - RIGHT


def line_chart(
    name: str, title: str, points: Sequence[tuple[str, float]], *, head: tuple[str, str], most: float = 1.0
) -> Chart | None:
    """One line from left to right, 0 to `most`; None for fewer than two points."""
    if len(points) < 2:
        return None
    step = (WIDTH - LEFT - RIGHT) / (len(points) - 1)
    dots = tuple(
        Dot(round(LEFT + i * step, 1), _y(value, most), f"{label}: {value:.3f}")
        for i, (label, value) in enumerate(points)
    )
    first, last = points[0], points[-1]
    return Chart(
        name,
        title,
        f"{title}, from {first[1]:.3f} ({first[0]}) to {last[1]:.3f} ({last[0]}), {len(points)} points.",
        head,
        tuple((label, f"{value:.3f}") for label, value in points),
        dots=dots,
        line=" ".join(f"{dot.x},{dot.y}" for dot in dots),
        rules=tuple(_y(most * share, most) for share in (0, 0.5, 1)),
        texts=(
            *_scale(most),
            Text(LEFT, HEIGHT - 8, "start", first[0]),
            Text(WIDTH - RIGHT, HEIGHT - 8, "end", last[0]),
        ),
    )


def bar_chart(name: str, title: str, bars: Sequence[tuple[str, float, str]], *, head: tuple[str, ...]) -> Chart | None:
    """Upright bars of (label, height, how it is said); None when there is none to draw."""
    if not bars:
        return None
    most = max(value for _, value, _ in bars) or 1.0
    slot = (WIDTH - LEFT - RIGHT) / len(bars)
    rects = tuple(
        Rect(
            round(LEFT + i * slot + slot * 0.1, 1),
            _y(value, most),
            round(slot * 0.8, 1),
            round(_y(0, most) - _y(value, most), 1),
            f"{label}: {said}",
        )
        for i, (label, value, said) in enumerate(bars)
    )
    every = max(1, len(bars) // 8)
    labels = tuple(
        Text(round(LEFT + i * slot + slot / 2, 1), HEIGHT - 8, "middle", label)
        for i, (label, *_) in enumerate(bars)
        if i % every == 0
    )
    highest = max(bars, key=lambda bar: bar[1])
    return Chart(
        name,
        title,
        f"{title}: {len(bars)} bars, the highest at {highest[0]} with {highest[2]}.",
        head,
        tuple((label, said) for label, _, said in bars),
        rects=rects,
        rules=tuple(_y(most * share, most) for share in (0, 0.5, 1)),
        texts=(*_scale(most), *labels),
    )


def rows_chart(name: str, title: str, rows: Sequence[tuple[str, float, str]], *, head: tuple[str, ...]) -> Chart | None:
    """Lying bars between 0 and 1, a line each; None for no row."""
    if not rows:
        return None
    line, start = 26, 170
    room = WIDTH - start - 70
    rects = tuple(
        Rect(start, i * line + 6, round(max(value, 0) * room, 1), 14, f"{label}: {said}")
        for i, (label, value, said) in enumerate(rows)
    )
    names = tuple(Text(start - 8, i * line + 17, "end", label[:24]) for i, (label, *_) in enumerate(rows))
    values = tuple(
        Text(round(start + max(value, 0) * room + 6, 1), i * line + 17, "start", said)
        for i, (_, value, said) in enumerate(rows)
    )
    return Chart(
        name,
        title,
        f"{title}: " + ", ".join(f"{label} {said}" for label, _, said in rows[:12]) + ".",
        head,
        tuple((label, said) for label, _, said in rows),
        rects=rects,
        texts=(*names, *values),
        height=len(rows) * line + 8,
    )


def histogram(values: Sequence[float], *, bins: int = 16, digits: int = 0) -> list[tuple[str, float, str]]:
    """(up to, how many, said) of equal steps from 0; the last takes what is above the 99th percentile."""
    if not values:
        return []
    ordered = sorted(values)
    top = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] or 1.0
    counts = [0] * bins
    for value in ordered:
        counts[min(bins - 1, int(value / top * bins))] += 1
    return [(f"{top * (i + 1) / bins:.{digits}f}", float(count), f"{count}") for i, count in enumerate(counts)]


def _upright(i: int, slot: float, label: str, value: float, said: str, most: float) -> Rect:
    top = _y(value, most)
    return Rect(
        round(LEFT + i * slot + slot * 0.1, 1),
        top,
        round(slot * 0.8, 1),
        round(_y(0, most) - top, 1),
        f"{label}: {said}",
    )


def _y(value: float, most: float) -> float:
    return round(TOP + (1 - min(max(value / most, 0.0), 1.0)) * (HEIGHT - TOP - BOTTOM), 1)


def _scale(most: float) -> tuple[Text, ...]:
    return tuple(Text(LEFT - 6, _y(most * share, most) + 4, "end", f"{most * share:.4g}") for share in (0, 0.5, 1))
