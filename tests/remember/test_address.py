"""Fetching over real connections: what is allowed arrives, everything else is refused or fails with its reason."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from mindlog.errors import AddressRefused, DocumentTooLarge, FetchFailed, MindlogError
from mindlog.remember.address import Fetched, FetchRules, fetch
from tests.remember.loopback import CERTIFICATE, Web, moved, whole

HERE = ("127.0.0.1/32",)


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web().serving() as web:
        yield web


class Names:
    """A resolver of the tests' own: every name is this machine unless told otherwise; one answer a question."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(found) for name, found in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        left = self.answers.get(host)
        return ["127.0.0.1"] if left is None else left.pop(0)


def rules(**changed: Any) -> FetchRules:
    return FetchRules(**{"hosts": ("docs.test",), "private": HERE, "resolve": Names(), **changed})


async def refused(url: str, by: FetchRules) -> AddressRefused:
    with pytest.raises(AddressRefused) as caught:
        await fetch(url, by)
    assert caught.value.field == "url"
    assert not caught.value.retryable
    return caught.value


async def failed(url: str, by: FetchRules) -> FetchFailed:
    with pytest.raises(FetchFailed) as caught:
        await fetch(url, by)
    return caught.value


async def test_a_document_arrives_with_its_name_and_type(web: Web) -> None:
    web.pages["/a/my%20paper.pdf?x=1"] = whole(b"%PDF-", Content_Type="application/pdf")
    url = web.url("/a/my%20paper.pdf?x=1")
    assert await fetch(url + "#page=3", rules()) == Fetched(b"%PDF-", "my paper.pdf", "application/pdf", url)
    head = web.asked[0].lower()
    assert f"host: docs.test:{web.port}" in head
    assert "accept-encoding: identity" in head
    assert "cookie" not in head
    assert "authorization" not in head


@pytest.mark.parametrize(
    ("disposition", "path", "name"),
    [
        ('attachment; filename="../../etc/passwd"', "/x", "passwd"),
        ("attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt", "/x", "Größe.txt"),
        ('attachment; filename="C:\\\\dir\\\\a.txt"', "/x", "a.txt"),
        (None, "/a/..%2F..%2Fetc%2Fpasswd", "passwd"),
        (None, "/a/", None),
        (None, "/a/%2e%2e", None),
        (None, "/a%00b.txt", "ab.txt"),
    ],
)
async def test_a_name_is_never_a_path(web: Web, disposition: str | None, path: str, name: str | None) -> None:
    headers = {"Content_Disposition": disposition} if disposition else {}
    web.pages[path] = whole(b"text", **headers)
    assert (await fetch(web.url(path), rules())).name == name


async def test_nothing_is_fetched_from_hosts_that_are_not_listed(web: Web) -> None:
    assert (await refused(web.url("/a"), FetchRules())).extra["rule"] == "host"
    error = await refused(web.url("/a"), rules(hosts=("other.test", "*.docs.test")))
    assert error.extra["rule"] == "host"
    assert "docs.test is not one of the hosts" in error.detail
    assert web.asked == []


@pytest.mark.parametrize(
    "address",
    ["127.0.0.2", "10.0.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "::1", "fd00::1", "::ffff:127.0.0.2"],
)
async def test_a_listed_name_that_leads_inside_is_refused(web: Web, address: str) -> None:
    names = Names(docs_test=[[address], ["127.0.0.1", address]])
    by = rules(resolve=names)
    for _ in range(2):
        error = await refused(web.url("/a"), by)
        assert error.extra["rule"] == "address"
        assert f"docs.test resolves to {ipaddress.ip_address(address)}, which is" in error.detail
    assert web.asked == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "127.1", "localhost", "[::ffff:7f00:1]"]
)
async def test_every_way_to_write_this_machine_is_refused_by_the_real_resolver(web: Web, host: str) -> None:
    with pytest.raises(MindlogError) as caught:
        await fetch(web.url("/a", host=host), FetchRules(hosts=("*",)))
    assert isinstance(caught.value, AddressRefused | FetchFailed)
    assert caught.value.extra.get("rule") == "address" or "cannot be resolved" in caught.value.detail
    assert web.asked == []


async def test_the_cloud_metadata_service_is_refused() -> None:
    url = "http://169.254.169.254/latest/meta-data/"
    error = await refused(url, FetchRules(hosts=("*",)))
    assert error.extra["rule"] == "address"
    assert "link-local" in error.detail


