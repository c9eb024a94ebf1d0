"""What models cost, and what is left of the month's budget. A budget degrades an answer; it never refuses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.conf import settings
from django.db import connections

from answers.models import Budget, Spend
from portal.model_env import ModelEndpoint
from portal.scope import Scope, principal

Level = Literal["full", "cheap", "none"]
CHEAP_FROM: Final = 0.8
"""From this share of a budget on only the cheapest provider is asked."""

CHEAPER_NOTE: Final = "answers.budget_cheaper"
SPENT_NOTE: Final = "answers.budget_spent"


@dataclass(frozen=True, slots=True)
class Purse:
    """Spent this month and allowed, in US dollars; an allowance of None has no end."""

    workspace_usd: float
    member_usd: float
    workspace_limit_usd: float | None
    member_limit_usd: float | None

    @property
    def level(self) -> Level:
        pairs = ((self.workspace_usd, self.workspace_limit_usd), (self.member_usd, self.member_limit_usd))
        shares = [1.0 if limit == 0 else spent / limit for spent, limit in pairs if limit is not None]
        worst = max(shares, default=0.0)
        return "none" if worst >= 1 else "cheap" if worst >= CHEAP_FROM else "full"


def purse_of(scope: Scope) -> Purse:
    """The workspace's own budget where it set one, else the operator's."""
    with principal(scope):
        own = Budget.objects.visible_to(scope).first()
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT workspace_usd, member_usd FROM footnote.spent_this_month()")
            workspace_usd, member_usd = cursor.fetchone()
    limits = (own.workspace_usd, own.member_usd) if own else (None, None)
    return Purse(
        workspace_usd,
        member_usd,
        settings.BUDGET_WORKSPACE_USD if limits[0] is None else limits[0],
        settings.BUDGET_MEMBER_USD if limits[1] is None else limits[1],
    )


def affordable(endpoints: Sequence[ModelEndpoint], level: Level) -> tuple[tuple[ModelEndpoint, ...], str]:
    """The endpoints that may be asked at this level, in their order, and the code of the note that says so."""
    if level == "none":
        return (), SPENT_NOTE if endpoints else ""
    if level == "full" or not endpoints:
        return tuple(endpoints), ""
    least = min(endpoint.price_usd for endpoint in endpoints)
    kept = tuple(endpoint for endpoint in endpoints if endpoint.price_usd <= least)
    return kept, CHEAPER_NOTE if kept[0] is not endpoints[0] else ""


def cost_usd(endpoint: ModelEndpoint, tokens_in: int, tokens_out: int) -> float:
    return (tokens_in * endpoint.price_in_usd + tokens_out * endpoint.price_out_usd) / 1e6


def book(scope: Scope, endpoint: ModelEndpoint, tokens_in: int, tokens_out: int) -> float:
    """Write a call down and return its cost in US dollars."""
    cost = cost_usd(endpoint, tokens_in, tokens_out)
    with principal(scope):
        Spend.objects.create_for(
            scope,
            provider=endpoint.name[:60],
            model=endpoint.model[:120],
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost_usd=cost,
        )
    return cost
