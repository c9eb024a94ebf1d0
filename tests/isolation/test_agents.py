"""P1 for agents: every state of a credential against every tool, over the address that they share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from answers.agents.tools import TOOLS
from tests.isolation import agent_routes
from tests.isolation.canaries import foreign_canaries
from tests.isolation.matrix import Answer, Case, Credential, Sent, ask_as
from tests.isolation.planted import World
from tests.isolation.targets import target_of
from tests.isolation.test_matrix import Walk, embedder, keys, world

__all__ = ["embedder", "world"]
SPEAKS = {"Accept": "application/json, text/event-stream"}


class ToolWalk(Walk):
    """A tool's problem is told inside a 200: for the matrix its status is the problem's."""

    def _ask(self, credential: Credential, sent: Sent, case: Case, *, htmx: bool) -> Answer:
        self.count.requests += 1
        return as_told(ask_as(replace(credential, headers=SPEAKS), sent))


def as_told(answer: Answer) -> Answer:
    if answer.status != 200:
        return answer
    result = json.loads(answer.raw.partition("\n")[2].lstrip("\n")).get("result", {})
    problem = result["structuredContent"] if result.get("isError") else {}
    fence = result["content"][-1]["text"].partition("\n")[0] if result.get("content") else ""
    mark = fence.strip("-").rpartition("-")[2]
    text = answer.text.replace(mark, "MARK") if mark else answer.text
    return replace(answer, status=problem.get("status", 200), text=text)


def test_every_tool_has_a_case_and_every_case_a_tool() -> None:
    tried = {case.route.removeprefix("mcp ") for case in agent_routes.AGENTS}

    assert tried == set(TOOLS)
    assert all(case.needs == TOOLS[case.route.removeprefix("mcp ")].needs for case in agent_routes.AGENTS)


def test_no_key_reaches_through_a_tool_what_is_not_its_own(
    world: World, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    walk = ToolWalk(world)

    for case in agent_routes.AGENTS:
        walk.case(case)

    with capsys.disabled():
        sys.stdout.write(
            f"\nP1 agents: {walk.count.cells} cells, {walk.count.requests} requests, {len(walk.count.leaks)} leaks\n"
        )
    record_property("p1_leaks", len(walk.count.leaks))
    record_property("p1_cells", walk.count.cells)
    assert walk.count.leaks == []
    assert walk.count.differences == []
    assert walk.count.blind == []
    assert walk.count.cells >= 300


def test_no_other_method_of_the_address_tells_anything(world: World) -> None:
    target, wrong = target_of(world, "cy"), []
    for credential in keys(world, "read"):
        for path in ("/mcp/", f"/mcp?document={target.document_ref}"):
            for method in ("GET", "HEAD", "OPTIONS", "DELETE"):
                answer = ask_as(replace(credential, headers=SPEAKS), Sent(method, path))
                expected = 401 if credential.who == "nobody" else 405
                if answer.status != expected or foreign_canaries(answer.raw, "nobody"):
                    wrong.append(f"{method} {path} by {credential.name}: {answer.status}")
    assert wrong == []
