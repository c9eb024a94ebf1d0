"""A run's report, as a program fetches it."""

from __future__ import annotations

import pytest

from tests.documents.api.conftest import ProgramFor, program  # noqa: F401  (fixture)
from tests.evaluation.conftest import Bench


@pytest.mark.parametrize(
    ("kind", "starts", "media"),
    [("md", "#", "text/markdown"), ("xml", "<?xml", "application/xml"), ("html", "<!doctype", "text/html")],
)
def test_a_report_comes_in_each_kind(
    bench: Bench,
    program: ProgramFor,  # noqa: F811
    kind: str,
    starts: str,
    media: str,
) -> None:
    run = bench.run()
    dot = program(bench.shelf.cast.dot, "read")

    report = dot.get(f"/runs/{run.ref}/report/?kind={kind}&baseline={run.ref}")
    wrong = [
        dot.get(f"/runs/{run.ref}/report/?{query}").status_code
        for query in ("kind=pdf", "fail_on=nonsense", f"baseline={'0' * 18}")
    ]

    assert (report.status_code, report.headers["Content-Type"]) == (200, f"{media}; charset=utf-8")
    assert report.content.decode().lower().lstrip().startswith(starts)
    assert wrong == [400, 422, 404]
