"""One import: claimed, fetched through the one way out, taken as any upload is; and what became of it kept."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import connections
from django.utils import timezone

from documents.archives import accept_archive, is_archive
from documents.models import Document, WebImport
from documents.upload import Accepted, Duplicate, LeftOut, Rejected, Result, accept
from documents.web.naming import name_of
from portal.access import scope_of
from portal.addresses import Unreached
from portal.events import Log
from portal.outgoing import OUTSIDE, Asked, Limits, Outside, Reply, call
from portal.problems import SystemProblem
from portal.scope import Scope, principal

log = Log("documents.web")
LEASE_S = 300
TOTAL_S = 120.0
PASSING = ("portal.url_unreachable", "portal.url_slow", "portal.url_unknown_host", "documents.queue_full")
"""What may have passed by the next try."""
WAITS_S = (10, 60)
"""After the first and the second failure that may pass; after the third it is said."""
BUSY = (408, 425, 429, 500, 502, 503, 504)
ACCEPT = "text/markdown, text/html;q=0.9, application/pdf;q=0.9, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class Claim:
    import_id: int
    attempt: int
    workspace_id: int
    user_id: int


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of an import, as its row says it."""

    outcome: str = ""
    document_ref: str = ""
    problem: str = ""
    detail: str = ""
    etag: str = ""
    last_modified: str = ""
    counts: dict[str, int] | None = None
    may_pass: bool = False
    wait_s: int = 0


def claim() -> Claim | None:
    with connections["ingest"].cursor() as cursor:
        cursor.execute(
            "SELECT import_id, import_attempt, workspace_id, user_id FROM footnote.claim_import(%s)", [LEASE_S]
        )
        row = cursor.fetchone()
    return None if row is None or row[0] is None else Claim(*row)


def run(claimed: Claim, *, outside: Outside = OUTSIDE) -> None:
    """Fetch and take it, and keep what became of it. A person who left meanwhile: the next claim ends it."""
    scope = scope_of(claimed.user_id, claimed.workspace_id)
    if scope is None:
        return
    with principal(scope):
        row: WebImport | None = WebImport.objects.visible_to(scope).filter(pk=claimed.import_id).first()
        before = _before(scope, row) if row else None
    if row is None:
        return
    try:
        ended = _fetched(scope, row, before, outside)
    except Unreached as trouble:
        ended = Ended(problem=trouble.code, detail=trouble.detail, may_pass=trouble.code in PASSING)
    except SystemProblem as trouble:
        ended = Ended(problem=trouble.code, detail=trouble.detail, may_pass=True, wait_s=60)
    _keep(scope, claimed, ended)


def _before(scope: Scope, row: WebImport) -> WebImport | None:
    """The last import of the address that is still the newest of a healthy document. Needs an open principal."""
    done = WebImport.objects.visible_to(scope).filter(
        collection_id=row.collection_id, url=row.url, name=row.name, state=WebImport.State.DONE
    )
    last: WebImport | None = done.exclude(document_ref="").order_by("-id").first()
    if last is None or not (last.etag or last.last_modified):
        return None
    there = Document.objects.visible_to(scope).filter(ref=last.document_ref, deleted_at__isnull=True)
    is_well = there.filter(collection_id=row.collection_id).exclude(state=Document.State.ATTENTION).exists()
    return last if is_well else None


def _fetched(scope: Scope, row: WebImport, before: WebImport | None, outside: Outside) -> Ended:
    headers = {"Accept": ACCEPT}
    if before and before.etag:
        headers["If-None-Match"] = before.etag
    if before and before.last_modified:
        headers["If-Modified-Since"] = before.last_modified
    limits = Limits(most_bytes=settings.MAX_UPLOAD_BYTES, total_s=TOTAL_S)
    with tempfile.TemporaryFile() as file:
        reply = call(row.url, Asked(headers=headers), limits=limits, into=cast("BinaryIO", file), outside=outside)
        if reply.status == 304 and before is not None:
            return Ended("unchanged", before.document_ref, etag=before.etag, last_modified=before.last_modified)
        if reply.status != 200:
            wish = reply.headers.get("retry-after", "")
            wait_s = min(int(wish), 3600) if wish.isascii() and wish.isdigit() and len(wish) < 6 else 0
            said = f"It answered {reply.status}."
            return Ended(problem="portal.url_status", detail=said, may_pass=reply.status in BUSY, wait_s=wait_s)
        return _taken(scope, row, reply, cast("BinaryIO", file))


def _taken(scope: Scope, row: WebImport, reply: Reply, file: BinaryIO) -> Ended:
    name = row.name or name_of(row.url, content_type=reply.headers.get("content-type", ""))
    etag, last_modified = _bounded(reply, "etag", 300), _bounded(reply, "last-modified", 60)
    file.seek(0)
    if is_archive(name, file):
        results = accept_archive(scope, row.collection_id, name=name, file=file, base_url="")
        return replace(_of_archive(name, results), etag=etag, last_modified=last_modified)
    outcome = accept(scope, row.collection_id, name=name, file=file, size_bytes=reply.size_bytes, source_url=row.url)
    if isinstance(outcome, Rejected):
        passing = outcome.code in PASSING
        return Ended(problem=outcome.code, detail=outcome.detail, may_pass=passing, wait_s=outcome.retry_after_s)
    kind = "accepted" if isinstance(outcome, Accepted) else "duplicate"
    return Ended(kind, outcome.document_ref, etag=etag, last_modified=last_modified)


def _bounded(reply: Reply, header: str, most: int) -> str:
    """A header's value; one that is too long is left out, since cut off it would never fit."""
    value = reply.headers.get(header, "")
    return value if len(value) <= most else ""


def _of_archive(name: str, results: tuple[Result, ...]) -> Ended:
    if len(results) == 1 and isinstance(results[0], Rejected) and results[0].name == name:
        return Ended(problem=results[0].code, detail=results[0].detail)
    counts: Counter[str] = Counter()
    for one in results:
        kinds = {Accepted: "accepted", Duplicate: "duplicate", Rejected: "refused", LeftOut: "left_out"}
        counts[kinds[type(one)]] += one.count if isinstance(one, LeftOut) else 1
    return Ended("archive", counts=dict(counts))


def _keep(scope: Scope, claimed: Claim, ended: Ended) -> None:
    now = timezone.now()
    values: dict[str, Any] = {"problem": ended.problem, "problem_detail": ended.detail[:200], "lease_until": None}
    if ended.problem and ended.may_pass and claimed.attempt <= len(WAITS_S):
        wait_s = max(WAITS_S[claimed.attempt - 1], ended.wait_s)
        values |= {"state": WebImport.State.QUEUED, "next_try_at": now + timedelta(seconds=wait_s)}
    elif ended.problem:
        values |= {"state": WebImport.State.FAILED, "finished_at": now}
    else:
        values |= {"state": WebImport.State.DONE, "finished_at": now, "outcome": ended.outcome}
        values |= {"document_ref": ended.document_ref, "counts": ended.counts or {}}
        values |= {"etag": ended.etag, "last_modified": ended.last_modified}
    with principal(scope):
        rows = WebImport.objects.visible_to(scope).filter(
            pk=claimed.import_id, attempt=claimed.attempt, state=WebImport.State.RUNNING
        )
        rows.update(**values)
    log.info("import.ended", problem=ended.problem, outcome=ended.outcome, attempt=claimed.attempt)
