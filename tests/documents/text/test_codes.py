"""Numbers that name one thing by the word before them, in several languages; other numbers do not."""

from __future__ import annotations

import pytest

from documents.text.codes import named_in


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does the status code 422 mean?", ("422",)),
        ("Why do I get HTTP 404?", ("404",)),
        ("error 1045 and error 1045", ("1045",)),
        ("Was bedeutet Fehler 1045?", ("1045",)),
        ("¿Qué significa el código de error 503?", ("503",)),
        ("错误码 10061 是什么意思？", ("10061",)),
        ("エラーコード500とは", ("500",)),
        ("E4304 or exit code 137?", ("e4304", "137")),
        ("What was the revenue in 2022?", ()),
        ("How many codes are in 300 files?", ()),
        ("Which error rate is above 0.500?", ()),
        ("error 12 in 500 requests", ()),
        ("response time of 200.5 ms", ()),
    ],
)
def test_a_code_names_one_thing(question: str, names: tuple[str, ...]) -> None:
    assert named_in(question) == names
