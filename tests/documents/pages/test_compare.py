"""What changed between two versions, on the page."""

from __future__ import annotations

from tests.conftest import Cast
from tests.documents.making import add_version, go_live, make_document, signed_in


def test_the_live_version_is_compared_with_the_one_before(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", passages=("Logs are kept for 90 days.",))
    second = add_version(document, passages=("Logs are kept for 30 days.",), number=2, body=b"two")
    go_live(document, second)
    client = signed_in(cast.dot)

    page = client.get(f"/documents/{document.ref}/")
    link = page.context["document"].compare_url
    shown = client.get(link)
    plain = client.get(f"/documents/{document.ref}/compare/")

    assert "What changed since the version before" in page.content.decode()
    comparison = shown.context["comparison"]
    assert comparison == plain.context["comparison"]
    changed = [span.text for line in comparison.hunks[0].lines for span in line.spans if span.is_changed]
    assert changed == ["90", "30"]
    assert "1 line went and 1 line came from version 1 to 2." in shown.content.decode()


def test_one_version_alone_has_nothing_to_compare(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.dot)

    page = client.get(f"/documents/{document.ref}/")
    shown = client.get(f"/documents/{document.ref}/compare/")

    assert page.context["document"].compare_url == ""
    assert "The texts of versions 1 and 1 are the same." in shown.content.decode()


def test_a_version_of_another_document_is_as_if_it_never_was(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    other = make_document(cast.private(cast.cy), "b.md", body=b"other").versions.using("owner").get()
    client = signed_in(cast.dot)

    hidden = client.get(f"/documents/{document.ref}/compare/?old={other.ref}")
    never = client.get(f"/documents/{document.ref}/compare/?old=nothing")

    assert (hidden.status_code, never.status_code) == (404, 404)
