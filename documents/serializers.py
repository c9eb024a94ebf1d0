"""Collections, documents, versions and chunks as programs get them, and what they may send."""

from __future__ import annotations

from typing import Any

from django.core.validators import URLValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from documents.linked import links_of_chunk
from documents.models import Document, IngestJob, WebImport
from documents.tags import LONGEST, MOST
from documents.text.section import ENTRY_KINDS
from documents.upload import Accepted, Outcome
from portal.models import Collection
from portal.problems import words_for

NAME_MAX = 255


class LanguageSerializer(serializers.Serializer[Any]):
    language = serializers.CharField()
    documents = serializers.IntegerField()


class CoverageSerializer(serializers.Serializer[Any]):
    """How much of a collection was read: sums over its documents' live versions."""

    ref = serializers.CharField()
    name = serializers.CharField()
    documents = serializers.IntegerField()
    unread_documents = serializers.IntegerField(help_text="Nothing of these was read yet.")
    disabled = serializers.IntegerField()
    pages = serializers.IntegerField(help_text="Of formats that have pages.")
    unread_pages = serializers.IntegerField(help_text="Pages on which no text was found.")
    skipped = serializers.IntegerField(help_text="Parts that were seen and not read.")
    tables = serializers.IntegerField()
    hidden_characters = serializers.IntegerField(help_text="Left out, since no reader sees them.")
    suspects = serializers.IntegerField(help_text="Places that read like orders to a program; never obeyed.")
    languages = serializers.SerializerMethodField()

    @extend_schema_field(LanguageSerializer(many=True))
    def get_languages(self, coverage: Any) -> list[dict[str, Any]]:
        return [{"language": language, "documents": count} for language, count in coverage["languages"]]


class CollectionSerializer(serializers.Serializer[Collection]):
    ref = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(Collection.Kind.choices)
    created_at = serializers.DateTimeField()
    may_edit = serializers.SerializerMethodField(help_text="Whether this key's owner may add documents to it.")

    def get_may_edit(self, collection: Collection) -> bool:
        return collection.pk in self.context["scope"].writable_ids


class NewCollectionSerializer(serializers.Serializer[Any]):
    """`shared` is for everyone in the workspace, `granted` for members that its owner names."""

    name = serializers.CharField(max_length=120)
    kind = serializers.ChoiceField([(Collection.Kind.SHARED, "shared"), (Collection.Kind.GRANTED, "granted")])


class ChangedCollectionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)


class ReasonSerializer(serializers.Serializer[Any]):
    """Why a document needs attention, or what it still waits for."""

    code = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    advice = serializers.CharField(allow_blank=True)


class DocumentSerializer(serializers.Serializer[Document]):
    """`version` is the number of the live one, null until a version was read; `vectors` of `chunks` are made."""

    ref = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    kind = serializers.CharField()
    collection = serializers.CharField(source="collection.ref")
    source_url = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(Document.State.choices)
    reason = serializers.SerializerMethodField()
    version = serializers.IntegerField(source="live_version.number", allow_null=True)
    chunks = serializers.IntegerField(source="chunk_count")
    vectors = serializers.IntegerField(source="vector_count")
    pages = serializers.IntegerField(source="page_count", allow_null=True)
    unread_pages = serializers.IntegerField()
    skipped_parts = serializers.IntegerField(
        source="skipped_count", help_text="Seen and not read; the report says why."
    )
    tables = serializers.IntegerField(source="table_count")
    hidden_characters = serializers.IntegerField()
    suspects = serializers.IntegerField(source="suspect_count", help_text="Places that read like orders to a program.")
    tags = serializers.ListField(child=serializers.CharField(), help_text="In small letters and alphabetical order.")
    disabled_at = serializers.DateTimeField(allow_null=True, help_text="Set while no question is answered from it.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_reason(self, document: Document) -> dict[str, str] | None:
        if not document.problem:
            return None
        words = words_for(document.problem)
        return {
            "code": document.problem,
            "title": words.title,
            "detail": document.problem_detail,
            "advice": words.advice,
        }


class JobSerializer(serializers.Serializer[IngestJob]):
    ref = serializers.CharField()
    kind = serializers.ChoiceField(IngestJob.Kind.choices)
    state = serializers.ChoiceField(IngestJob.State.choices)
    attempt = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class JobOfDocumentSerializer(JobSerializer):
    """A job with what it works on."""

    document = serializers.CharField(source="document.ref")
    document_name = serializers.CharField(source="document.name")
    stage = serializers.CharField(allow_blank=True)
    problem = serializers.CharField(allow_blank=True, help_text="A stable code, blank while nothing is wrong.")


class DocumentStateSerializer(DocumentSerializer):
    """A document with the newest work on it."""

    job = serializers.SerializerMethodField()

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, document: Document) -> dict[str, Any] | None:
        newest = IngestJob.objects.visible_to(self.context["scope"]).filter(document=document).order_by("-id").first()
        return None if newest is None else dict(JobSerializer(newest).data)


