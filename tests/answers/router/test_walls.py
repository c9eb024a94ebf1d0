"""Which addresses a workspace may name for a model (case 14), and that what was looked at is what is connected to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2
import pytest

from answers.router.addresses import address_fault, is_public
from answers.router.transport import ForbiddenAddress, ModelTransport

PRIVATE = (
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
    "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1%eth0", "not an address", "198.18.0.1", "192.0.2.1",
)  # fmt: skip


def finds(*addresses: str) -> object:
    def look_up(host: str, port: int) -> Sequence[str]:
        return addresses

    return look_up


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_the_open_internet_is_refused(address: str) -> None:
    assert not is_public(address)
    assert address_fault("https://models.example/v1", look_up=finds(address)) == "answers.provider_private"  # type: ignore[arg-type]


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111"])
def test_the_open_internet_may_be_named(address: str) -> None:
    assert is_public(address)
    assert address_fault("https://models.example/v1", look_up=finds(address)) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    [
        "http://models.example/v1",
        "ftp://models.example",
        "https://user:pass@models.example/v1",
        "https://models.example/v1?key=1",
        "https://models.example/v1#x",
        "https:///v1",
        "https://[::1",
        "https://models.example:99999/v1",
        "javascript:alert(1)",
        "",
    ],
)
def test_what_is_no_address_of_a_model_is_refused(url: str) -> None:
    assert address_fault(url, look_up=finds("8.8.8.8")) == "answers.provider_url"  # type: ignore[arg-type]


def test_one_private_address_among_public_ones_is_enough() -> None:
    mixed = finds("8.8.8.8", "10.0.0.1")

    assert address_fault("https://models.example/v1", look_up=mixed) == "answers.provider_private"  # type: ignore[arg-type]


def test_the_operator_may_open_a_private_host() -> None:
    assert address_fault("http://gpu.internal:8000/v1", ("gpu.internal",)) == ""
    assert address_fault("ftp://gpu.internal/v1", ("gpu.internal",)) == "answers.provider_url"


def test_a_name_that_turns_private_after_it_was_saved_is_refused_at_the_call() -> None:
    async def call() -> None:
        transport = ModelTransport(walled=True, look_up=finds("169.254.169.254"))  # type: ignore[arg-type]
        async with httpx2.AsyncClient(transport=transport) as client:
            await client.post("https://models.example/v1/chat/completions")

    with pytest.raises(ForbiddenAddress):
        asyncio.run(call())


def test_the_address_that_was_looked_at_is_the_one_connected_to() -> None:
    seen: list[httpx2.Request] = []

    class Inner(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            seen.append(request)
            return httpx2.Response(200, stream=httpx2.ByteStream(b"{}"))

    async def call() -> None:
        transport = ModelTransport(walled=True, look_up=finds("8.8.8.8"))  # type: ignore[arg-type]
        transport._inner = Inner()  # type: ignore[assignment]
        async with httpx2.AsyncClient(transport=transport) as client:
            await client.post("https://models.example/v1/chat/completions")

    asyncio.run(call())
    assert seen[0].url.host == "8.8.8.8"
    assert seen[0].headers["host"] == "models.example"
    assert seen[0].extensions["sni_hostname"] == "models.example"
