"""Hosts as configs name them, and the addresses that a granted name may stand for."""

import pytest

from agentevals.sandbox.allowed_hosts import Granted, Host, RefusedHostError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("api.example.com", "api.example.com:443"),
        ("API.example.com.:8443", "api.example.com:8443"),
        ("*.example.com", "*.example.com:443"),
        ("bücher.example", "xn--bcher-kva.example:443"),
        ("127.0.0.1:80", "127.0.0.1:80"),
        ("127.1:80", "127.0.0.1:80"),
        ("2130706433:80", "127.0.0.1:80"),
        ("0x7f000001:80", "127.0.0.1:80"),
        ("0:80", "0.0.0.0:80"),
        ("[::1]:80", "[::1]:80"),
        ("::1", "[::1]:443"),
        ("[::ffff:127.0.0.1]:80", "127.0.0.1:80"),
        ("[64:ff9b::10.0.0.1]:80", "10.0.0.1:80"),
    ],
)
def test_a_host_has_one_spelling(text: str, shown: str) -> None:
    assert str(Host.parse(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("", ":80", "a b", "http://example.com", "example.com/x", "example.com:0"),
        *("example.com:65536", "example.com:x", "example.com:", "u@example.com", "*", "a.*.com"),
        *("-a.example", "example..com", "exämple\u2024.com:1:1", "a\r\nb"),
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write host:port|no port"):
        Host.parse(text)


@pytest.mark.parametrize(
    ("granted", "asked", "is_covered"),
    [
        ("api.example.com", "api.example.com:443", True),
        ("api.example.com", "api.example.com:80", False),
        ("api.example.com", "api.example.com.evil.example:443", False),
        ("*.example.com", "a.b.example.com:443", True),
        ("*.example.com", "example.com:443", False),
        ("*.example.com", "evilexample.com:443", False),
        ("127.0.0.1:80", "127.0.0.2:80", False),
        ("*.0.0.1:80", "127.0.0.1:80", False),
    ],
)
def test_a_grant_is_of_a_host_and_its_port(granted: str, asked: str, is_covered: bool) -> None:
    assert Host.parse(granted).covers(Host.parse(asked)) is is_covered


INNER = [
    *("127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
    *("100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "255.255.255.255"),
    *("224.0.0.1", "::1", "::", "fe80::1%eth0", "fd00:ec2::254", "fc00::1", "ff02::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"),
]


@pytest.mark.parametrize("address", INNER)
def test_a_name_that_stands_for_an_address_of_the_machine_is_refused(address: str) -> None:
    granted = Granted((Host("rebound.example"),), resolve=lambda *_: [address])

    with pytest.raises(RefusedHostError, match="not a public address; add `network: "):
        granted.find_addresses(Host("rebound.example"))


def test_of_several_addresses_only_the_public_ones_are_used() -> None:
    found = ["127.0.0.1", "93.184.215.14", "::1"]
    granted = Granted((Host("a.example"),), resolve=lambda *_: found)

    assert granted.find_addresses(Host("a.example")) == ("93.184.215.14",)


def test_an_address_of_the_machine_is_reached_where_it_is_granted_itself() -> None:
    both = (Host("db.internal", 80), Host("10.0.0.5", 80))

    assert Granted(both[1:]).find_addresses(both[1]) == ("10.0.0.5",)
    assert Granted(both, resolve=lambda *_: ["10.0.0.5"]).find_addresses(both[0]) == ("10.0.0.5",)


def test_localhost_says_itself_what_it_stands_for() -> None:
    granted = Granted((Host("localhost", 80),), resolve=lambda *_: ["::1", "127.0.0.1", "10.0.0.1"])

    assert granted.find_addresses(Host("localhost", 80)) == ("::1", "127.0.0.1")


def test_a_name_without_an_address_is_said() -> None:
    def find_nothing(*_: object) -> list[str]:
        raise OSError

    with pytest.raises(RefusedHostError, match="its name has no address"):
        Granted((Host("a.example"),), resolve=find_nothing).find_addresses(Host("a.example"))
