"""How the matrix's cases are written: what a request names of its target, and how one sees what it did."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

from django.urls import reverse

from answers.models import Citation, LiveAnswer, Question
from documents.models import Document, IngestJob, Version
from portal.models import ApiKey, Collection, Grant, Invitation, Membership, User
from tests.isolation.canaries import OWNER
from tests.isolation.matrix import Sent
from tests.isolation.targets import Target

PEOPLE = ("ada", "ben", "cy")
PAPERS = ("ada", "ben", "cy", "north", "south", "granted")
PLACES = ("north", "south")
ZEBRA = "=Is the zebra striped?"

Send = Callable[[Target, Target], Sent]


def get(route: str, *slots: str, **query: str) -> Send:
    """`slots` and values of `query` name attributes of the aimed target; a value that begins with = is meant as it is."""
    return lambda mine, aimed: Sent(
        "GET", reverse(route, args=[getattr(aimed, slot) for slot in slots]), query=filled(query, aimed)
    )


def post(route: str, *slots: str, **form: str) -> Send:
    return lambda mine, aimed: Sent(
        "POST", reverse(route, args=[getattr(aimed, slot) for slot in slots]), form=filled(form, aimed)
    )


def post_json(route: str, *slots: str, **fields: Any) -> Send:
    return lambda mine, aimed: Sent(
        "POST", reverse(route, args=[getattr(aimed, slot) for slot in slots]), body=filled(fields, aimed)
    )


def put_json(route: str, *slots: str, **fields: Any) -> Send:
    return lambda mine, aimed: Sent(
        "PUT", reverse(route, args=[getattr(aimed, slot) for slot in slots]), body=filled(fields, aimed)
    )


def delete(route: str, *slots: str) -> Send:
    return lambda mine, aimed: Sent("DELETE", reverse(route, args=[getattr(aimed, slot) for slot in slots]))


def own_then(route: str, slot: str, **query: str) -> Send:
    """The sender's own thing in the path, the aimed one in the query."""
    return lambda mine, aimed: Sent("GET", reverse(route, args=[getattr(mine, slot)]), query=filled(query, aimed))


def own_then_post(route: str, slot: str, **form: str) -> Send:
    """The sender's own thing in the path, the aimed one in the form."""
    return lambda mine, aimed: Sent(
        "POST", reverse(route, args=[getattr(mine, slot)]), form={k: str(v) for k, v in filled(form, aimed).items()}
    )


def upload(route: str, *slots: str, **form: str) -> Send:
    return lambda mine, aimed: Sent(
        "POST",
        reverse(route, args=[getattr(aimed, slot) for slot in slots]),
        form=filled(form, aimed),
        files={"file": (_upload_name(aimed), f"# New\n\nWords for {aimed.document_ref}.".encode())},
    )


def upload_archive(route: str, **form: str) -> Send:
    """As upload, the file in a zip archive."""

    def sent(mine: Target, aimed: Target) -> Sent:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(_upload_name(aimed), f"# New\n\nWords for {aimed.document_ref}.")
        return Sent("POST", reverse(route), form=filled(form, aimed), files={"file": ("a.zip", packed.getvalue())})

    return sent


def _upload_name(aimed: Target) -> str:
    return f"uploaded-{aimed.document_ref}.md"


def filled(values: dict[str, Any], aimed: Target) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, list):
            found[name] = [getattr(aimed, word) for word in value]
        elif isinstance(value, str):
            found[name] = value[1:] if value.startswith("=") else getattr(aimed, value)
        else:
            found[name] = value
    return found


def keyed(aimed: Target) -> bool:
    """A key for the aimed collection, under the aimed name."""
    made = ApiKey.objects.using(OWNER).filter(name=aimed.document_ref)
    return made.filter(collection_ids__contains=[aimed.collection_id]).exists()


def rotated(aimed: Target) -> bool:
    return ApiKey.objects.using(OWNER).get(ref=aimed.key_ref).replaced_at is not None


