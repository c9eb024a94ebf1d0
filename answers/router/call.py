"""One call of one endpoint, through the `openai` SDK, as pieces of text that a plain thread reads.

The call itself runs on an event loop of this module's own, where every wait can be bounded and a call can be ended while it
is silent. Leaving the generator ends the call: the connection upstream is closed at once, and nothing more is paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Final

import httpx2
import openai

from answers.router.fault import ModelFault, fault_of_status
from answers.router.said import End, Message, Stopped
from answers.router.transport import ModelTransport, fault_of_transport
from portal.events import Log
from portal.model_env import ModelEndpoint

log = Log("answers.model")
CHARACTERS_A_TOKEN: Final = 6
"""No language writes more: what is longer than the allowed tokens could be is cut here, whatever the endpoint heeds."""

LOOK_S: Final = 0.1


Item = str | End | ModelFault


def pieces(
    endpoint: ModelEndpoint, messages: Sequence[Message], *, walled: bool, stop: Callable[[], bool]
) -> Iterator[str | End]:
    """The answer as it is written, then exactly one End. Raises ModelFault, or Stopped within LOOK_S of `stop()`."""
    found: queue.SimpleQueue[Item] = queue.SimpleQueue()
    running = asyncio.run_coroutine_threadsafe(_put(endpoint, messages, walled, found), _loop())
    try:
        while True:
            if stop():
                raise Stopped
            try:
                item = found.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if isinstance(item, ModelFault):
                raise item
            yield item
            if isinstance(item, End):
                return
    finally:
        running.cancel()


async def _put(
    endpoint: ModelEndpoint, messages: Sequence[Message], walled: bool, found: queue.SimpleQueue[Item]
) -> None:
    try:
        async with asyncio.timeout(endpoint.total_s):
            async for item in _talk(endpoint, messages, walled):
                found.put(item)
    except ModelFault as fault:
        found.put(fault)
    except Exception as error:  # noqa: BLE001 (the boundary to a foreign program: whatever it sent is a fault of the call)
        found.put(_fault_of(error))


async def _talk(endpoint: ModelEndpoint, messages: Sequence[Message], walled: bool) -> AsyncIterator[Item]:
    client: Any = _client(endpoint, walled)
    asked = time.monotonic()
    async with asyncio.timeout(endpoint.first_s):
        stream: Any = await client.chat.completions.create(
            model=endpoint.model,
            messages=list(messages),
            temperature=0,
            max_tokens=endpoint.max_output_tokens,
            stream=True,
            stream_options={"include_usage": True},
        )
    try:
        room = endpoint.max_output_tokens * CHARACTERS_A_TOKEN
        async for item in _read(stream, room, endpoint.first_s - (time.monotonic() - asked), endpoint.idle_s):
            yield item
    finally:
        with contextlib.suppress(Exception):
            await stream.close()


async def _read(stream: Any, room: int, first_s: float, idle_s: float) -> AsyncIterator[Item]:
    """Pieces until the endpoint says why it ended, then its count; one that never says so was cut, blanks alone are empty."""
    reason, usage, patience, has_text = "", None, max(first_s, 0.1), False
    chunks = aiter(stream)
    while True:
        try:
            async with asyncio.timeout(patience):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            break
        usage = getattr(chunk, "usage", None) or usage
        text, why = _content(chunk)
        reason = reason or why
        if text:
            has_text, patience = has_text or not text.isspace(), idle_s
            yield text[:room]
            room -= len(text)
            if room <= 0:
                reason = "length"
                break
    if not (reason and has_text):
        raise ModelFault("cut" if has_text else "empty")
    yield End(reason == "length", _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _content(chunk: Any) -> tuple[str, str]:
    """The text and the finish reason of a chunk, whatever an endpoint put in their place. Raises ModelFault."""
    if getattr(chunk, "error", None):
        raise ModelFault("failed")
    choices = getattr(chunk, "choices", None)
    if not isinstance(choices, list) or not choices:
        return "", ""
    text = getattr(getattr(choices[0], "delta", None), "content", None)
    why = getattr(choices[0], "finish_reason", None)
    return (text if isinstance(text, str) else ""), (why if isinstance(why, str) else "")


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and 0 <= value < 10_000_000 else None


def _fault_of(error: Exception) -> ModelFault:
    if isinstance(error, openai.APIStatusError):
        return fault_of_status(error.status_code, error.response.headers.get("Retry-After", ""))
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ModelFault("silent")
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | OSError):
        return fault_of_transport(error.__cause__ if isinstance(error, openai.APIConnectionError) else error)
    if isinstance(error, openai.APIError):
        return ModelFault("failed")
    log.warning("model.garbage", kind=type(error).__name__)
    return ModelFault("garbage")


@functools.lru_cache(maxsize=64)
def _client(endpoint: ModelEndpoint, walled: bool) -> openai.AsyncOpenAI:
    """One client for each endpoint and process, used on the loop of this module alone."""
    http = httpx2.AsyncClient(
        transport=ModelTransport(walled=walled),
        timeout=httpx2.Timeout(endpoint.total_s, connect=endpoint.connect_s),
        follow_redirects=False,
        trust_env=False,
    )
    return openai.AsyncOpenAI(
        base_url=endpoint.base_url, api_key=endpoint.key or "none", http_client=http, max_retries=0
    )


_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _started()


@functools.cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
    return loop