class WebImportSerializer(serializers.Serializer[WebImport]):
    """An address on its way in. `document` is the ref once it is there; `counts` is of an archive's files, by outcome."""

    ref = serializers.CharField()
    url = serializers.CharField()
    collection = serializers.CharField(source="collection.ref")
    path = serializers.CharField(source="name", allow_blank=True)
    state = serializers.ChoiceField(WebImport.State.choices)
    outcome = serializers.ChoiceField(WebImport.Outcome.choices, allow_blank=True)
    document = serializers.CharField(source="document_ref", allow_blank=True)
    counts = serializers.DictField(child=serializers.IntegerField())
    reason = serializers.SerializerMethodField()
    attempts = serializers.IntegerField(source="attempt")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_reason(self, row: WebImport) -> dict[str, str] | None:
        words = words_for(row.problem)
        told = {"code": row.problem, "title": words.title, "detail": row.problem_detail, "advice": words.advice}
        return told if row.problem else None


class TakenSerializer(serializers.Serializer[Any]):
    """What became of a file: a new version, or the newest version's own bytes again. Of a `url` that it is fetched (`import`)."""

    outcome = serializers.ChoiceField(("accepted", "duplicate", "fetching"))
    version = serializers.IntegerField(allow_null=True, help_text="The new version's number; null for a duplicate.")
    document = DocumentStateSerializer(allow_null=True)

    @classmethod
    def of(cls, outcome: Outcome, document: Document, context: dict[str, Any]) -> dict[str, Any]:
        is_new = isinstance(outcome, Accepted)
        return {
            "outcome": "accepted" if is_new else "duplicate",
            "version": outcome.number if isinstance(outcome, Accepted) else None,
            "document": DocumentStateSerializer(document, context=context).data,
            "import": None,
        }

    def get_fields(self) -> dict[str, Any]:
        """`import` is a word of Python's."""
        return {**super().get_fields(), "import": WebImportSerializer(allow_null=True, help_text="Of a `url` alone.")}


class NewDocumentSerializer(serializers.Serializer[Any]):
    """A `file`, or the `url` of one. `path` tells files of one name in several folders apart; without `collection` it goes to My
    documents.
    """

    file = serializers.FileField(allow_empty_file=True, required=False)
    url = serializers.CharField(
        required=False,
        max_length=2000,
        help_text="http(s) of the open internet; fetched after the answer (docs/events.md).",
    )
    collection = serializers.CharField(required=False, max_length=24)
    path = serializers.CharField(required=False, max_length=2000)
    source_url = serializers.CharField(
        required=False, allow_blank=True, max_length=2000, validators=[URLValidator(["http", "https"])]
    )


class NewWebDocumentSerializer(serializers.Serializer[Any]):
    """As JSON: the `url` of a file."""

    url = serializers.CharField(max_length=2000)
    collection = serializers.CharField(required=False, max_length=24)
    path = serializers.CharField(required=False, max_length=2000)


class ImportsQuerySerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(WebImport.State.choices, required=False)
    collection = serializers.CharField(required=False, max_length=24)
    url = serializers.CharField(required=False, max_length=2000)


class ChangedDocumentSerializer(serializers.Serializer[Any]):
    """What is left out stays as it is."""

    name = serializers.CharField(required=False, max_length=255)
    source_url = serializers.CharField(
        required=False, allow_blank=True, max_length=2000, validators=[URLValidator(["http", "https"])]
    )
    tags = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST, allow_blank=True),
        required=False,
        max_length=MOST,
        help_text="All its tags from now on; kept in small letters, each once.",
    )