def revoked(aimed: Target) -> bool:
    return ApiKey.objects.using(OWNER).get(ref=aimed.key_ref).revoked_at is not None


def promoted(aimed: Target) -> bool:
    """Of a reader made for the case."""
    return Membership.objects.using(OWNER).filter(pk=aimed.fellow_id, role="editor").exists()


def invited(aimed: Target) -> bool:
    """Into the aimed workspace, under the aimed note."""
    made = Invitation.objects.using(OWNER).filter(note=aimed.document_ref)
    return made.filter(workspace__ref=aimed.workspace_ref).exists()


def called(aimed: Target) -> bool:
    return User.objects.using(OWNER).get(email=f"{aimed.owner}@example.org").name == aimed.document_ref


def shelved(aimed: Target) -> bool:
    """A collection under the aimed name in the aimed workspace, or the aimed one so named."""
    made = Collection.objects.using(OWNER).filter(name=aimed.document_ref)
    return made.filter(workspace__ref=aimed.workspace_ref).exists()


def unshelved(aimed: Target) -> bool:
    return not Collection.objects.using(OWNER).filter(ref=aimed.collection_ref).exists()


def let_in(aimed: Target) -> bool:
    fellow = Membership.objects.using(OWNER).filter(pk=aimed.fellow_id).first()
    rows = Grant.objects.using(OWNER).filter(collection__ref=aimed.collection_ref)
    return fellow is not None and rows.filter(user_id=fellow.user_id).exists()


def let_out(aimed: Target) -> bool:
    return not Grant.objects.using(OWNER).filter(pk=aimed.grant_id).exists()


def uninvited(aimed: Target) -> bool:
    return not Invitation.objects.using(OWNER).filter(ref=aimed.invitation_ref).exists()


def queued(aimed: Target) -> bool:
    return (
        IngestJob.objects.using(OWNER)
        .filter(document_id=aimed.document_id, state="queued")
        .exclude(pk=aimed.job_id)
        .exists()
    )


def cancelled(aimed: Target) -> bool:
    return IngestJob.objects.using(OWNER).get(pk=aimed.job_id).state == "cancelled"


def deleted(aimed: Target) -> bool:
    return Document.objects.using(OWNER).get(pk=aimed.document_id).deleted_at is not None


def disabled(aimed: Target) -> bool:
    return Document.objects.using(OWNER).get(pk=aimed.document_id).disabled_at is not None


def tagged(aimed: Target) -> bool:
    return Document.objects.using(OWNER).get(pk=aimed.document_id).tags == ["thief"]


def enabled(aimed: Target) -> bool:
    """Of a document that was made disabled."""
    return not disabled(aimed)


def purged(aimed: Target) -> bool:
    return Document.objects.using(OWNER).get(pk=aimed.document_id).purged_at is not None


def version_purged(aimed: Target) -> bool:
    return Version.objects.using(OWNER).get(pk=aimed.version_id).purged_at is not None


def own_post(route: str, slot: str, **form: str) -> Send:
    """The sender's own thing in the path, the aimed one in the form."""
    return lambda mine, aimed: Sent("POST", reverse(route, args=[getattr(mine, slot)]), form=filled(form, aimed))


def replaced(aimed: Target) -> bool:
    return Version.objects.using(OWNER).filter(document_id=aimed.document_id).count() == 2


def uploaded(aimed: Target) -> bool:
    return Document.objects.using(OWNER).filter(collection_id=aimed.collection_id, name=_upload_name(aimed)).exists()


def forgotten(aimed: Target) -> bool:
    return not Question.objects.using(OWNER).filter(ref=aimed.question_ref).exists()


def stopped(aimed: Target) -> bool:
    return LiveAnswer.objects.using(OWNER).get(ref=aimed.answer_ref).is_stopping


def quoted(aimed: Target) -> bool:
    """Beyond the citation that was planted with it."""
    planted = {"answer__ref": aimed.answer_ref}
    return Citation.objects.using(OWNER).filter(document_id=aimed.document_id).exclude(**planted).exists()
