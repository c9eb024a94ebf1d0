"""Switching off and on, moving, purging and the receipt, for programs."""

from __future__ import annotations

from documents.models import Document
from tests.conftest import Cast
from tests.documents.api.conftest import ProgramFor
from tests.documents.making import make_document

OWNER = "owner"


def test_a_document_is_switched_off_and_on(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    ben = program(cast.ben)

    off = ben.post(f"/documents/{document.ref}/disable/")
    on = ben.post(f"/documents/{document.ref}/enable/")

    assert off.status_code == on.status_code == 200
    assert off.json()["disabled_at"] is not None
    assert on.json()["disabled_at"] is None


def test_a_document_is_moved_to_a_collection_that_the_key_may_add_to(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    ben, own = program(cast.ben), cast.private(cast.ben)

    moved = ben.post(f"/documents/{document.ref}/move/", {"collection": own.ref})
    foreign = ben.post(f"/documents/{document.ref}/move/", {"collection": cast.private(cast.ada).ref})
    unnamed = ben.post(f"/documents/{document.ref}/move/", {})

    assert moved.json()["collection"] == own.ref
    assert (foreign.status_code, unnamed.status_code) == (404, 400)
    assert program(cast.ada).get(f"/documents/{document.ref}/").status_code == 404


def test_a_name_that_is_taken_is_a_problem_with_its_code(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    make_document(cast.private(cast.ben), "a.md", body=b"mine")

    answer = program(cast.ben).post(f"/documents/{document.ref}/move/", {"collection": cast.private(cast.ben).ref})

    assert (answer.status_code, answer.json()["code"]) == (409, "documents.name_taken")


def test_a_deletion_has_a_receipt_for_who_deleted(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    ben = program(cast.ben)
    before = ben.get(f"/documents/{document.ref}/receipt/").status_code

    ben.delete(f"/documents/{document.ref}/")
    receipt = ben.get(f"/documents/{document.ref}/receipt/")
    others = program(cast.dot).get(f"/documents/{document.ref}/receipt/").status_code

    assert (before, others) == (404, 404)
    body = receipt.json()
    assert (body["passages"], body["retrievable"], body["left_in_storage"]) == (1, 0, 1)
    assert body["by"] == "ben@example.org"


def test_a_purge_needs_the_scope_admin_and_tells_what_it_blanked(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")

    refused = program(cast.ben).post(f"/documents/{document.ref}/purge/")
    done = program(cast.ben, "admin").post(f"/documents/{document.ref}/purge/")
    again = program(cast.ben, "admin").post(f"/documents/{document.ref}/purge/")

    assert (refused.status_code, done.status_code, again.status_code) == (403, 200, 404)
    assert done.json() == {"citations": 0, "answers": 0, "traces": 0}
    assert Document.objects.using(OWNER).get(pk=document.pk).name == "(purged)"


def test_a_collections_coverage_is_told_to_who_sees_it(cast: Cast, program: ProgramFor) -> None:
    shared = cast.shared(cast.north)
    make_document(shared, "scan.pdf", page_count=10, unread_pages=4, skipped_count=1, suspect_count=2)

    seen = program(cast.dot, "read").get(f"/collections/{shared.ref}/coverage/")
    hidden = program(cast.cy).get(f"/collections/{shared.ref}/coverage/").status_code

    body = seen.json()
    assert (body["documents"], body["pages"], body["unread_pages"], body["skipped"], body["suspects"]) == (
        1,
        10,
        4,
        1,
        2,
    )
    assert (body["ref"], body["languages"]) == (shared.ref, [{"language": "en", "documents": 1}])
    assert hidden == 404


def test_a_collections_profile_is_read_and_changed_by_who_may_add_to_it(cast: Cast, program: ProgramFor) -> None:
    shared = cast.shared(cast.north)
    document = make_document(shared, "a.md")
    path = f"/collections/{shared.ref}/profile/"
    wanted = {"splitter": "window", "max_tokens": 100, "overlap_tokens": 10, "keeps_original": True}

    seen = program(cast.dot, "read").get(path).json()
    changed = program(cast.ben).call("PUT", path, wanted)
    wrong = program(cast.ben).call("PUT", path, {**wanted, "overlap_tokens": 100})
    reader = program(cast.dot).call("PUT", path, wanted)

    assert (seen["splitter"], seen["max_tokens"], seen["name"]) == ("structure", 250, shared.name)
    assert changed.json() == {"ref": shared.ref, "name": shared.name, "ranker": "", **wanted}
    assert (wrong.status_code, reader.status_code) == (400, 403)
    assert Document.objects.using(OWNER).get(pk=document.pk).state == "queued"
