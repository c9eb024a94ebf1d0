"""Every route's rule, from the files that declare them. A route without one fails the suite (test_matrix.py)."""

from __future__ import annotations

from tests.isolation import admin_routes, api_routes, evaluation_routes, page_routes

GROUPS = {
    "pages": page_routes.PAGES,
    "evaluation": evaluation_routes.EVALUATION,
    "api": api_routes.API,
    "admin": tuple(admin_routes.cases()),
}
CASES = [case for group in GROUPS.values() for case in group]
OPEN = page_routes.OPEN | evaluation_routes.OPEN | api_routes.OPEN | admin_routes.OPEN
