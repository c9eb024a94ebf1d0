"""Which endpoint answers: in order of priority, past open breakers, within the budget, with one more try where it can help."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from answers.models import ModelProvider
from answers.router import breaker, budget
from answers.router.fault import ModelFault
from answers.router.said import End, Message, Stopped
from answers.router.sealing import unseal
from portal.events import Log
from portal.model_env import ModelEndpoint
from portal.scope import Scope, principal

log = Log("answers.router")
ATTEMPTS: Final = 2
LONGEST_S: Final = 150.0
"""All providers together; what is then not written is quoted."""


@dataclass(frozen=True, slots=True)
class Route:
    """An endpoint and who named it: `workspace_id` None is the operator, whose addresses are trusted."""

    endpoint: ModelEndpoint
    workspace_id: int | None = None

    @property
    def breaker(self) -> str:
        return breaker.name_of(self.endpoint, self.workspace_id)

    @property
    def is_walled(self) -> bool:
        if self.workspace_id is None:
            return False
        return _host(self.endpoint) not in settings.MODEL_PRIVATE_HOSTS


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of an answer that was written. Tokens are estimated from characters where the endpoint counted none."""

    endpoint: ModelEndpoint
    tokens_in: int
    tokens_out: int
    cost_usd: float
    is_capped: bool = False
    is_stopped: bool = False


class Void:
    """What was written so far is void: the endpoint broke off, and another one begins anew."""


@dataclass(frozen=True, slots=True)
class NoModel(Exception):
    """Nobody wrote. `note` is the code of the words for the asker."""

    note: str


Prompt = Callable[[ModelEndpoint], Sequence[Message]]
"""Builds the messages for one endpoint: its context bounds what they may hold."""


def routes(scope: Scope) -> tuple[Route, ...]:
    """The workspace's own providers in order of priority, then the operator's."""
    with principal(scope):
        rows = list(ModelProvider.objects.visible_to(scope).filter(is_enabled=True).order_by("priority", "id"))
    own = tuple(Route(_endpoint(row), scope.workspace_id) for row in rows)
    return own + tuple(Route(endpoint) for endpoint in settings.MODEL_ENDPOINTS)


def has_model(scope: Scope) -> bool:
    if settings.MODEL_ENDPOINTS:
        return True
    with principal(scope):
        return bool(ModelProvider.objects.visible_to(scope).filter(is_enabled=True).exists())


@dataclass(slots=True)
class Router:
    """Asks models for one person. `stop` is looked at all the while; time and chance are arguments for tests."""

    scope: Scope
    stop: Callable[[], bool] = lambda: False
    chance: Callable[[], float] = random.random
    pause: Callable[[float], None] = time.sleep

    def write(self, prompt: Prompt) -> Iterator[str | Void | Reply]:
        """Pieces, then exactly one Reply. Raises NoModel before or, after a Void, instead of the rest.

        A call that somebody stopped ends in a Reply as well: what was read and written is paid for and booked.
        """
        found = routes(self.scope)
        allowed, note = budget.affordable([r.endpoint for r in found], budget.purse_of(self.scope).level)
        if not allowed:
            raise NoModel(note or "answers.no_model")
        deadline = time.monotonic() + LONGEST_S
        for route in (r for r in found if r.endpoint in allowed):
            if time.monotonic() > deadline or not breaker.enter(self.scope, route.breaker):
                log.info("model.passed_over", provider=route.endpoint.name)
                continue
            if (yield from self._try(route, prompt)):
                return
        raise NoModel("answers.model_down")

    def _try(self, route: Route, prompt: Prompt) -> Generator[str | Void | Reply, None, bool]:
        """One endpoint, twice where that can help; returns whether it wrote."""
        for attempt in range(1, ATTEMPTS + 1):
            fault = yield from self._once(route, prompt(route.endpoint))
            if fault is None:
                return True
            wait_s = fault.wait_s(attempt, self.chance())
            opened = breaker.failed(self.scope, route.breaker, workspace_id=route.workspace_id)
            log.warning(
                "model.fault",
                provider=route.endpoint.name,
                reason=fault.reason,
                status=fault.status,
                attempt=attempt,
                breaker="open" if opened else "closed",
            )
            if wait_s is None or attempt == ATTEMPTS or opened:
                return False
            self.pause(wait_s)
        return False

    def _once(
        self, route: Route, messages: Sequence[Message]
    ) -> Generator[str | Void | Reply, None, ModelFault | None]:
        """One call; returns its fault, or None when it ended well or was stopped."""
        from answers.router import call  # loads the SDK, 17 MB

        written = 0
        fault: ModelFault | None = None
        end = End(is_capped=False)
        is_stopped = is_left = False
        try:
            for item in call.pieces(route.endpoint, messages, walled=route.is_walled, stop=self.stop):
                if isinstance(item, End):
                    end = item
                    break
                written += len(item)
                yield item
        except Stopped:
            is_stopped = True
        except ModelFault as trouble:
            fault = trouble
        except GeneratorExit:
            is_left = True
            raise
        finally:
            if is_left or is_stopped:
                breaker.released(self.scope, route.breaker)
            reply = self._book(
                route.endpoint, messages, written, end, is_stopped=is_stopped, is_empty=fault is not None
            )
        if fault is None:
            if not is_stopped:
                breaker.succeeded(self.scope, route.breaker)
            yield reply
            return None
        if written:
            yield Void()
        return fault

    def _book(
        self,
        endpoint: ModelEndpoint,
        messages: Sequence[Message],
        written: int,
        end: End,
        *,
        is_stopped: bool,
        is_empty: bool,
    ) -> Reply:
        tokens_in = end.tokens_in if end.tokens_in is not None else sum(tokens_of(m["content"]) for m in messages)
        tokens_out = end.tokens_out if end.tokens_out is not None else -(-written // 4)
        if is_empty and not written:
            return Reply(endpoint, 0, 0, 0.0)
        cost = budget.book(self.scope, endpoint, tokens_in, tokens_out)
        return Reply(endpoint, tokens_in, tokens_out, cost, end.is_capped, is_stopped)


def tokens_of(text: str) -> int:
    """An estimate from above for any script: a third of the UTF-8 bytes."""
    return len(text.encode("utf-8", "replace")) // 3 + 1


def _endpoint(row: ModelProvider) -> ModelEndpoint:
    return ModelEndpoint(
        row.name,
        row.base_url,
        row.model,
        unseal(bytes(row.sealed_key)),
        row.price_in_usd,
        row.price_out_usd,
        row.context_tokens,
        row.max_output_tokens,
        row.connect_s,
        row.first_s,
        row.idle_s,
        row.total_s,
    )


def _host(endpoint: ModelEndpoint) -> str:
    from urllib.parse import urlsplit

    return urlsplit(endpoint.base_url).hostname or ""
