"""Files on their way in: each goes to disk as it arrives, no further than the limit; a full disk fails one file alone."""

from __future__ import annotations

import contextlib
import errno
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

FULL = (errno.ENOSPC, errno.EDQUOT)


class ArrivedFile(TemporaryUploadedFile):
    """A file of a form, on disk. `problem` is the code of what went wrong on its way, or ""."""

    problem: str = ""


class IncomingFile(FileUploadHandler):
    """Counts what exceeds MAX_UPLOAD_BYTES without keeping it: the file then has its true size, and upload refuses it."""

    file: ArrivedFile

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.file = ArrivedFile(self.file_name or "", self.content_type, 0, self.charset, self.content_type_extra)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.file.problem or start > settings.MAX_UPLOAD_BYTES:
            return
        try:
            self.file.write(raw_data)
        except OSError as error:
            self._give_up(error)

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:
        self.file.size = file_size
        if not self.file.problem:
            try:
                self.file.seek(0)
            except OSError as error:
                self._give_up(error)
        return self.file

    def upload_interrupted(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            self.file.close()

    def _give_up(self, error: OSError) -> None:
        if error.errno not in FULL:
            raise error
        self.file.problem = "portal.disk_full"
        with contextlib.suppress(OSError):
            self.file.close()
