"""The operations, as ninja knows them. Imported at the first request that came through the door."""

from __future__ import annotations

import functools
import json
import time
from dataclasses import replace
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from ninja import NinjaAPI, Status
from ninja.errors import HttpError, ValidationError

from answers.router.route import has_model
from answers.streaming import Place, encoded, event_stream, in_thread
from answers.typed import catalogue, chat, shapes, vectors
from answers.typed.asking import Asked, Begun, begin, finished, followed, kept, location_of, stopped
from answers.typed.door import ProgramRequest, View
from answers.typed.refusals import BadParameter, Fault, invalid, problem, refused
from portal.lean import settle

EVENTS: Final = "text/event-stream"
EVENT: Final = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "id": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}
"""One event of a stream, its fields as they stand on the wire; `data` is JSON, or [DONE] at the end of a chat."""
api = NinjaAPI(
    title="Footnote: answers, and OpenAI's interface",
    version="1",
    description="Questions answered with citations, as JSON or events; OpenAI's chat, models and embeddings over the same.",
    openapi_url=None,
    docs_url=None,
    urls_namespace="typed",
)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponseBase:
    faults = [Fault(".".join(str(part) for part in one["loc"][2:]), str(one["msg"])) for one in error.errors]
    return invalid(request, faults)


@api.exception_handler(HttpError)
def _unread(request: HttpRequest, error: HttpError) -> HttpResponseBase:
    return problem(request, "portal.malformed")


@api.exception_handler(Http404)  # ninja has an answer of its own to this one
@api.exception_handler(Exception)
def _other(request: HttpRequest, error: Exception) -> HttpResponseBase:
    return refused(request, error)


def _also_events(example: dict[str, Any] | None, scope: str) -> dict[str, Any]:
    said = {"x-example": json.dumps(example)} if example else {}
    return {"responses": {200: {"content": {EVENTS: {"schema": EVENT}}}}, "x-key-scope": scope, **said}


@api.post(
    "api/answer",
    url_name="typed_answer",
    operation_id="answer",
    summary="Ask; the answer comes with its citations, whole or as events",
    response=shapes.FullAnswer,
    openapi_extra=_also_events({"question": "How are keys rotated?"}, "ask"),
)
async def answer(request: ProgramRequest, asked: shapes.NewQuestion) -> Any:
    wanted = Asked(asked.question, asked.collections, previous=asked.previous, as_written=asked.as_written)
    begun = await in_thread(begin, request, request.program, wanted)
    if not (asked.stream or _wants_events(request)):
        return _told(_json(shapes.FullAnswer, await finished(request.program, begun)), begun)
    # Whoever loses the stream may come back for the rest of it: the address is in its head.
    resumable = replace(begun, is_repeatable=True)
    return _told(event_stream(request, encoded(followed(request.program, resumable))), begun)


@api.get(
    "api/answer/{ref}",
    url_name="typed_kept",
    operation_id="answer_retrieve",
    summary="An answer by its ref, followed to its end while it is written; as events from Last-Event-ID on",
    response=shapes.FullAnswer,
    openapi_extra=_also_events(None, "ask"),
)
async def answer_retrieve(request: ProgramRequest, ref: str) -> Any:
    begun = await in_thread(kept, request.program, ref)
    if not _wants_events(request):
        return _json(shapes.FullAnswer, await finished(request.program, begun))
    place = Place.read(request.headers.get("Last-Event-ID", ""))
    return event_stream(request, encoded(followed(request.program, begun, place)))


@api.post(
    "api/answer/{ref}/stop",
    url_name="typed_stop",
    operation_id="answer_stop",
    summary="End it now; what was written is kept",
    response={204: None},
    openapi_extra={"x-key-scope": "ask"},
)
async def answer_stop(request: ProgramRequest, ref: str) -> Any:
    await in_thread(stopped, request.program, ref)
    return Status(204, None)


def _wants_events(request: HttpRequest) -> bool:
    return EVENTS in request.headers.get("Accept", "")


def _told(response: HttpResponseBase, begun: Begun) -> HttpResponseBase:
    response.headers["Location"] = location_of(begun.ref)
    if begun.is_replay:
        response.headers["Idempotency-Replayed"] = "true"
    return response


def _json(shape: Any, data: Any) -> HttpResponseBase:
    return JsonResponse(shape.model_validate(data).model_dump(mode="json"))


@api.post(
    "v1/chat/completions",
    url_name="openai_chat",
    operation_id="chat_completions",
    summary="OpenAI's chat: the last message is the question, citations are in the annotations",
    response=shapes.ChatCompletion,
    openapi_extra=_also_events({"model": "footnote", "messages": [{"role": "user", "content": "How long?"}]}, "ask"),
)
async def chat_completions(request: ProgramRequest, asked: shapes.ChatRequest) -> Any:
    chat.refuse_unsupported(asked)
    text, scope = chat.question_of(asked.messages), request.program
    collections = await in_thread(catalogue.collections_of, scope, asked.model)
    if collections is not None and asked.collections is not None:
        raise BadParameter("collections", "This model is one collection; name others with the model `footnote`.")
    chosen = asked.collections if collections is None else collections
    begun = await in_thread(begin, request, scope, Asked(text, chosen, earlier=chat.earlier_of(asked.messages)))
    if not asked.stream:
        meta = await finished(scope, begun)
        return _told(_json(shapes.ChatCompletion, chat.completion(meta, asked.model, site_of(request))), begun)
    options = asked.stream_options
    chunks = chat.Chunks(
        f"chatcmpl-{begun.ref}",
        int(time.time()),
        asked.model,
        site_of(request),
        is_live=await in_thread(has_model, scope),
        with_usage=bool(options and options.include_usage),
    )
    return _told(event_stream(request, chunks.tell(followed(scope, begun))), begun)


def site_of(request: HttpRequest) -> str:
    """Where this Footnote is, as the client reached it."""
    return f"{request.scheme}://{request.get_host()}"


@api.get(
    "v1/models",
    url_name="openai_models",
    operation_id="models_list",
    summary="`footnote`, one model for each collection that the key sees, and the embedding model",
    response=shapes.ModelList,
    openapi_extra={"x-key-scope": "ask"},
)
async def models(request: ProgramRequest) -> Any:
    return {"data": [_model(one) for one in await in_thread(catalogue.models_of, request.program)]}


@api.get(
    "v1/models/{path:model}",
    url_name="openai_model",
    operation_id="models_retrieve",
    summary="One of them",
    response=shapes.Model,
    openapi_extra={"x-key-scope": "ask"},
)
async def model(request: ProgramRequest, model: str) -> Any:
    return _model(await in_thread(catalogue.model_of, request.program, model))


def _model(one: catalogue.Listed) -> dict[str, Any]:
    return {"id": one.id, "created": one.created, "name": one.name}


@api.post(
    "v1/embeddings",
    url_name="openai_embeddings",
    operation_id="embeddings",
    summary="Vectors of the live embedding model",
    response=shapes.EmbeddingList,
    openapi_extra={
        "x-key-scope": "ask",
        "x-example": json.dumps({"model": "all-MiniLM-L6-v2", "input": "a text"}),
    },
)
async def embeddings(request: ProgramRequest, asked: shapes.EmbeddingRequest) -> Any:
    return await in_thread(vectors.embed, request.program, asked)


@functools.cache
def views() -> dict[str, View]:
    """By url_name. What loading all this left behind is given back."""
    settle()
    return {str(pattern.name): pattern.callback for pattern in api.urls[0]}  # type: ignore[union-attr,misc]