async def test_the_name_is_resolved_once_and_the_connection_goes_to_the_address_that_was_checked(web: Web) -> None:
    web.pages["/a"] = whole(b"text")
    names = Names(docs_test=[["127.0.0.1"], ["10.0.0.1"]])
    assert (await fetch(web.url("/a"), rules(resolve=names))).data == b"text"
    assert names.asked == ["docs.test"]


async def test_a_name_that_changes_its_address_between_two_redirects_is_checked_anew(web: Web) -> None:
    web.pages["/a"] = moved("/b")
    web.pages["/b"] = whole(b"secret")
    names = Names(docs_test=[["127.0.0.1"], ["169.254.169.254"]])
    assert (await refused(web.url("/a"), rules(resolve=names))).extra["rule"] == "address"
    assert len(web.asked) == 1


async def test_the_next_address_is_tried_where_one_does_not_answer(web: Web) -> None:
    web.pages["/a"] = whole(b"text")
    names = Names(docs_test=[["127.0.0.9", "127.0.0.1"]])
    assert (await fetch(web.url("/a"), rules(resolve=names, private=("127.0.0.0/8",)))).data == b"text"


async def test_redirects_are_followed_and_the_last_address_is_told(web: Web) -> None:
    web.pages["/a"] = moved("b/c")
    web.pages["/b/c"] = moved(f"//docs.test:{web.port}/d#part", "308 Permanent Redirect")
    web.pages["/d"] = whole(b"there")
    fetched = await fetch(web.url("/a"), rules())
    assert (fetched.data, fetched.url) == (b"there", web.url("/d"))


async def test_redirects_in_a_circle_are_named(web: Web) -> None:
    web.pages["/a"] = moved("/b")
    web.pages["/b"] = moved("/a#again")
    error = await refused(web.url("/a"), rules())
    assert error.extra["rule"] == "redirects"
    assert f"circle: {web.url('/a')} -> {web.url('/b')} -> {web.url('/a')}" in error.detail
    assert len(web.asked) == 2


async def test_five_redirects_are_followed_and_a_sixth_is_refused(web: Web) -> None:
    for at in range(6):
        web.pages[f"/{at}"] = moved(f"/{at + 1}")
    web.pages["/6"] = whole(b"there")
    assert (await fetch(web.url("/1"), rules())).data == b"there"
    error = await refused(web.url("/0"), rules())
    assert error.extra["rule"] == "redirects"
    assert "more than 5 redirects" in error.detail


@pytest.mark.parametrize(
    ("to", "rule"),
    [
        ("http://127.0.0.2/secret", "address"),
        ("http://[::1]/secret", "address"),
        ("http://169.254.169.254/latest/meta-data", "address"),
        ("http://inside.test/secret", "address"),
        ("http://unlisted.example/x", "host"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://docs.test/x", "scheme"),
        ("http://user:secret@docs.test/x", "credentials"),
        ("http://h\u00e4\u0000/", "url"),
    ],
)
async def test_a_redirect_to_what_may_not_be_fetched_is_refused(web: Web, to: str, rule: str) -> None:
    async def own(host: str, port: int) -> Sequence[str]:
        return {"docs.test": ["127.0.0.1"], "inside.test": ["10.1.2.3"]}.get(host, [host.strip("[]")])

    web.pages["/a"] = moved("PLACE").replace(b"PLACE", to.encode())
    by = rules(hosts=("docs.test", "inside.test", "127.0.0.2", "::1", "169.254.169.254"), resolve=own)
    if rule == "url":
        # The HTTP library refuses such a header before it gets to us.
        assert isinstance(await failed(web.url("/a"), by), FetchFailed)
        return
    error = await refused(web.url("/a"), by)
    assert error.extra["rule"] == rule
    assert "user:secret" not in error.detail
    assert len(web.asked) == 1


async def test_a_body_over_the_limit_is_refused_by_what_it_declares(web: Web) -> None:
    declared = asyncio.Event()

    async def say(out: asyncio.StreamWriter) -> None:
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n")
        await out.drain()
        declared.set()
        await asyncio.get_running_loop().create_future()

    web.pages["/a"] = say
    with pytest.raises(DocumentTooLarge, match="larger than 1000000 bytes") as caught:
        await fetch(web.url("/a"), rules(limit=1_000_000))
    assert declared.is_set()
    assert caught.value.field == "url"


async def test_a_body_without_end_is_left_at_the_limit(web: Web) -> None:
    async def say(out: asyncio.StreamWriter) -> None:
        out.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            out.write(b"x" * 65536)
            await out.drain()

    web.pages["/a"] = say
    with pytest.raises(DocumentTooLarge):
        await fetch(web.url("/a"), rules(limit=1_000_000))
    async with asyncio.timeout(10):
        await web.gone.wait()


async def test_a_body_shorter_than_it_declares_is_no_document(web: Web) -> None:
    web.pages["/a"] = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
    error = await failed(web.url("/a"), rules())
    assert error.retryable
    assert "no whole answer" in error.detail


async def test_of_a_body_longer_than_it_declares_only_that_much_is_read(web: Web) -> None:
    web.pages["/a"] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext and more"
    assert (await fetch(web.url("/a"), rules())).data == b"text"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\ntexts",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000,
        b"",
    ],
)
async def test_what_is_no_answer_fails(web: Web, answer: bytes) -> None:
    web.pages["/a"] = answer
    assert (await failed(web.url("/a"), rules())).retryable


