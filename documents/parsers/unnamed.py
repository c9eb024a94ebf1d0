"""Text whose name does not say what it is and whose content does: an API description, an export of tickets."""

from __future__ import annotations

from documents.parsers.json_file import value_of, write_if_known
from documents.parsers.openapi import add_openapi
from documents.parsers.records import Records, Value
from documents.parsers.yaml_file import API, TooDeep, api_of

_HEAD = 20_000


def add_if_known(records: Records, text: str) -> bool:
    """Add the text as what it holds; False, and nothing added, for any other text. Raises TooMuch."""
    if text.lstrip()[:1] in ("{", "["):
        value = _value(text)
        return value is not None and write_if_known(records, value)
    if not API.search(text[:_HEAD]):
        return False
    try:
        api = api_of(text)
    except TooDeep:
        return False
    if api is not None:
        add_openapi(records.builder, api, most_characters=records.most_characters)
    return api is not None


def _value(text: str) -> Value | None:
    """The value of JSON, or of lines of it; None for what is none."""
    try:
        return value_of(text)
    except RecursionError:
        return None
    except ValueError:
        pass
    try:
        return [value_of(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None
