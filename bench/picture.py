"""A table of search figures as an SVG picture that reads in light and in dark."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

WIDTH, ROW, LEFT, HALF = 860, 30, 190, 290
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.dim{fill:#59636e}.ours{fill:#0b6e4f}.theirs{fill:#8c959f}.late{opacity:.35}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.ours{fill:#3fb98a}.theirs{fill:#6e7681}}"
)


def drawn(found: Mapping[str, Mapping[str, float]], title: str) -> str:
    """A bar of nDCG@10 and one of CPU milliseconds (p50 full, p95 pale) for each "who, way", best quality first."""
    ordered = sorted(found.items(), key=lambda item: -item[1]["ndcg"])
    best = max(figures["ndcg"] for _, figures in ordered)
    slowest = max(figures["cpu_p95"] for _, figures in ordered)
    height = 60 + ROW * len(ordered)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}: quality and time</title>",
        f"<style>{STYLE}</style>",
        label(12, 24, title),
        label(LEFT, 24, "nDCG@10", "dim"),
        label(LEFT + HALF + 60, 24, "CPU milliseconds, p50 and p95", "dim"),
    ]
    for number, (name, figures) in enumerate(ordered):
        top = 40 + ROW * number
        kind = "ours" if name.startswith("Footnote") else "theirs"
        parts += [
            label(12, top + 15, name),
            bar(LEFT, top, HALF * figures["ndcg"] / best, kind),
            label(LEFT + HALF * figures["ndcg"] / best + 6, top + 15, f"{figures['ndcg']:.3f}", "dim"),
            bar(LEFT + HALF + 60, top, (HALF - 60) * figures["cpu_p95"] / slowest, f"{kind} late"),
            bar(LEFT + HALF + 60, top, (HALF - 60) * figures["cpu_p50"] / slowest, kind),
            label(
                LEFT + HALF + 66 + (HALF - 60) * figures["cpu_p95"] / slowest,
                top + 15,
                f"{figures['cpu_p50']:.0f} / {figures['cpu_p95']:.0f}",
                "dim",
            ),
        ]
    return "\n".join([*parts, "</svg>", ""])


def label(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}"' + (f' class="{kind}"' if kind else "") + f">{escape(text)}</text>"


def bar(x: float, y: float, width: float, kind: str) -> str:
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{max(width, 1):.0f}" height="20" class="{kind}"/>'
