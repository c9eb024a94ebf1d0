from __future__ import annotations

from documents.text.fingerprint import content_fingerprint, numbered_fingerprints


def test_a_fingerprint_depends_on_key_and_text() -> None:
    assert content_fingerprint(b"k", "a") == content_fingerprint(b"k", "a")
    assert len({content_fingerprint(b"k", "a"), content_fingerprint(b"k", "b"), content_fingerprint(b"l", "a")}) == 3


def test_repeated_paragraphs_are_numbered_in_order() -> None:
    a, b = content_fingerprint(b"k", "a"), content_fingerprint(b"k", "b")

    assert numbered_fingerprints(b"k", ["a", "b", "a", "a"]) == [(a, 0), (b, 0), (a, 1), (a, 2)]
