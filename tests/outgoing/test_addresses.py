"""Case 14: what may be called, by the address alone and by what its name leads to."""

from __future__ import annotations

import pytest

from portal.addresses import Unreached, is_public, places_of, read_address

PRIVATE = (
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "168.63.129.16",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.215.14",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "no number",
)


@pytest.mark.parametrize("number", PRIVATE)
def test_a_number_that_is_not_of_the_open_internet_is_not_public(number: str) -> None:
    assert not is_public(number)


@pytest.mark.parametrize("number", ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_a_number_of_the_open_internet_is(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("https://docs.example.org", "https://docs.example.org/"),
        ("HTTP://Docs.Example.ORG:80/a b?x=1#part", ""),
        ("http://Docs.Example.ORG:80/a?x=1#part", "http://docs.example.org/a?x=1"),
        ("https://docs.example.org./", "https://docs.example.org/"),
        ("https://bücher.example/größe?q=ä", "https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe?q=%C3%A4"),
        ("https://8.8.8.8/x", "https://8.8.8.8/x"),
        ("https://[2606:2800:21f::1]/x", "https://[2606:2800:21f::1]/x"),
    ],
)
def test_an_address_is_read_as_it_will_be_asked(url: str, read: str) -> None:
    if not read:
        with pytest.raises(Unreached):
            read_address(url)
        return

    assert read_address(url).url == read


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://docs.example.org/", "portal.url_malformed"),
        ("file:///etc/passwd", "portal.url_malformed"),
        ("gopher://docs.example.org/", "portal.url_malformed"),
        ("javascript:alert(1)", "portal.url_malformed"),
        ("//docs.example.org/", "portal.url_malformed"),
        ("https://", "portal.url_malformed"),
        ("https:///etc", "portal.url_malformed"),
        ("", "portal.url_malformed"),
        ("https://docs.example.org\\@127.0.0.1/", "portal.url_malformed"),
        ("https://docs.example.org/a\r\nHost: b", "portal.url_malformed"),
        ("https://docs.example.org/\x00", "portal.url_malformed"),
        ("https://docs example.org/", "portal.url_malformed"),
        ("https://docs.example.org:99999/", "portal.url_malformed"),
        ("https://docs.example.org:x/", "portal.url_malformed"),
        ("https://docs.example.org/" + "a" * 2_000, "portal.url_malformed"),
        ("https://%31%32%37.0.0.1/", "portal.url_malformed"),
        ("https://[fe80::1%25eth0]/", "portal.url_malformed"),
        ("https://[::1/", "portal.url_malformed"),
        ("http://2130706433/", "portal.url_malformed"),
        ("http://017700000001/", "portal.url_malformed"),
        ("http://0x7f000001/", "portal.url_malformed"),
        ("http://0x7f.0.0.1/", "portal.url_malformed"),
        ("http://0177.0.0.1/", "portal.url_malformed"),
        ("http://127.1/", "portal.url_malformed"),
        ("http://127.0.1/", "portal.url_malformed"),
        ("http://8.8.8.8.0x1/", "portal.url_malformed"),
        ("http://１２７.0.0.1/", "portal.url_private"),
        ("http://127。0。0。1/", "portal.url_private"),
        ("http://127.0.0.1./", "portal.url_private"),
        ("http://127.0.0.1/", "portal.url_private"),
        ("http://[::1]/", "portal.url_private"),
        ("http://[::ffff:7f00:1]/", "portal.url_private"),
        ("http://[64:ff9b::7f00:1]/", "portal.url_private"),
        ("http://169.254.169.254/latest/meta-data/", "portal.url_private"),
        ("https://ada:secret@docs.example.org/", "portal.url_credentials"),
        ("https://@docs.example.org/", "portal.url_credentials"),
        ("https://docs.example.org@127.0.0.1/", "portal.url_credentials"),
        ("https://docs.example.org:22/", "portal.url_port"),
        ("http://docs.example.org:6379/", "portal.url_port"),
        ("http://docs.example.org:0/", "portal.url_port"),
    ],
)
def test_an_address_that_is_not_plainly_of_the_web_is_refused_before_anything_is_looked_up(url: str, code: str) -> None:
    with pytest.raises(Unreached) as refused:
        read_address(url)

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://wiki.internal/", ("wiki.internal",)),
        ("https://wiki.internal/", ("wiki.internal",)),
        ("http://wiki.internal:8080/", ("wiki.internal:8080",)),
        ("http://10.0.0.7/", ("10.0.0.7",)),
        ("http://[fd00::7]:8443/", ("[fd00::7]:8443",)),
    ],
)
def test_the_operator_opens_hosts_of_their_own_network(url: str, allowed: tuple[str, ...]) -> None:
    address = read_address(url, allowed)

    assert address.is_trusted
    assert places_of(address, lambda host, port: ["10.0.0.7"]) == ("10.0.0.7",)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://wiki.internal:8080/", ("wiki.internal",)),
        ("http://wiki.internal:8081/", ("wiki.internal:8080",)),
        ("http://x.wiki.internal:8080/", ("wiki.internal:8080",)),
        ("http://10.0.0.8/", ("10.0.0.7",)),
    ],
)
def test_what_the_operator_opened_opens_nothing_beside_it(url: str, allowed: tuple[str, ...]) -> None:
    with pytest.raises(Unreached):
        read_address(url, allowed)


@pytest.mark.parametrize("found", [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::1"], ["fe80::1%2"]])
def test_a_name_that_leads_anywhere_private_is_refused_whole(found: list[str]) -> None:
    with pytest.raises(Unreached) as refused:
        places_of(read_address("https://docs.example.org/"), lambda host, port: found)

    assert refused.value.code == "portal.url_private"


def test_a_name_without_an_address_is_said() -> None:
    def nothing(host: str, port: int) -> list[str]:
        raise OSError

    def none(host: str, port: int) -> list[str]:
        return []

    for look_up in (nothing, none):
        with pytest.raises(Unreached) as refused:
            places_of(read_address("https://docs.example.org/"), look_up)

        assert refused.value.code == "portal.url_unknown_host"
