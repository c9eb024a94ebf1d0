"""How the code reads, in figures: `make style`. CONTRIBUTING.md says what they should be.

Lines are physical, from `def` to the last statement, blank ones and docstrings included. Migrations are
left out: Django writes them.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ("portal", "documents", "retrieval", "answers", "evaluation", "bench", "tests")
BROAD = {"Exception", "BaseException"}


@dataclass(slots=True)
class Tally:
    """What is counted of a set of modules."""

    functions: list[int] = field(default_factory=list)
    modules: list[tuple[int, str]] = field(default_factory=list)
    broad_excepts: int = 0

    def add(self, other: Tally) -> None:
        self.functions += other.functions
        self.modules += other.modules
        self.broad_excepts += other.broad_excepts

    @property
    def lines(self) -> int:
        return sum(lines for lines, _ in self.modules)


def count(source: str, name: str) -> Tally:
    """The figures of one module."""
    tree = ast.parse(source)
    tally = Tally(modules=[(len(source.splitlines()), name)])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            tally.functions.append((node.end_lineno or node.lineno) - node.lineno + 1)
        elif isinstance(node, ast.ExceptHandler) and is_broad(node.type):
            tally.broad_excepts += 1
    return tally


def is_broad(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in BROAD for name in names)


def percentile(values: list[int], share: float) -> int:
    """The smallest value that at least `share` of the values do not exceed; 0 for none."""
    return sorted(values)[max(0, -(-len(values) * int(share * 100) // 100) - 1)] if values else 0


def python_files() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for line in listed.stdout.splitlines():
        path = Path(line)
        if path.parts[0] in APPS and "migrations" not in path.parts and (ROOT / path).exists():
            yield path


def line(name: str, tally: Tally) -> str:
    longest, module = max(tally.modules, default=(0, "-"))
    median = int(statistics.median(tally.functions)) if tally.functions else 0
    return (
        f"{name:<11}{tally.lines:>7}{len(tally.functions):>7}{median:>8}{percentile(tally.functions, 0.9):>6}"
        f"{max(tally.functions, default=0):>6}{longest:>8}{tally.broad_excepts:>7}  {module}"
    )


def main() -> None:
    apps: dict[str, Tally] = {app: Tally() for app in APPS}
    for path in python_files():
        apps[path.parts[0]].add(count((ROOT / path).read_text(encoding="utf-8"), str(path)))
    source = Tally()
    sys.stdout.write("app          lines  funcs  median   p90   max  module  broad  longest module\n")
    for app, tally in apps.items():
        if app != "tests":
            source.add(tally)
        sys.stdout.write(line(app, tally) + "\n")
    sys.stdout.write(line("source", source) + "\n")
    ratio = apps["tests"].lines / source.lines if source.lines else 0.0
    broad = source.broad_excepts * 1000 / source.lines if source.lines else 0.0
    sys.stdout.write(f"tests / source {ratio:.2f}   broad excepts per 1000 lines {broad:.2f}\n")


if __name__ == "__main__":
    main()
