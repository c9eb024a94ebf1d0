"""JSON as programs send it: what cannot be read is their fault and said so, however it cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class Json(JSONParser):
    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Raises ParseError also for JSON that is nested too deeply and for a charset that nobody knows."""
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError("It is nested too deeply.") from None
        except (LookupError, UnicodeError):
            raise ParseError("Its charset cannot be read: send UTF-8.") from None
