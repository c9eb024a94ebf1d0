"""Tags: what is kept of what was typed, on the page and for programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents import lifecycle
from documents.models import Document
from documents.tags import LONGEST, MOST, read_tags
from portal.models import AuditEvent
from portal.problems import UserProblem
from portal.scope import principal
from tests.conftest import Cast
from tests.documents.api.conftest import ProgramFor, program  # noqa: F401
from tests.documents.making import make_document, signed_in

OWNER = "owner"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ([" HR ", "hr", "Ｈｒ", ""], ["hr"]),
        (["Zoo", "api  v2", "äpfel"], ["api v2", "zoo", "äpfel"]),
        (["人事", "İşlem"], ["i̇şlem", "人事"]),
        ([""], []),
        ([], []),
    ],
)
def test_a_tag_is_one_tag_however_it_was_typed(typed: list[str], kept: list[str]) -> None:
    assert read_tags(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [["a" * (LONGEST + 1)], ["!!"], ["a,b"], ["a\x00b"], ["a\u202eb"], [f"t{n}" for n in range(MOST + 1)]],
)
def test_what_is_no_tag_is_refused_whole(typed: list[str]) -> None:
    with pytest.raises(UserProblem, match=r"documents\.bad_tags"):
        read_tags(["good", *typed])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(max_size=45), max_size=25))
def test_what_is_kept_is_kept_again_alike(typed: list[str]) -> None:
    try:
        kept = read_tags(typed)
    except UserProblem:
        return
    assert read_tags(kept) == kept == sorted(set(kept))
    assert all(tag and len(tag) <= LONGEST and tag == " ".join(tag.split()) for tag in kept)


def of(document: Document) -> list[str]:
    return list(Document.objects.using(OWNER).get(pk=document.pk).tags)


def test_an_editor_tags_a_document_on_its_page_and_a_reader_only_reads_them(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    editor, reader = signed_in(cast.ada), signed_in(cast.dot)

    saved = editor.post(f"/documents/{document.ref}/tags/", {"tags": "Finance, HR ,finance"}, follow=True)
    refused = reader.post(f"/documents/{document.ref}/tags/", {"tags": "mine"})
    page = reader.get(f"/documents/{document.ref}/").content.decode()

    assert "The tags were saved." in saved.content.decode()
    assert of(document) == ["finance", "hr"]
    assert refused.status_code == 403
    assert 'href="/search/?tag=finance"' in page
    assert 'name="tags"' not in page
    assert AuditEvent.objects.using(OWNER).filter(object_ref=document.ref, detail={"changed": ["tags"]}).count() == 1


def test_bad_tags_are_said_and_change_nothing(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.ada)
    client.post(f"/documents/{document.ref}/tags/", {"tags": "kept"})

    said = client.post(
        f"/documents/{document.ref}/tags/", {"tags": "<script>alert(1)</script>, " + "x" * 41}, follow=True
    )

    assert "These tags cannot be kept." in said.content.decode()
    assert "<script>alert" not in said.content.decode()
    assert of(document) == ["kept"]


def test_the_database_holds_the_limit_too(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")

    with pytest.raises(IntegrityError):
        Document.objects.using(OWNER).filter(pk=document.pk).update(tags=[f"t{n}" for n in range(MOST + 1)])


def test_a_purge_takes_the_tags_along(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    Document.objects.using(OWNER).filter(pk=document.pk).update(tags=["secret project"])
    scope = cast.scope(cast.ada)

    with principal(scope):
        lifecycle.purge(scope, document)

    assert of(document) == []


def test_programs_set_read_and_filter_by_tags(cast: Cast, program: ProgramFor) -> None:  # noqa: F811
    document, other = (make_document(cast.shared(cast.north), name) for name in ("a.md", "b.md"))
    writes, reads = program(cast.ada, "read", "ingest"), program(cast.dot, "read")

    changed = writes.call("PATCH", f"/documents/{document.ref}/", {"tags": ["HR", "hr", "2026"]})
    left_alone = writes.call("PATCH", f"/documents/{document.ref}/", {"source_url": "https://example.org/"})
    refused = writes.call("PATCH", f"/documents/{document.ref}/", {"tags": ["!!"]})
    found: Any = reads.get("/documents/?tag=Hr").json()
    empty: Any = reads.get("/documents/?tag=nobodys").json()

    assert changed.json()["tags"] == left_alone.json()["tags"] == ["2026", "hr"]
    assert (refused.status_code, refused.json()["code"]) == (422, "documents.bad_tags")
    assert [(row["ref"], row["tags"]) for row in found["results"]] == [(document.ref, ["2026", "hr"])]
    assert empty["results"] == []
    assert of(other) == []
