"""The circuit breaker of an endpoint, one state for all processes (the table answers_breaker).

Closed: calls go through. Three failures in a row open it for 30 s, doubled with every further opening up to 5 minutes.
Half-open, once the pause is over: one process at a time sends one call as a probe; its success closes the breaker, its
failure opens it again. A probe that is never reported is void after PROBE_S.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal

from django.db import connections

from portal.model_env import ModelEndpoint
from portal.scope import Scope, principal

State = Literal["closed", "open", "half-open"]
FAILURES: Final = 3
FIRST_PAUSE_S: Final = 30
LONGEST_PAUSE_S: Final = 300
PROBE_S: Final = 120

LOOK: Final = """
SELECT failures >= %s, open_until > clock_timestamp(), coalesce(probing_until > clock_timestamp(), false)
FROM answers_breaker WHERE name = %s
"""
CLAIM: Final = """
UPDATE answers_breaker SET probing_until = clock_timestamp() + make_interval(secs => %s)
WHERE name = %s AND open_until <= clock_timestamp()
  AND (probing_until IS NULL OR probing_until <= clock_timestamp()) RETURNING 1
"""
CLOSE: Final = """
UPDATE answers_breaker SET failures = 0, trips = 0, open_until = NULL, probing_until = NULL
WHERE name = %s AND (failures > 0 OR trips > 0)
"""
FAIL: Final = """
INSERT INTO answers_breaker AS b (name, workspace_id, failures, trips) VALUES (%s, %s, 1, 0)
ON CONFLICT (name) DO UPDATE SET
    failures = least(b.failures + 1, 1000),
    trips = CASE WHEN b.failures + 1 >= %s THEN least(b.trips + 1, 100) ELSE b.trips END,
    open_until = CASE WHEN b.failures + 1 >= %s
        THEN clock_timestamp() + make_interval(secs => least(%s, %s * 2 ^ least(b.trips, 10))) END,
    probing_until = NULL
RETURNING trips
"""


def name_of(endpoint: ModelEndpoint, workspace_id: int | None) -> str:
    """What the state is kept under: the endpoint and model, of a workspace or of the operator. Holds no key."""
    digest = hashlib.sha256(f"{workspace_id}\n{endpoint.base_url}\n{endpoint.model}".encode()).hexdigest()
    return digest[:32]


def state(scope: Scope, name: str) -> State:
    with principal(scope), connections["default"].cursor() as cursor:
        cursor.execute(LOOK, [FAILURES, name])
        row = cursor.fetchone()
    if row is None or not row[0]:
        return "closed"
    return "open" if row[1] or row[2] else "half-open"


def enter(scope: Scope, name: str) -> bool:
    """True when a call may be sent now. In the half-open state that makes this call the probe: report its end."""
    found = state(scope, name)
    if found != "half-open":
        return found == "closed"
    with principal(scope), connections["default"].cursor() as cursor:
        cursor.execute(CLAIM, [PROBE_S, name])
        return cursor.fetchone() is not None


def succeeded(scope: Scope, name: str) -> None:
    with principal(scope), connections["default"].cursor() as cursor:
        cursor.execute(CLOSE, [name])


def failed(scope: Scope, name: str, *, workspace_id: int | None) -> bool:
    """True when this failure opened the breaker."""
    with principal(scope), connections["default"].cursor() as cursor:
        cursor.execute(FAIL, [name, workspace_id, FAILURES, FAILURES, LONGEST_PAUSE_S, FIRST_PAUSE_S])
        return bool(cursor.fetchone()[0])


def released(scope: Scope, name: str) -> None:
    """A probe that ended without a verdict: somebody stopped it."""
    with principal(scope), connections["default"].cursor() as cursor:
        cursor.execute("UPDATE answers_breaker SET probing_until = NULL WHERE name = %s", [name])
