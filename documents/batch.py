"""The files of a form, each taken or refused for itself; an archive among them gives what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile

from documents.archives import accept_archive, is_archive
from documents.text.addresses import under
from documents.upload import Rejected, Result, accept, document_name, log, problem_of
from portal.problems import SystemProblem
from portal.scope import Scope


def accept_all(
    scope: Scope, collection_id: int, *, files: Sequence[UploadedFile[Any]], paths: Sequence[str], base_url: str = ""
) -> tuple[Result, ...]:
    """Every file of a form, in its order. `paths`, when there is one for each, name files within a dropped folder.

    `base_url` is where that folder, or the archive, is published: each document's address is its path in it under that.
    """
    names = paths if len(paths) == len(files) else [""] * len(files)
    results = (_accept_one(scope, collection_id, file, path, base_url) for file, path in zip(files, names, strict=True))
    return tuple(one for some in results for one in some)


def _accept_one(
    scope: Scope, collection_id: int, file: UploadedFile[Any], path: str, base_url: str
) -> Iterator[Result]:
    name = path.strip() or file.name or ""
    if problem := problem_of(file):
        yield Rejected(document_name(name), problem)
        return
    data = cast("BinaryIO", file)
    if is_archive(name, data):
        yield from accept_archive(scope, collection_id, name=name, file=data, base_url=base_url)
        return
    try:
        folder, slash, rest = document_name(name).partition("/")
        address = under(base_url, rest if slash else folder)
        yield accept(scope, collection_id, name=name, file=data, size_bytes=file.size or 0, source_url=address)
    except SystemProblem as trouble:
        log.failure("upload.failed", code=trouble.code)
        yield Rejected(document_name(name), trouble.code, trouble.detail)
