"""What a program can do with a key."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from footnote_client import models
from footnote_client.errors import AnswerFailed, NeedsAttention, NotFound, Unreachable
from footnote_client.events import events_of
from footnote_client.http import BROKEN, Call, Sleep, Transport, of_json
from footnote_client.models import decode
from footnote_client.multipart import form

Event = models.Stage | models.Token | models.Void | models.Answer
V1 = "/api/v1"


class Footnote:
    """A portal, as one key sees it. Methods raise FootnoteError; lists are fetched page by page as they are read.

    `retries`: how often a request is sent again that was refused for now (429, 502, 503, 504) or got no answer. A POST carries
    an Idempotency-Key, made for the call or given, so that it is done once. `max_wait_s`: a server that says to wait for longer
    is not waited for.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout_s: float = 60.0,
        retries: int = 3,
        max_wait_s: float = 60.0,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._sleep = sleep
        self._transport = Transport(url, key, timeout_s=timeout_s, retries=retries, max_wait_s=max_wait_s, sleep=sleep)

    def __repr__(self) -> str:
        return f"Footnote({self._transport.origin!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Nothing is held open; it reads well with `with`."""

    # ---- where one is

    def workspace(self) -> models.Workspace:
        return next(self._all(models.Workspace, "/workspaces/"))

    def collections(self) -> Iterator[models.Collection]:
        return self._all(models.Collection, "/collections/")

    def make_collection(
        self, name: str, *, kind: Literal["shared", "granted"] = "shared", idempotency_key: str = ""
    ) -> models.Collection:
        made = self._post("/collections/", {"name": name, "kind": kind}, idempotency_key)
        return decode(models.Collection, made)

    # ---- documents

    def documents(
        self,
        *,
        collection: str = "",
        state: models.DocumentState | Literal[""] = "",
        name: str = "",
        order: Literal["newest", "oldest", "name", "-name", "updated", "-updated"] = "newest",
    ) -> Iterator[models.Document]:
        return self._all(
            models.Document, "/documents/", collection=collection, state=state, name=name, order=order, limit=200
        )

    def document(self, ref: str) -> models.Document:
        return decode(models.Document, self._get(f"/documents/{ref}/"))

    def upload(
        self,
        file: str | Path | bytes,
        *,
        name: str = "",
        collection: str = "",
        path: str = "",
        source_url: str = "",
        idempotency_key: str = "",
    ) -> models.Taken:
        """A file's path, or its bytes with a `name`. Without `collection` it goes to the key owner's own documents.

        `path` tells files of one name in several folders apart. The same bytes again are a duplicate, other bytes under the
        same path a new version. It is read afterwards: see wait_until_ready.
        """
        content = file if isinstance(file, bytes) else Path(file)
        called = name or (content.name if isinstance(content, Path) else "")
        if not called:
            raise ValueError("bytes need a name")
        fields = {"collection": collection, "path": path, "source_url": source_url}
        body = form(called, content, {field: value for field, value in fields.items() if value})
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return decode(models.Taken, self._transport.send(Call("POST", f"{V1}/documents/", headers=headers, body=body)))

    def wait_until_ready(
        self, ref: str, *, timeout_s: float = 300.0, poll_s: float = 1.0, words_suffice: bool = False
    ) -> models.Document:
        """The document when it is ready; with `words_suffice` as soon as it can be found by its words.

        Raises NeedsAttention when it cannot be read, TimeoutError after `timeout_s`.
        """
        ends = time.monotonic() + timeout_s
        while True:
            document = self.document(ref)
            if document.state == "ready" or (words_suffice and document.state == "words"):
                return document
            if document.state == "attention":
                reason = document.reason
                told = {} if reason is None else {"code": reason.code, "title": reason.title, "detail": reason.detail}
                raise NeedsAttention(told)
            if time.monotonic() + poll_s > ends:
                raise TimeoutError(f"{document.name} is still {document.state}")
            self._sleep(poll_s)

    def passages(self, ref: str) -> Iterator[models.TextChunk]:
        """The passages of the live version, in reading order."""
        return self._all(models.TextChunk, f"/documents/{ref}/chunks/", limit=200)

    def delete_document(self, ref: str) -> None:
        """From now on nothing of it is found. It may be gone already."""
        self._delete(f"/documents/{ref}/")

    # ---- questions

    def search(
        self,
        question: str,
        *,
        k: int = 8,
        collections: Sequence[str] | None = None,
        documents: Sequence[str] = (),
        kinds: Sequence[str] = (),
        languages: Sequence[str] = (),
    ) -> models.SearchResult:
        """The passages nearest to the question."""
        asked: dict[str, Any] = {"question": question, "k": k}
        narrowed = {"documents": documents, "kinds": kinds, "languages": languages}
        asked |= {name: list(values) for name, values in narrowed.items() if values}
        if collections is not None:
            asked["collections"] = list(collections)
        return decode(models.SearchResult, self._post("/search/", asked))

    def ask(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        previous: str = "",
        idempotency_key: str = "",
    ) -> models.Question:
        """The question with its answer. `previous`, the ref of the question before, completes a follow-up from it."""
        asked = _asked(question, collections) | ({"previous": previous} if previous else {})
        return decode(models.Question, self._post("/questions/", asked, idempotency_key))

    def stream(
        self, question: str, *, collections: Sequence[str] | None = None, idempotency_key: str = ""
    ) -> Iterator[Event]:
        """Stages and pieces of the text as they come, the whole Answer last. Raises AnswerFailed when it broke off.

        A connection that drops is taken up again: Void, then the text from its beginning. Nothing is asked twice.
        """
        key = idempotency_key or str(uuid.uuid4())
        headers = {"Idempotency-Key": key, "Accept": "text/event-stream"}
        call = Call("POST", "/api/answer", headers=headers, body=of_json(_asked(question, collections)))
        for _ in range(3):
            try:
                with self._transport.open(call) as response:
                    for name, data in events_of(response):
                        if event := _event(name, data):
                            yield event
                        if isinstance(event, models.Answer):
                            return
            except BROKEN:
                pass
            yield models.Void()
        raise Unreachable("the stream broke off")

    def question(self, ref: str) -> models.Question:
        return decode(models.Question, self._get(f"/questions/{ref}/"))

    def history(self) -> Iterator[models.PastQuestion]:
        """What the key's owner asked, newest first."""
        return self._all(models.PastQuestion, "/questions/")

    def delete_question(self, ref: str) -> None:
        """With its answer and quotes. It may be gone already."""
        self._delete(f"/questions/{ref}/")

    # ---- everything else

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Any other route under /api/v1, as plain JSON: `call("GET", "/usage/", days=7)`. A POST or PATCH is not repeated."""
        sent = None if body is None else of_json(body)
        repeats = method.upper() in ("GET", "HEAD", "DELETE", "PUT")
        return self._transport.send(Call(method.upper(), f"{V1}{path}", query, body=sent, repeats=repeats))

    def _all(self, kind: type[models.T], path: str, **query: Any) -> Iterator[models.T]:
        return (decode(kind, row) for row in self._transport.pages(Call("GET", f"{V1}{path}", query)))

    def _get(self, path: str) -> Any:
        return self._transport.send(Call("GET", f"{V1}{path}"))

    def _post(self, path: str, body: Any, idempotency_key: str = "") -> Any:
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self._transport.send(Call("POST", f"{V1}{path}", headers=headers, body=of_json(body)))

    def _delete(self, path: str) -> None:
        try:
            self._transport.send(Call("DELETE", f"{V1}{path}"))
        except NotFound:
            return


def _asked(question: str, collections: Sequence[str] | None) -> dict[str, Any]:
    return {"question": question} | ({} if collections is None else {"collections": list(collections)})


def _event(name: str, data: Any) -> Event | None:
    """None for events that a newer server sends."""
    if name == "stage":
        return decode(models.Stage, data)
    if name == "token":
        return decode(models.Token, data)
    if name == "void":
        return models.Void()
    if name != "meta":
        return None
    if problem := data.get("problem"):
        raise AnswerFailed(problem)
    return decode(models.Answer, data)
