"""The OpenAI embeddings protocol as the local process speaks it: requests in, responses and errors out, no sockets."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from documents.embedding.model import Embedding

Format = Literal["float", "base64"]

MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_TEXTS = 512
MAX_TEXT_CHARACTERS = 100_000


class Refusal(Exception):
    """A request that is answered with an error. `message` is words for whoever reads the client's log; never input."""

    def __init__(self, status: int, code: str, message: str, *, param: str | None = None, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.param = param
        self.retry_after = retry_after

    def body(self) -> bytes:
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return encode({"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}})


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    texts: tuple[str, ...]
    encoding: Format


def encode(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def read_request(body: bytes, *, model: str, dims: int) -> EmbedRequest:
    """The request in `body`. Raises Refusal (400, or 404 for another model's name)."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "bad_json", "The body is not JSON. Send an object with `model` and `input`.") from error
    if not isinstance(document, dict):
        raise Refusal(400, "bad_json", "The body is JSON but not an object. Send an object with `model` and `input`.")
    _check_model(document.get("model"), model)
    _check_dimensions(document.get("dimensions"), dims)
    return EmbedRequest(texts=_texts(document.get("input")), encoding=_encoding(document.get("encoding_format")))


def _check_model(asked: object, model: str) -> None:
    if not isinstance(asked, str) or not asked:
        raise Refusal(400, "model_missing", f"`model` is missing. This process has {model}.", param="model")
    if asked != model:
        raise Refusal(404, "model_not_found", f"This process has one model, {model}.", param="model")


def _check_dimensions(asked: object, dims: int) -> None:
    if asked is not None and asked != dims:
        message = f"`dimensions` must be {dims}: this model cannot shorten its vectors."
        raise Refusal(400, "bad_dimensions", message, param="dimensions")


def _encoding(asked: object) -> Format:
    if asked is None or asked == "float":
        return "float"
    if asked == "base64":
        return "base64"
    raise Refusal(400, "bad_encoding", "`encoding_format` must be float or base64.", param="encoding_format")


def _texts(given: object) -> tuple[str, ...]:
    items = [given] if isinstance(given, str) else given
    if not isinstance(items, list) or not items:
        raise Refusal(400, "bad_input", "`input` must be a text or a list of at least one text.", param="input")
    if len(items) > MAX_TEXTS:
        message = f"`input` has {len(items)} texts; send at most {MAX_TEXTS} in one request."
        raise Refusal(400, "too_many_texts", message, param="input")
    for position, item in enumerate(items):
        if (fault := _fault(item)) is not None:
            raise Refusal(400, "bad_input", f"`input[{position}]` {fault}.", param="input")
    return tuple(items)


def _fault(item: object) -> str | None:
    if not isinstance(item, str):
        return "is not a text (token lists are not taken)"
    if not item.strip():
        return "is empty; leave it out"
    if len(item) > MAX_TEXT_CHARACTERS:
        return f"has more than {MAX_TEXT_CHARACTERS} characters; cut it first"
    if not item.isascii() and any("\ud800" <= character <= "\udfff" for character in item):
        return "has half a surrogate pair, which is no character"
    return None


def write_response(embeddings: Sequence[Embedding], *, model: str, encoding: Format) -> bytes:
    """The success body, vectors in the order of the request."""
    tokens = sum(embedding.tokens for embedding in embeddings)
    data = [
        {"object": "embedding", "index": index, "embedding": _value(embedding, encoding)}
        for index, embedding in enumerate(embeddings)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return encode({"object": "list", "data": data, "model": model, "usage": usage})


def _value(embedding: Embedding, encoding: Format) -> str | list[float]:
    if encoding == "base64":
        return base64.b64encode(embedding.vector.astype("<f4").tobytes()).decode("ascii")
    return [round(float(value), 8) for value in embedding.vector]
