"""Documents, their versions and chunks, the index over them, and the queue that fills it."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from portal.models import Collection, User, Workspace, new_ref
from portal.tenant import TenantModel, Visibility


class EmbeddingModel(models.Model):
    """An embedding model of this installation (not of a tenant). Only a live or building one is filled.

    A switch makes the live one building, so that it stays whole until it is retired (documents/model_switch.py).
    """

    class State(models.TextChoices):
        BUILDING = "building"
        LIVE = "live"
        RETIRED = "retired"

    name = models.CharField(max_length=120, unique=True)
    dims = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.BUILDING)
    languages = ArrayField(models.CharField(max_length=8), default=list)
    live_until = models.DateTimeField(null=True, blank=True)
    """When a switch took its place; None for one that never was live, or is."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["state"], condition=models.Q(state="live"), name="one_live_model"),
        ]

    def __str__(self) -> str:
        return self.name


class Blob(TenantModel):
    """The bytes of an upload under an opaque key; equal bytes in a workspace are kept once."""

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    sha256 = models.BinaryField(max_length=32)
    key = models.CharField(max_length=64, unique=True)
    size_bytes = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    missing_at = models.DateTimeField(null=True)
    """When a sweep found that the storage has lost the bytes; None again once they are back (documents/sweep.py)."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "sha256"], name="blob_once"),
            models.UniqueConstraint(fields=["workspace", "id"], name="blob_in_workspace"),
        ]

    def __str__(self) -> str:
        return self.key


class Document(TenantModel):
    """What a member uploaded, under one name in one collection. `live_version` is what search and pages show."""

    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        READING = "reading", "Reading"
        WORDS = "words", "Searchable by words"
        READY = "ready", "Ready"
        ATTENTION = "attention", "Needs attention"

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=255)
    name_key = models.CharField(max_length=255)
    title = models.CharField(max_length=500, blank=True)
    kind = models.CharField(max_length=16)
    source_url = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    problem = models.CharField(max_length=60, blank=True)
    problem_detail = models.CharField(max_length=500, blank=True)
    live_version = models.ForeignKey("Version", models.DO_NOTHING, null=True, db_constraint=False, related_name="+")
    chunk_count = models.PositiveIntegerField(default=0)
    vector_count = models.PositiveIntegerField(default=0)
    term_count = models.BigIntegerField(default=0, db_default=0)
    """Words of the live text, for the statistics of a question that it answers no more."""
    page_count = models.PositiveIntegerField(null=True)
    unread_pages = models.PositiveIntegerField(default=0)
    skipped_count = models.PositiveIntegerField(default=0, db_default=0)
    table_count = models.PositiveIntegerField(default=0, db_default=0)
    hidden_characters = models.PositiveIntegerField(default=0, db_default=0)
    suspect_count = models.PositiveIntegerField(default=0, db_default=0)
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True, db_default=[])
    """What members sort it by (documents/tags.py), in the order of the alphabet."""
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    disabled_at = models.DateTimeField(null=True)
    """Kept and shown in the Library, but no question is answered from it."""
    deleted_at = models.DateTimeField(null=True)
    purged_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "collection", "id"], name="document_in_collection"),
            models.UniqueConstraint(
                fields=["collection", "name_key"],
                condition=models.Q(deleted_at__isnull=True),
                name="document_name_once",
            ),
        ]
        indexes = [models.Index(fields=["collection", "-id"], name="document_list")]

    def __str__(self) -> str:
        return self.title or self.name


class Version(TenantModel):
    """One upload of a document. Kept after it is superseded, so that a citation can be replayed."""

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False)
    document = models.ForeignKey(Document, models.DO_NOTHING, db_constraint=False, related_name="versions")
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    number = models.PositiveIntegerField()
    blob = models.ForeignKey(Blob, models.DO_NOTHING, db_constraint=False, null=True)
    file_name = models.CharField(max_length=255)
    sha256 = models.BinaryField(max_length=32)
    size_bytes = models.BigIntegerField()
    text = models.TextField(blank=True)
    language = models.CharField(max_length=8, blank=True)
    report = models.JSONField(default=dict)
    boxes = models.BinaryField(default=b"", db_default=b"")
    """Where its words stand on its pages (documents.text.boxes), "" for what has none that are drawn."""
    pipeline = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    purged_at = models.DateTimeField(null=True)
    """Set when it was taken out alone (documents/old_version.py): number and dates are left."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="version_number_once"),
            models.UniqueConstraint(fields=["workspace", "collection", "document", "id"], name="version_in_document"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"


class Chunk(TenantModel):
    """A span of a version's text: `text == version.text[start:end]`. Upserted on (version, fingerprint, occurrence)."""

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING, db_constraint=False, db_index=False)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False, db_index=False)
    document = models.ForeignKey(Document, models.DO_NOTHING, db_constraint=False, db_index=False)
    version = models.ForeignKey(Version, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="chunks")
    ordinal = models.PositiveIntegerField()
    fingerprint = models.BinaryField(max_length=32)
    occurrence = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=10, default="prose")
    heading_path = ArrayField(models.TextField(), default=list)
    page = models.PositiveIntegerField(null=True)
    start = models.PositiveIntegerField(db_column="start_at")
    end = models.PositiveIntegerField(db_column="end_at")
    text = models.TextField()
    prefix = models.TextField(blank=True)
    entry_kind = models.CharField(max_length=12, default="", db_default="")
    entry_ident = models.CharField(max_length=200, default="", db_default="")
    """The entry that it is from (documents.text.section.Entry), and that entry's own address; "" for none."""
    source_url = models.CharField(max_length=2000, default="", db_default="")
    language = models.CharField(max_length=8, blank=True)
    term_count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "fingerprint", "occurrence"], name="chunk_once"),
            models.UniqueConstraint(
                fields=["version", "ordinal"], name="chunk_order", deferrable=models.Deferrable.DEFERRED
            ),
            models.UniqueConstraint(fields=["workspace", "collection", "document", "id"], name="chunk_in_document"),
            models.CheckConstraint(condition=models.Q(start__lt=models.F("end")), name="chunk_span"),
        ]
        indexes = [models.Index(fields=["workspace", "fingerprint"], name="chunk_fingerprint")]

    def __str__(self) -> str:
        return f"chunk {self.pk}"


