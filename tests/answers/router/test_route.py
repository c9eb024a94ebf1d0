"""Which endpoint answers: order, one more try, breakers that all processes share, budgets that degrade."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connections

from answers.models import Budget, ModelProvider, Spend
from answers.router import breaker, budget
from answers.router.route import NoModel, Reply, Route, Router, Void, routes
from answers.router.sealing import seal
from portal.model_env import ModelEndpoint
from portal.scope import Scope, principal
from tests.answers.conftest import Name
from tests.documents.ingest.conftest import Shelf
from tests.fakes.model_server import CutAfter, Gated, ModelServer, Says, Status

GOOD = Says.text("It is too hot [1].")


@pytest.fixture
def scope(shelf: Shelf) -> Scope:
    return shelf.cast.scope(shelf.cast.ada)


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def router(scope: Scope, waits: list[float]) -> Router:
    return Router(scope, chance=lambda: 0.5, pause=waits.append)


def write(router: Router) -> list[str | Void | Reply]:
    return list(router.write(lambda endpoint: [{"role": "user", "content": "Why?"}]))


def text(found: list[Any]) -> str:
    """What stands after the last void."""
    written = ""
    for item in found:
        written = "" if isinstance(item, Void) else written + item if isinstance(item, str) else written
    return written


def test_the_first_of_the_list_answers_and_is_booked(
    router: Router, scope: Scope, model: ModelServer, second: ModelServer, operator_names: Name
) -> None:
    operator_names(model, second, price_in_usd=2.0, price_out_usd=10.0)
    model.script(GOOD)

    found = write(router)

    reply = found[-1]
    assert isinstance(reply, Reply) and text(found) == "It is too hot [1]."
    assert (reply.tokens_in, reply.tokens_out, round(reply.cost_usd, 6)) == (100, 5, 0.00025)
    assert second.calls == []
    with principal(scope):
        row = Spend.objects.visible_to(scope).get()
    assert (row.provider, row.tokens_in, row.tokens_out, round(row.cost_usd, 6)) == ("model 1", 100, 5, 0.00025)


def test_a_busy_endpoint_is_asked_once_more_after_the_time_it_wished_for(
    router: Router, waits: list[float], model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.script(Status(429, retry_after="2"), GOOD)

    assert text(write(router)) == "It is too hot [1]."
    assert waits == [2.1] and len(model.calls) == 2


@pytest.mark.parametrize("act", [Status(401), Status(429, retry_after="600")])
def test_what_does_not_help_is_not_tried_again(
    router: Router, model: ModelServer, second: ModelServer, operator_names: Name, act: Status
) -> None:
    operator_names(model, second)
    model.script(act)
    second.script(GOOD)

    assert text(write(router)) == "It is too hot [1]."
    assert (len(model.calls), len(second.calls)) == (1, 1)


def test_a_text_cut_in_the_middle_is_void_and_written_anew(
    router: Router, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.script(CutAfter(("It is ", "far too ")), GOOD)

    found = write(router)

    assert [type(item) for item in found if not isinstance(item, str)] == [Void, Reply]
    assert text(found) == "It is too hot [1]."


def test_nobody_left_is_said_without_an_error(router: Router, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.script(Status(500), Status(500))

    with pytest.raises(NoModel) as nobody:
        write(router)

    assert nobody.value.note == "answers.model_down"


def test_no_provider_is_no_model(router: Router, settings: Any) -> None:
    settings.MODEL_ENDPOINTS = ()

    with pytest.raises(NoModel) as nobody:
        write(router)

    assert nobody.value.note == "answers.no_model"


# ---- the breaker


def end_the_pause(shelf: Shelf) -> None:
    shelf.rows("UPDATE answers_breaker SET open_until = now() - interval '1 second' RETURNING name")


def test_three_failures_open_the_breaker_and_a_probe_closes_it(
    router: Router, scope: Scope, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    [endpoint] = operator_names(model)
    name = Route(endpoint).breaker
    model.script(*[Status(500)] * 3)
    for _ in range(2):
        with pytest.raises(NoModel):
            write(router)
    assert (breaker.state(scope, name), len(model.calls)) == ("open", 3)

    with pytest.raises(NoModel):
        write(router)
    assert len(model.calls) == 3, "an open breaker lets nothing through"

    end_the_pause(shelf)
    assert breaker.state(scope, name) == "half-open"
    model.script(GOOD)
    assert text(write(router)) == "It is too hot [1]."
    assert breaker.state(scope, name) == "closed"


def test_a_failed_probe_opens_it_again_for_twice_as_long(
    router: Router, scope: Scope, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    [endpoint] = operator_names(model)
    name = Route(endpoint).breaker
    for _ in range(3):
        breaker.failed(scope, name, workspace_id=None)
    pauses = [shelf.rows("SELECT round(extract(epoch FROM open_until - clock_timestamp())) FROM answers_breaker")[0][0]]
    for _ in range(2):
        end_the_pause(shelf)
        model.script(Status(500))
        with pytest.raises(NoModel):
            write(router)
        pauses += shelf.rows("SELECT round(extract(epoch FROM open_until - clock_timestamp())) FROM answers_breaker")[0]

    assert [int(pause) for pause in pauses] == [30, 60, 120]
    assert len(model.calls) == 2, "a probe is one call, not two"


def test_only_one_probe_goes_at_a_time(scope: Scope, shelf: Shelf) -> None:
    for _ in range(3):
        breaker.failed(scope, "some endpoint", workspace_id=None)
    end_the_pause(shelf)

    assert [breaker.enter(scope, "some endpoint") for _ in range(3)] == [True, False, False]
    breaker.released(scope, "some endpoint")
    assert breaker.enter(scope, "some endpoint")


LOOK = """
import django, sys; django.setup()
from django.db import connections
connections["default"].settings_dict["NAME"] = sys.argv[1]
from answers.router import breaker
from portal.scope import Scope
scope = Scope(int(sys.argv[2]), int(sys.argv[3]))
print(breaker.state(scope, sys.argv[4]), breaker.enter(scope, sys.argv[4]))
"""


def test_another_process_sees_the_same_state(scope: Scope, shelf: Shelf) -> None:
    for _ in range(3):
        breaker.failed(scope, "shared", workspace_id=None)
    database = str(connections["default"].settings_dict["NAME"])

    def other_process() -> str:
        argv = [sys.executable, "-c", LOOK, database, str(scope.workspace_id), str(scope.user_id), "shared"]
        run = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=django_settings.BASE_DIR,
                             env=_environment())  # fmt: skip
        return run.stdout.split("\n")[-2]

    assert (breaker.state(scope, "shared"), other_process()) == ("open", "open False")
    end_the_pause(shelf)
    assert other_process() == "half-open True"
    assert not breaker.enter(scope, "shared"), "the other process holds the probe"
    breaker.succeeded(scope, "shared")
    assert other_process() == "closed True"


def _environment() -> dict[str, str]:
    from portal import env

    return {**env.inherited(), "DJANGO_SETTINGS_MODULE": "portal.settings"}


def test_a_workspaces_breaker_is_no_other_ones(shelf: Shelf) -> None:
    ada, cy = shelf.cast.scope(shelf.cast.ada), shelf.cast.scope(shelf.cast.cy)
    for _ in range(3):
        breaker.failed(ada, "ada's endpoint", workspace_id=ada.workspace_id)

    assert (breaker.state(ada, "ada's endpoint"), breaker.state(cy, "ada's endpoint")) == ("open", "closed")


# ---- being stopped


def test_a_stopped_answer_is_booked_and_blames_nobody(scope: Scope, model: ModelServer, operator_names: Name) -> None:
    [endpoint] = operator_names(model, idle_s=5.0)
    model.script(Gated(("It is ", "never sent")))
    heard: list[str] = []

    def stop() -> bool:
        return bool(heard)

    found: list[Any] = []
    for item in Router(scope, stop=stop).write(lambda _: [{"role": "user", "content": "Why?"}]):
        found.append(item)
        heard += [item] if isinstance(item, str) else []

    assert isinstance(found[-1], Reply) and found[-1].is_stopped and found[-1].tokens_out > 0
    assert breaker.state(scope, Route(endpoint).breaker) == "closed"


def test_leaving_the_generator_hangs_up(scope: Scope, model: ModelServer, operator_names: Name) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("one ", "two ", *["more "] * 200)))
    running: Iterator[Any] = Router(scope).write(lambda _: [{"role": "user", "content": "Why?"}])
    next(running)

    running.close()  # type: ignore[attr-defined]
    model.let_go(300)

    assert model.calls[0].hung_up.wait(3)


# ---- budgets


PURSES = {
    "no limit": ((99, 99, None, None), "full"),
    "little spent": ((1, 1, 10, 10), "full"),
    "most of the workspace's spent": ((8, 0, 10, None), "cheap"),
    "most of the member's spent": ((8, 8, 100, 9), "cheap"),
    "all spent": ((10, 1, 10, 10), "none"),
    "nothing allowed": ((0, 0, 0, None), "none"),
}


@pytest.mark.parametrize("name", PURSES)
def test_a_purse_has_its_level(name: str) -> None:
    amounts, level = PURSES[name]

    assert budget.Purse(*amounts).level == level


def test_a_cheaper_model_stands_in_when_most_is_spent() -> None:
    dear = ModelEndpoint("dear", "https://a.example/v1", "a", price_in_usd=5, price_out_usd=20)
    cheap = replace(dear, name="cheap", price_in_usd=0.1, price_out_usd=0.4)

    assert budget.affordable([dear, cheap], "full") == ((dear, cheap), "")
    assert budget.affordable([dear, cheap], "cheap") == ((cheap,), "answers.budget_cheaper")
    assert budget.affordable([cheap, dear], "cheap") == ((cheap,), "")
    assert budget.affordable([dear, cheap], "none") == ((), "answers.budget_spent")
    assert budget.affordable([], "none") == ((), "")


def test_a_spent_budget_asks_nobody(
    router: Router, scope: Scope, model: ModelServer, operator_names: Name, settings: Any
) -> None:
    [endpoint] = operator_names(model, price_out_usd=1_000_000.0)
    settings.BUDGET_WORKSPACE_USD = 4.0
    budget.book(scope, endpoint, 0, 5)

    with pytest.raises(NoModel) as nobody:
        write(router)

    assert (nobody.value.note, model.calls) == ("answers.budget_spent", [])


def test_a_workspaces_own_budget_goes_before_the_operators(scope: Scope, settings: Any) -> None:
    settings.BUDGET_WORKSPACE_USD, settings.BUDGET_MEMBER_USD = 4.0, 2.0
    with principal(scope):
        Budget.objects.create_for(scope, workspace_usd=50)

    purse = budget.purse_of(scope)

    assert (purse.workspace_limit_usd, purse.member_limit_usd) == (50, 2.0)


# ---- a workspace's own providers


def test_a_workspaces_providers_come_first_and_are_walled(
    scope: Scope, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    with principal(scope):
        for name, priority in (("later", 2), ("sooner", 1)):
            ModelProvider.objects.create_for(
                scope, name=name, base_url="https://models.example/v1", model="m", priority=priority,
                sealed_key=seal("sk-workspace"),
            )  # fmt: skip
        ModelProvider.objects.create_for(scope, name="off", base_url="https://x.example", model="m", is_enabled=False)

    found = routes(scope)

    assert [(route.endpoint.name, route.is_walled) for route in found] == [
        ("sooner", True),
        ("later", True),
        ("model 1", False),
    ]
    assert found[0].endpoint.key == "sk-workspace"
    assert "sk-workspace" not in repr(found)
    assert shelf.rows("SELECT count(*) FROM answers_modelprovider WHERE sealed_key LIKE '%%sk-workspace%%'") == [(0,)]
    assert [route.endpoint.name for route in routes(shelf.cast.scope(shelf.cast.cy))] == ["model 1"]


def test_a_workspaces_private_address_is_never_connected_to(
    router: Router, scope: Scope, model: ModelServer, settings: Any
) -> None:
    settings.MODEL_ENDPOINTS = ()
    with principal(scope):
        ModelProvider.objects.create_for(scope, name="inside", base_url=model.url, model="m")

    with pytest.raises(NoModel):
        write(router)
    assert model.calls == []

    settings.MODEL_PRIVATE_HOSTS = ("127.0.0.1",)
    model.script(GOOD)
    assert text(write(router)) == "It is too hot [1]."
