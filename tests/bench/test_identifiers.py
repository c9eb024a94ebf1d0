"""How the questions for exact names are chosen."""

from __future__ import annotations

import pytest

from bench.inside_identifiers import KINDS, questions


def test_kinds_take_turns_and_the_choice_is_the_same_every_time() -> None:
    names = {"code": [("E1", 1), ("E2", 2), ("E3", 3)], "path": [("a/b", 4)]}

    chosen = questions(names, 3)

    assert [kind for kind, _, _ in chosen] == ["code", "path", "code"]
    assert chosen == questions({kind: list(reversed(rows)) for kind, rows in names.items()}, 3)
    assert len(questions(names, 99)) == 4


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("E4304", "code"),
        ("CVE-2019-14235", "code"),
        ("DATA_UPLOAD_MAX_MEMORY_SIZE", "setting"),
        ("/v1/charges", "path"),
        ("2.0.10", "version"),
        ("createCheckoutSession", "function"),
        ("select_related()", "function"),
        ("word", ""),
    ],
)
def test_a_name_is_of_the_first_kind_that_it_has_the_form_of(name: str, kind: str) -> None:
    assert next((one for one, pattern in KINDS.items() if pattern.fullmatch(name)), "") == kind