class ChunkVector(TenantModel):
    """A live chunk's vector under one model: half precision for the rerank, sign bits for the scan."""

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING, db_constraint=False, db_index=False)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False, db_index=False)
    document = models.ForeignKey(Document, models.DO_NOTHING, db_constraint=False)
    chunk = models.ForeignKey(Chunk, models.DO_NOTHING, db_constraint=False, db_index=False)
    model = models.ForeignKey(EmbeddingModel, models.DO_NOTHING, db_index=False)
    embedding = HalfVectorField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chunk", "model"], name="vector_once")]

    def __str__(self) -> str:
        return f"vector of chunk {self.chunk_id}"


class Posting(TenantModel):
    """One term in one document: the chunks that hold it, how often, and how long they are (docs/retrieval.md)."""

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING, db_constraint=False, db_index=False)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False, db_index=False)
    document = models.ForeignKey(Document, models.DO_NOTHING, db_constraint=False, db_index=False)
    term = models.BigIntegerField()
    chunk_ids = ArrayField(models.BigIntegerField())
    frequencies = ArrayField(models.SmallIntegerField())
    lengths = ArrayField(models.IntegerField())

    class Meta:
        indexes = [models.Index(fields=["workspace", "collection", "term"], name="posting_lookup")]

    def __str__(self) -> str:
        return f"posting {self.pk}"


class CollectionStats(TenantModel):
    """What BM25 needs of a collection, and its epoch: bumped in every transaction that changes what it answers."""

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    collection = models.OneToOneField(Collection, models.DO_NOTHING, db_constraint=False, primary_key=True)
    chunk_count = models.BigIntegerField(default=0)
    term_count = models.BigIntegerField(default=0)
    languages = ArrayField(models.CharField(max_length=8), default=list)
    epoch = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"statistics of collection {self.pk}"


class IngestJob(TenantModel):
    """One unit of work on one document. PostgreSQL owns the queue; a claim is (attempt, lease) (ADR 0003)."""

    class Kind(models.TextChoices):
        INGEST = "ingest"
        EMBED = "embed"
        REMOVE = "remove"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    BESIDE: ClassVar[str] = "beside"
    """The stage of a job that only fills models that are not live: claimed when nothing else waits."""
    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False)
    document = models.ForeignKey(Document, models.DO_NOTHING, db_constraint=False, related_name="jobs")
    version = models.ForeignKey(Version, models.DO_NOTHING, db_constraint=False, null=True)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.INGEST)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    stage = models.CharField(max_length=12, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    crashes = models.PositiveSmallIntegerField(default=0)
    retries = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=80, blank=True)
    next_try_at = models.DateTimeField(auto_now_add=True)
    problem = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["next_try_at", "id"], condition=models.Q(state__in=["queued", "running"]), name="job_queue"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} job {self.ref}"


class WebImport(TenantModel):
    """A web address that is to be a document: fetched by a worker in its person's scope (documents/web/fetching.py).

    `etag` and `last_modified` are the server's words of what came, so that the next import asks for changes alone.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Fetching"
        DONE = "done", "Done"
        FAILED = "failed", "Not fetched"

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted"
        DUPLICATE = "duplicate"
        UNCHANGED = "unchanged"
        ARCHIVE = "archive"

    visibility: ClassVar[Visibility] = "collection"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    collection = models.ForeignKey(Collection, models.DO_NOTHING, db_constraint=False)
    user = models.ForeignKey(User, models.DO_NOTHING)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    url = models.CharField(max_length=2000)
    name = models.CharField(max_length=255, blank=True)
    """What its document is to be called; "" for a name made of the address."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(auto_now_add=True)
    lease_until = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, blank=True)
    document_ref = models.CharField(max_length=24, blank=True)
    counts = models.JSONField(default=dict)
    """Of an archive: how many files had which outcome."""
    problem = models.CharField(max_length=60, blank=True)
    problem_detail = models.CharField(max_length=200, blank=True)
    etag = models.CharField(max_length=300, blank=True)
    last_modified = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "url"],
                condition=models.Q(state__in=["queued", "running"]),
                name="import_once_at_a_time",
            )
        ]
        indexes = [
            models.Index(
                fields=["next_try_at", "id"], condition=models.Q(state__in=["queued", "running"]), name="import_line"
            ),
            models.Index(fields=["collection", "-id"], name="import_list"),
        ]

    def __str__(self) -> str:
        return f"import {self.ref}"
