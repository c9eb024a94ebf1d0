"""The operator's model providers, as the environment names them (docs/models.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """One OpenAI-compatible endpoint. Prices are US dollars per million tokens, times are seconds.

    `first_s` bounds the wait for the first word, `idle_s` the wait between two, `total_s` the whole call.
    """

    name: str
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    price_in_usd: float = 0.0
    price_out_usd: float = 0.0
    context_tokens: int = 8192
    max_output_tokens: int = 600
    connect_s: float = 5.0
    first_s: float = 20.0
    idle_s: float = 15.0
    total_s: float = 90.0

    @property
    def price_usd(self) -> float:
        """What orders endpoints from cheap to dear: a passage-heavy question reads about ten tokens for one it writes."""
        return self.price_in_usd * 10 + self.price_out_usd


NUMBERS = {f.name for f in fields(ModelEndpoint) if f.name not in {"name", "base_url", "model", "key"}}


def endpoints(raw: str) -> tuple[ModelEndpoint, ...]:
    """The JSON list of MODEL_PROVIDERS, first asked first. Raises ValueError with words, never with a value."""
    try:
        items = json.loads(raw)
    except ValueError as error:
        raise ValueError("is not JSON") from error
    if not isinstance(items, list):
        raise ValueError("must be a JSON list of objects")  # noqa: TRY004 (one kind of error for the reader)
    found = tuple(_endpoint(item, place) for place, item in enumerate(items, 1))
    if len({endpoint.name for endpoint in found}) < len(found):
        raise ValueError("names two providers alike")
    return found


def _endpoint(item: Any, place: int) -> ModelEndpoint:
    if not isinstance(item, Mapping):
        raise ValueError(f"item {place} is not an object")  # noqa: TRY004
    given = {**item, "key": item.get("key") or item.get("api_key") or ""}
    given.pop("api_key", None)
    given.setdefault("name", given.get("model", ""))
    if unknown := set(given) - {f.name for f in fields(ModelEndpoint)}:
        raise ValueError(f"item {place} has the unknown name {min(unknown)}")
    for name in ("name", "base_url", "model", "key"):
        if not isinstance(given.get(name), str) or (name != "key" and not given[name].strip()):
            raise ValueError(f"item {place} needs `{name}` as a text")
    for name in NUMBERS & set(given):
        if isinstance(given[name], bool) or not isinstance(given[name], int | float) or given[name] < 0:
            raise ValueError(f"item {place} needs a number for `{name}`")
    parts = urlsplit(given["base_url"])
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"item {place} needs a `base_url` that starts with http:// or https://")
    return ModelEndpoint(**given)


def from_environment(env: Mapping[str, str], secrets: Mapping[str, str]) -> tuple[ModelEndpoint, ...]:
    """MODEL_PROVIDERS, or the one endpoint that MODEL_URL, MODEL_NAME and MODEL_KEY name; () without either."""
    one = {
        "base_url": env.get("MODEL_URL", "").strip(),
        "model": env.get("MODEL_NAME", "").strip(),
        "key": secrets["MODEL_KEY"],
    }
    if raw := secrets["MODEL_PROVIDERS"].strip():
        return endpoints(raw)
    return endpoints(json.dumps([one])) if one["base_url"] else ()
