"""The bytes to and from an endpoint: no redirects, no compression, a cap on what is read, and walls for named addresses.

An address that a workspace's owner typed is held to the rules of case 14 (docs/isolation.md): https alone, and every
address that the name resolves to must be public, looked at per request and then connected to as it was looked at. What the
operator's environment names is trusted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx2

from answers.router.addresses import Resolve, is_public, resolve
from answers.router.fault import ModelFault

MAX_REPLY_BYTES = 2 * 1024 * 1024


class ForbiddenAddress(httpx2.TransportError):
    """The name leads to an address that no workspace may name."""


class ReplyTooLarge(httpx2.TransportError):
    """More than MAX_REPLY_BYTES came."""


class ModelTransport(httpx2.AsyncBaseTransport):
    """One endpoint's connections. `walled` looks every request's address up and connects to what was looked at."""

    def __init__(self, *, walled: bool, look_up: Resolve = resolve) -> None:
        limits = httpx2.Limits(max_connections=400, max_keepalive_connections=20, keepalive_expiry=30.0)
        self._inner = httpx2.AsyncHTTPTransport(limits=limits, trust_env=False)
        self._walled = walled
        self._look_up = look_up

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        if self._walled:
            await self._pin(request)
        response = await self._inner.handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise ReplyTooLarge("the reply is compressed though none was asked for")
        stream = response.stream
        if not isinstance(stream, httpx2.AsyncByteStream):
            raise TypeError("an asynchronous transport gives an asynchronous stream")
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=_Capped(stream), extensions=response.extensions
        )

    async def _pin(self, request: httpx2.Request) -> None:
        host, port = request.url.host, request.url.port or 443
        addresses = await asyncio.to_thread(self._look_up, host, port)
        if not addresses or not all(is_public(address) for address in addresses):
            raise ForbiddenAddress("not a public address")
        request.extensions = {**request.extensions, "sni_hostname": host}
        request.url = request.url.copy_with(host=addresses[0])

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MAX_REPLY_BYTES:
                raise ReplyTooLarge("the reply is larger than any answer")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def fault_of_transport(error: BaseException | None) -> ModelFault:
    """What a failed connection or a broken stream means; looks through what the SDK wrapped it in."""
    while error is not None:
        if isinstance(error, ForbiddenAddress):
            return ModelFault("forbidden")
        if isinstance(error, ReplyTooLarge):
            return ModelFault("too_large")
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | OSError):
            return ModelFault("unreachable")
        if isinstance(error, httpx2.TimeoutException):
            return ModelFault("silent")
        if isinstance(error, httpx2.TransportError):
            return ModelFault("cut")
        error = error.__cause__
    return ModelFault("unreachable")
