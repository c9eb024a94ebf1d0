"""P5 as a bar: each wall of tests/isolation/mutants.py taken away, and whether the proofs go red."""

from __future__ import annotations

import subprocess
import sys

from bench.inside import environment
from bench.registry import Bar, Bench, Figures, measures
from portal import env
from tests.isolation.mutants import MUTANTS

BEHAVIOUR = tuple(f"test_{proof}.py" for proof in ("context", "hostile", "sessions", "concurrency", "matrix"))
"""Without the catalogue's lint, which would name most mutants: behaviour has to show them."""


@measures(Bar("isolation_mutants", ">=", 12), Bar("isolation_mutants_alive", "=", 0), is_long=True)
def mutants(bench: Bench) -> Figures:
    """How many walls were taken away, and how many of them nothing missed."""
    if not _stays_green(bench, "", *BEHAVIOUR):
        raise RuntimeError("The proofs fail without a mutant: run tests/isolation.")
    alive = [name for name, mutant in MUTANTS.items() if _survives(bench, name, mutant.seen_by)]
    for name in alive:
        bench.note(f"alive: {name}")
    return {"isolation_mutants": len(MUTANTS), "isolation_mutants_alive": len(alive)}


def _survives(bench: Bench, name: str, seen_by: str) -> bool:
    return _stays_green(bench, name, seen_by) and _stays_green(bench, name, *BEHAVIOUR)


def _stays_green(bench: Bench, name: str, *proofs: str) -> bool:
    """Raises RuntimeError when pytest neither passed nor failed a test: then the mutant could not be made."""
    where = [f"tests/isolation/{proof}" for proof in proofs]
    suite = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "tests.isolation.mutants", "--mutant", name, *where]
    services = ["--throwaway", "--without", "embedder", "--without", "valkey"]
    beside = [sys.executable, "-m", "portal.supervisor", "exec", *services, "--", *suite]
    ran = subprocess.run(
        beside, cwd=env.ROOT, env=environment(bench.state / "mutants"), capture_output=True, text=True, check=False
    )
    if ran.returncode not in (0, 1) or " error" in ran.stdout.splitlines()[-1]:
        raise RuntimeError(f"{name or 'no mutant'}: {ran.stdout[-800:]}")
    return ran.returncode == 0
