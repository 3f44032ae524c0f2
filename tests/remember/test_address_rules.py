"""Which addresses are public, which hosts a list allows, what an address must look like."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import AddressRefused, ConfigError
from mindlog.remember.address import FetchRules, fetch, private_because
from mindlog.settings import Settings


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "loopback"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("192.168.0.1", "private"),
        ("169.254.169.254", "link-local"),
        ("0.0.0.0", "unspecified"),
        ("224.0.0.1", "multicast"),
        ("255.255.255.255", "private"),
        ("100.64.0.1", "not a public"),
        ("198.18.0.1", "private"),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("fc00::1", "private"),
        ("fec0::1", "not a public"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "private"),
        ("::ffff:10.0.0.1", "private"),
        ("::127.0.0.1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "link-local"),
        ("64:ff9b:1::1", "reserved"),
        ("2002:7f00:1::", "loopback"),
        ("2001:0:a00:1::", "private"),
        ("4000::1", "reserved"),
    ],
)
def test_addresses_that_are_not_public_are_told_with_the_reason(address: str, why: str) -> None:
    assert why in (private_because(ipaddress.ip_address(address)) or "public")


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
)
def test_public_addresses_are_not(address: str) -> None:
    assert private_because(ipaddress.ip_address(address)) is None


@given(st.ip_addresses(v=4))
def test_an_address_inside_an_ipv6_address_is_judged_as_itself(inner: ipaddress.IPv4Address) -> None:
    number = int(inner)
    outer = [0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80]
    for each in outer:
        assert (private_because(ipaddress.IPv6Address(each)) is None) == (private_because(inner) is None)


@pytest.mark.parametrize(
    ("pattern", "host", "allowed"),
    [
        ("docs.test", "docs.test", True),
        ("Docs.Test.", "docs.test", True),
        ("docs.test", "a.docs.test", False),
        ("docs.test", "notdocs.test", False),
        ("*.docs.test", "a.docs.test", True),
        ("*.docs.test", "a.b.docs.test", True),
        ("*.docs.test", "docs.test", False),
        ("*.docs.test", "notdocs.test", False),
        ("*", "anything.example", True),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("*.bücher.example", "a.xn--bcher-kva.example", True),
        ("[2606:4700::1111]", "2606:4700::1111", True),
    ],
)
def test_a_list_of_hosts_allows_names_and_what_lies_below_them(pattern: str, host: str, allowed: bool) -> None:
    assert FetchRules(hosts=(pattern,)).allows(host) is allowed


def test_a_name_on_the_list_that_is_none_is_the_operators_error() -> None:
    with pytest.raises(ConfigError, match="remember_hosts"):
        FetchRules(hosts=("bü cher\x01",)).allows("docs.test")


def test_nothing_is_allowed_unless_the_operator_says_so() -> None:
    assert Settings(_env_file=None).remember_hosts == []
    assert not FetchRules(hosts=tuple(Settings().remember_hosts)).allows("docs.test")


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("ftp://docs.test/a", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("../../etc/passwd", "scheme"),
        ("docs.test/a", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("", "scheme"),
        ("http:///a", "url"),
        ("http://do cs.test/\x00", "url"),
        ("http://[::1/a", "url"),
        ("http://docs.test:99999999/a", "url"),
        ("http://docs.test/" + "a" * 9000, "url"),
        ("http://user@docs.test/a", "credentials"),
        ("https://user:secret@docs.test/a", "credentials"),
        ("http://docs.test\\@other.test/", "credentials"),
        ("http://docs.test.other.test/", "host"),
    ],
)
async def test_an_address_that_breaks_a_rule_is_refused_with_the_rules_name(url: str, rule: str) -> None:
    with pytest.raises(AddressRefused) as caught:
        await fetch(url, FetchRules(hosts=("docs.test",)))
    assert caught.value.extra["rule"] == rule
    assert "secret" not in caught.value.detail
