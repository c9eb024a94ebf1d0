"""Chat completions over an answer: the question out of the messages, the answer as OpenAI's objects, whole or in chunks."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from answers import shown
from answers.rules.markers import markers
from answers.streaming import Told
from answers.typed.refusals import BadParameter, openai_error
from portal.problems import words_for

WITHDRAWN: Final = "\n\n(The text above is withdrawn. What was checked against its sources:)\n\n"
TEXT_PARTS: Final = frozenset({"text", "input_text"})
REFUSED: Final[Mapping[str, str]] = {
    "tools": "Tools are not called here: the answer comes from the documents alone.",
    "functions": "Functions are not called here: the answer comes from the documents alone.",
    "audio": "Answers are text.",
    "logprobs": "There are no token probabilities.",
}
"""Parameters that change what the caller gets: to ignore them would be to pretend."""


def question_of(messages: Sequence[Any]) -> str:
    """The text of the last message, which must be the user's. Raises BadParameter."""
    last, place = messages[-1], len(messages) - 1
    if last.role != "user":
        raise BadParameter(f"messages.{place}.role", "The last message must be the user's: it is the question.")
    for number, part in enumerate(last.content if isinstance(last.content, list) else ()):
        if part.type not in TEXT_PARTS:
            raise BadParameter(f"messages.{place}.content.{number}.type", "Only text is read: no pictures or files.")
    return _text(last)


def earlier_of(messages: Sequence[Any]) -> list[str]:
    """What the user asked before, oldest first. Answers and system messages are not read."""
    return [_text(message) for message in messages[:-1] if message.role == "user"]


def _text(message: Any) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text or "" for part in message.content or () if part.type in TEXT_PARTS)


def refuse_unsupported(request: Any) -> None:
    """Raises BadParameter for what would be left out of the answer without a word."""
    more: Mapping[str, Any] = request.model_extra or {}
    for name, why in REFUSED.items():
        if more.get(name):
            raise BadParameter(name, why)
    if request.n not in (None, 1):
        raise BadParameter("n", "There is one answer to a question: n must be 1.")
    wanted = more.get("response_format")
    if isinstance(wanted, Mapping) and wanted.get("type", "text") != "text":
        raise BadParameter("response_format", "Answers are text with citations.")
    if "audio" in (more.get("modalities") or ()):
        raise BadParameter("modalities", "Answers are text.")
    if request.stream_options is not None and not request.stream:
        raise BadParameter("stream_options", "It is for streams: set stream to true.")


def content_of(meta: Mapping[str, Any]) -> str:
    """The answer's text, or in words why there is none, with the nearest passages by their numbers."""
    if meta["text"]:
        return str(meta["text"])
    outcome, reason = meta["outcome"], words_for(str(meta["reason"])) if meta["reason"] else None
    if outcome == "small_talk":
        return shown.SMALL_TALK
    if outcome == "stopped":
        return "It was stopped before anything was written."
    why = f"{reason.title} {reason.advice}".strip() if reason else "No passage answers this question."
    if outcome == "blocked":
        return why
    nearest = [f"[{one['number']}] {_title(one)}" for one in meta["citations"] if not one["is_removed"]]
    return "\n".join([f"Not found in your documents. {why}", *(["", "Nearest passages:", *nearest] if nearest else [])])


def annotations_of(text: str, citations: Sequence[Mapping[str, Any]], site: str) -> Iterator[dict[str, Any]]:
    """Each marker of the text with the passage that it cites."""
    by_number = {one["number"]: one for one in citations if one["url"]}
    passages = [by_number.get(n, {}).get("snippet", "") for n in range(1, max(by_number, default=0) + 1)]
    for marker in markers(text, passages):
        for number in marker.numbers:
            if one := by_number.get(number):
                cited = {
                    "start_index": marker.start,
                    "end_index": marker.end,
                    "url": f"{site}{one['url']}",
                    "title": _title(one),
                }
                yield {"type": "url_citation", "url_citation": cited}


def _title(one: Mapping[str, Any]) -> str:
    parts = [one["title"], *one["heading_path"][-1:]]
    return " › ".join(part for part in parts if part) or "Untitled"


def usage_of(meta: Mapping[str, Any]) -> dict[str, int]:
    read, wrote = int(meta["tokens_in"]), int(meta["tokens_out"])
    return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}


def finish_of(meta: Mapping[str, Any]) -> str:
    return "length" if "answers.model_capped" in meta["notes"] else "stop"


def completion(meta: Mapping[str, Any], model: str, site: str) -> dict[str, Any]:
    text = content_of(meta)
    message = {"content": text, "annotations": list(annotations_of(text, meta["citations"], site))}
    return {
        "id": f"chatcmpl-{meta['ref']}",
        "created": int(meta["created_at"].timestamp()),
        "model": model,
        "choices": [{"message": message, "finish_reason": finish_of(meta)}],
        "usage": usage_of(meta),
        "footnote": meta,
    }


@dataclass(slots=True)
class Chunks:
    """One answer as chat.completion.chunk events. `is_live` sends text while it is written.

    What is sent cannot be taken back: from a void on, everything waits for the checked text, and where that goes on from
    what was sent only the rest is sent.
    """

    id: str
    created: int
    model: str
    site: str
    is_live: bool
    with_usage: bool
    text: str = field(default="", repr=False)
    is_held: bool = False

    async def tell(self, events: AsyncGenerator[Told | None, None]) -> AsyncIterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})
        async with contextlib.aclosing(events) as told_ones:
            async for told in told_ones:
                if told is None:
                    yield b": still writing\n\n"
                    continue
                for piece in self._piece(told):
                    yield piece

    def _piece(self, told: Told) -> Iterator[bytes]:
        if told.name == "void":
            self.is_held = bool(self.text)
        elif told.name == "token" and self.is_live and not self.is_held:
            yield self._say(str(told.data["text"]))
        elif told.name == "meta":
            yield from self._last(told.data)

    def _say(self, text: str) -> bytes:
        self.text += text
        return self._chunk({"content": text})

    def _last(self, meta: Mapping[str, Any]) -> Iterator[bytes]:
        if problem := meta.get("problem"):
            error = openai_error(problem["code"], problem["detail"], problem["status"])
            yield _data({"error": error})
            return
        final = content_of(meta)
        if final.startswith(self.text):
            if rest := final[len(self.text) :]:
                yield self._say(rest)
        elif self.text.split() != final.split() and not self.text.startswith(final):
            yield self._say(WITHDRAWN + final)
        found = list(annotations_of(self.text, meta["citations"], self.site))
        yield self._chunk({"annotations": found} if found else {}, finish=finish_of(meta), footnote=meta)
        if self.with_usage:
            yield _data({**self._head(), "choices": [], "usage": usage_of(meta)})
        yield b"data: [DONE]\n\n"

    def _chunk(self, delta: Mapping[str, Any], *, finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage = {"usage": None} if self.with_usage else {}
        return _data({**self._head(), "choices": [choice], **usage, **more})

    def _head(self) -> dict[str, Any]:
        return {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}


def _data(body: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(body, ensure_ascii=False, default=_plain)}\n\n".encode()


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
