from __future__ import annotations

import json

import pytest

from documents.manifest import manifest_of

A, B = "a" * 64, "b" * 64


@pytest.mark.parametrize(
    "text",
    [
        f"{A}  guide/a.md\n{B} *b.md\n",
        f"# made by the build\n\n{A}  ./guide/a.md\n{B}  b.md",
        json.dumps({"guide/a.md": A, "b.md": f"sha256:{B}"}),
        json.dumps({"files": {"guide/a.md": A, "b.md": B}}),
        json.dumps({"files": [{"path": "guide/a.md", "sha256": A}, {"path": "b.md", "hash": B.upper()}]}),
        json.dumps([{"path": "guide/a.md", "sha256": A}, {"path": "b.md", "sha256": B}]),
    ],
)
def test_every_form_of_a_manifest_says_the_same(text: str) -> None:
    assert manifest_of(text) == {"guide/a.md": bytes.fromhex(A), "b.md": bytes.fromhex(B)}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("words", "line 1"),
        (f"{A}  a.md\nwords", "line 2"),
        (f"{A}  ../a.md", "leads not out"),
        (f"{A}  /a.md", "leads not out"),
        (f"{A}  a.md\n{B}  a.md", "twice"),
        ('{"a.md": "abc"}', "no SHA-256"),
        ('{"a.md": 7}', "no SHA-256"),
        ("{", "no JSON"),
        ('{"files": 7}', "lists no files"),
        ('[{"path": "a.md"}]', "file 1"),
        (json.dumps({"": A}), "stands in the folder"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        manifest_of(text)


def test_an_empty_manifest_lists_nothing() -> None:
    assert manifest_of("") == {} and manifest_of("[]") == {}