async def test_a_packed_answer_is_not_unpacked(web: Web) -> None:
    web.pages["/a"] = whole(gzip.compress(bytes(1_000_000)), Content_Encoding="gzip")
    error = await failed(web.url("/a"), rules())
    assert "packed" in error.detail
    assert not error.retryable


async def test_an_answer_that_drips_is_left_when_the_time_is_over(web: Web) -> None:
    async def say(out: asyncio.StreamWriter) -> None:
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            out.write(b"x")
            await out.drain()
            await asyncio.sleep(0.01)

    web.pages["/a"] = say
    error = await failed(web.url("/a"), rules(seconds=0.3))
    assert "no document within 0.3 seconds" in error.detail
    assert error.retryable
    async with asyncio.timeout(10):
        await web.gone.wait()


async def test_the_time_counts_over_all_redirects_and_the_resolver(web: Web) -> None:
    async def never(host: str, port: int) -> Sequence[str]:
        return await asyncio.get_running_loop().create_future()

    assert "within 0.1 seconds" in (await failed(web.url("/a"), rules(seconds=0.1, resolve=never))).detail


@pytest.mark.parametrize(
    ("status", "again"), [("404 Not Found", False), ("403 Forbidden", False), ("500 Oops", True), ("429 Slow", True)]
)
async def test_a_status_that_is_no_success_fails_and_says_whether_to_try_again(
    web: Web, status: str, again: bool
) -> None:
    web.pages["/a"] = whole(b"sorry", status)
    error = await failed(web.url("/a"), rules())
    assert (error.retryable, error.extra["answered"]) == (again, int(status[:3]))


async def test_a_host_that_cannot_be_reached_fails(web: Web) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    error = await failed(f"http://docs.test:{port}/", rules())
    assert error.retryable
    assert "cannot be reached" in error.detail


async def test_a_name_that_is_none_fails(web: Web) -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(-2, "Name or service not known")

    assert "cannot be resolved" in (await failed(web.url("/a"), rules(resolve=unknown))).detail
    assert "has no address" in (await failed(web.url("/a"), rules(resolve=Names(docs_test=[[]])))).detail


async def test_proxies_of_the_environment_are_not_used(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    web.pages["/a"] = whole(b"text")
    assert (await fetch(web.url("/a"), rules())).data == b"text"


async def test_over_tls_the_name_is_asked_for_and_the_certificate_is_checked_against_it() -> None:
    trust = ssl.create_default_context(cafile=str(CERTIFICATE))
    async with Web().serving(tls=True) as web:
        web.pages["/a"] = whole(b"text")
        by = rules(hosts=("*",), trust=trust)
        assert (await fetch(web.url("/a", scheme="https"), by)).data == b"text"
        assert web.names == ["docs.test"]
        error = await failed(web.url("/a", host="other.test", scheme="https"), by)
        assert "other.test" in error.detail
        assert "certificate" in error.detail.lower()
        assert isinstance(await failed(web.url("/a", scheme="https"), rules()), FetchFailed)
        assert len(web.asked) == 1