class DocumentsQuerySerializer(serializers.Serializer[Any]):
    collection = serializers.CharField(required=False, max_length=24)
    state = serializers.ChoiceField(Document.State.choices, required=False)
    kind = serializers.CharField(required=False, max_length=16)
    tag = serializers.CharField(required=False, max_length=LONGEST, help_text="One of its tags.")
    name = serializers.CharField(required=False, max_length=255, help_text="The whole name, as it is stored.")
    created_since = serializers.DateTimeField(required=False)
    updated_since = serializers.DateTimeField(required=False)


class ManyFilesSerializer(serializers.Serializer[Any]):
    """`path` comes once for each `file`, in the same order, or not at all."""

    file = serializers.ListField(child=serializers.FileField(allow_empty_file=True), min_length=1, max_length=200)
    path = serializers.ListField(child=serializers.CharField(max_length=2000), required=False)
    collection = serializers.CharField(required=False, max_length=24)


class BulkSerializer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(("delete", "retry", "disable", "enable"))
    documents = serializers.ListField(child=serializers.CharField(max_length=24), min_length=1, max_length=200)


class ItemResultSerializer(serializers.Serializer[Any]):
    """What became of one item: its own status and, when it failed, the stable code of the problem."""

    item = serializers.CharField(help_text="The ref or the file name that was sent.")
    status = serializers.IntegerField()
    code = serializers.CharField(allow_blank=True)
    title = serializers.CharField(allow_blank=True)
    document = serializers.CharField(allow_null=True, help_text="The document's ref.")
    version = serializers.IntegerField(allow_null=True)


class ManyResultsSerializer(serializers.Serializer[Any]):
    results = ItemResultSerializer(many=True)


class JobsQuerySerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(IngestJob.State.choices, required=False)
    kind = serializers.ChoiceField(IngestJob.Kind.choices, required=False)
    document = serializers.CharField(required=False, max_length=24)


class VersionSerializer(serializers.Serializer[Any]):
    """`report` says what was read of the file and what was not."""

    ref = serializers.CharField()
    number = serializers.IntegerField()
    file_name = serializers.CharField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.SerializerMethodField()
    language = serializers.CharField(allow_blank=True)
    is_live = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True)
    purged_at = serializers.DateTimeField(
        allow_null=True, help_text="Set when it was taken out alone: text and file are gone."
    )
    report = serializers.SerializerMethodField()

    def get_report(self, version: Any) -> dict[str, Any]:
        return {name: value for name, value in version.report.items() if name not in ("blocks", "entries", "links")}

    def get_sha256(self, version: Any) -> str:
        return bytes(version.sha256).hex()

    def get_is_live(self, version: Any) -> bool:
        return bool(version.pk == self.context["live_id"])


class EntrySerializer(serializers.Serializer[Any]):
    """What a chunk is from, in a file that holds many: `ident` is a version, an operationId or a ticket's number or key."""

    kind = serializers.ChoiceField(ENTRY_KINDS)
    ident = serializers.CharField()


class LinkSerializer(serializers.Serializer[Any]):
    """`url` is a web address, or the path as the file gives it where nothing says what it is relative to."""

    text = serializers.CharField()
    url = serializers.CharField()


class ChunkSerializer(serializers.Serializer[Any]):
    """`start` and `end` are character offsets in the version's text; `number` counts from 1 as the pages do."""

    id = serializers.IntegerField()
    number = serializers.SerializerMethodField()
    kind = serializers.CharField()
    text = serializers.CharField()
    prefix = serializers.CharField(allow_blank=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    page = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    language = serializers.CharField(allow_blank=True)
    entry = serializers.SerializerMethodField()
    source_url = serializers.SerializerMethodField(help_text="The entry's own address, else the document's.")

    links = serializers.SerializerMethodField(help_text="Words of the text that lead somewhere, and where to.")

    @extend_schema_field(LinkSerializer(many=True))
    def get_links(self, chunk: Any) -> list[dict[str, str]]:
        return links_of_chunk(self.context["links"], chunk, self.context["source_url"])

    @extend_schema_field(EntrySerializer(allow_null=True))
    def get_entry(self, chunk: Any) -> dict[str, str] | None:
        return {"kind": chunk.entry_kind, "ident": chunk.entry_ident} if chunk.entry_kind else None

    def get_source_url(self, chunk: Any) -> str:
        return str(chunk.source_url or self.context["source_url"])

    def get_number(self, chunk: Any) -> int:
        return int(chunk.ordinal) + 1
