"""Evaluation in the product: public sets imported as golden sets, run from the admin, give the figures of the benchmarks."""

from __future__ import annotations

import re
import secrets
from typing import Any

from bench import inside
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, Visitor, running, wait_until

SETS = ("scifact", "xquad/en", "squad2-open")
KILLS = 3
DONE_WITHIN_S = 7200.0


@measures(
    Bar("golden_scifact_apart", "<=", 0.002),
    Bar("golden_xquad_apart", "<=", 0.002),
    Bar("golden_squad_apart", "<=", 0.002),
    Bar("golden_squad_held", ">=", 0.80),
    is_long=True,
)
def golden_admin(bench: Bench) -> Figures:
    """Each set run by the admin's action over HTTP; how far its nDCG@10 lies from that of bench.search on the same index."""
    apart: dict[str, dict[str, float]] = {}
    with running(bench.kept("sets")) as stack:
        for name in SETS:
            seat = seated(bench, stack, name)
            run = started_in_admin(stack, seat)
            awaited(stack, run)
            apart[name] = inside.call(
                stack.state, "bench.inside_golden:outcome", run=run, folder=str(bench.data / "sets" / name)
            )
            bench.note(f"{name}: " + ", ".join(f"{n} {value:.4f}" for n, value in sorted(apart[name].items())))
    return {
        **{f"golden_{re.split('[/2]', name)[0]}_apart": found["ndcg_10_apart"] for name, found in apart.items()},
        "golden_squad_held": apart["squad2-open"]["held_of_answered"],
    }


@measures(Bar("golden_kill9_not_once", "=", 0), Bar("golden_kill9_apart", "=", 0), is_long=True, needs=("linux",))
def golden_kill9(bench: Bench) -> Figures:
    """SciFact's 300 questions while the worker is killed three times: each question once, and the figures of a run in peace."""
    with running(bench.kept("sets")) as stack:
        seat = seated(bench, stack, "scifact")
        calm, hit = (started_in_admin(stack, seat) for _ in range(2))
        awaited(stack, calm)
        back = [killed(stack, hit, share=(kill + 1) / (KILLS + 1)) for kill in range(KILLS)]
        awaited(stack, hit)
        found = inside.call(stack.state, "bench.inside_golden:beside_calm", calm=calm, hit=hit)
    bench.note(
        f"killed at {', '.join(f'{at} questions, back after {s:.0f} s' for at, s in back)}; {found['attempts']} attempts, "
        f"{found['results']} results of {found['questions']} questions"
    )
    not_once = abs(found["results"] - found["total"]) + abs(found["questions"] - found["total"])
    return {"golden_kill9_not_once": not_once, "golden_kill9_apart": found["apart"]}


@measures(
    Bar("golden_fault_p", "<", 0.05),
    Bar("golden_faults_called_worse", "=", 3),
    Bar("golden_fault_exits", "=", 5),
    Bar("golden_noop_called", "<=", 0.07),
    is_long=True,
)
def golden_faults(bench: Bench) -> Figures:
    """Planted regressions through `manage.py evaluate`: the highest p, how many are called worse, and the exit codes that turn."""
    found: dict[str, float] = inside.beside(
        bench.kept("sets"), "bench.inside_faults:planted", without=("valkey",), data=str(bench.data / "sets")
    )
    return found


@measures(Bar("golden_overhead", "<=", 0.40), is_long=True)
def golden_overhead(bench: Bench) -> Figures:
    """1,000 questions in a run against the same ones asked one by one in a shell."""
    found: dict[str, float] = inside.beside(
        bench.kept("sets"),
        "bench.inside_golden:overhead",
        without=("valkey",),
        folder=str(bench.data / "sets" / "squad2-open"),
    )
    bench.note(f"shell {found['shell_per_s']:.1f} questions/s, run {found['run_per_s']:.1f} questions/s")
    return {"golden_overhead": found["overhead"]}


def seated(bench: Bench, stack: Stack, name: str) -> dict[str, Any]:
    """The set's documents read and its questions imported; who may sign in to run it."""
    password = secrets.token_urlsafe(12)
    seat = inside.call(
        stack.state, "bench.inside_golden:seated", folder=str(bench.data / "sets" / name), password=password
    )
    return {**seat, "password": password}


def started_in_admin(stack: Stack, seat: dict[str, Any]) -> str:
    """Sign in, go to the set's workspace, tick the set in the admin's list, choose the action; the ref of the run it started."""
    staff = Visitor(stack, (seat["email"], seat["password"]))
    staff.post("/workspace/switch/", {"workspace": seat["workspace"]})
    answer = staff.post(
        "/admin/evaluation/goldenset/", {"action": "run_as_it_is_live", "_selected_action": str(seat["set"])}
    )
    page = staff.http.get(answer.headers.get("location", "/admin/evaluation/goldenset/")).text
    found = re.search(r'/evaluation/runs/([^/"]+)/', page)
    if answer.status_code != 302 or found is None:
        raise StackFailed(f"the admin's action gave {answer.status_code} and started nothing")
    return found[1]


def awaited(stack: Stack, run: str, *, beyond: int | None = None, within_s: float = DONE_WITHIN_S) -> int:
    """How many questions are done once they are more than `beyond`, or the run is over."""
    done: int = inside.call(stack.state, "bench.inside_golden:await_done", run=run, beyond=beyond, within_s=within_s)
    if done < 0:
        raise StackFailed(f"the run did not go on within {within_s:.0f} s\n{stack.last_lines()}")
    return done


def killed(stack: Stack, run: str, *, share: float) -> tuple[int, float]:
    """Kill the worker once this share of 300 is done; how many were done then, and the seconds until it went on."""
    at = awaited(stack, run, beyond=int(300 * share) - 40)
    wait_until(lambda: bool(stack.processes("worker")), 60, "a worker runs")
    for process in stack.processes("worker"):
        process.kill()
    at = awaited(stack, run, beyond=at - 1)
    return at, wait_until(lambda: awaited(stack, run, beyond=at, within_s=180) > at, 180, "the run goes on")
