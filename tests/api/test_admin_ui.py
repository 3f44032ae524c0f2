"""The files of the admin UI: which are served to whom, under which headers, and what is never reached."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from mindlog.api import adminui
from mindlog.engine import Engine
from tests.api.conftest import ClientFactory, assert_problem, make_key

PAGE = "<!doctype html><title>mindlog</title>"
SCRIPT = "console.info('here')\n" * 50
SECRET = "not to be read"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as the build leaves it, with things around and in it that are not of the build."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "index.js").write_text(SCRIPT)
    (folder / "assets" / "index.css").write_text("body {}")
    (folder / "assets" / "index.key").write_text(SECRET)
    (tmp_path / "secret.js").write_text(SECRET)
    (folder / "assets" / "link.js").symlink_to(tmp_path / "secret.js")
    monkeypatch.setattr(adminui, "FOLDER", folder)
    return folder


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/admin", "text/html; charset=utf-8"),
        ("/admin/", "text/html; charset=utf-8"),
        ("/admin/icon.svg", "image/svg+xml"),
        ("/admin/assets/index.js", "text/javascript; charset=utf-8"),
        ("/admin/assets/index.css", "text/css; charset=utf-8"),
    ],
)
async def test_every_file_has_its_type_and_the_strict_headers(
    client: httpx2.AsyncClient, built: Path, path: str, kind: str
):
    response = await client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == kind
    policy = response.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["runs", "runs/enc_0000000000001", "documents/a.b.txt", "settings", "recall?cue=x", "%00", "x" * 5000]
)
async def test_a_path_of_a_view_is_answered_with_the_page(client: httpx2.AsyncClient, built: Path, path: str):
    response = await client.get(f"/admin/{path}")
    assert (response.status_code, response.text) == (200, PAGE)


@pytest.mark.parametrize(
    "path",
    [
        "assets/none.js",
        "assets/index.key",
        "assets/link.js",
        "assets/%2e%2e/%2e%2e/secret.js",
        "assets/..%2f..%2fsecret.js",
        "assets/",
        "assets/%00",
    ],
)
async def test_an_asset_that_the_build_did_not_make_is_not_there(client: httpx2.AsyncClient, built: Path, path: str):
    assert_problem(await client.get(f"/admin/{path}"), 404, "not_found", "path")


@pytest.mark.parametrize("path", ["%2e%2e/secret.js", "..%2fsecret.js", "%2fetc/passwd", "x/%2e%2e/%2e%2e/secret.js"])
async def test_no_path_leads_out_of_the_folder(client: httpx2.AsyncClient, built: Path, path: str):
    assert (await client.get(f"/admin/{path}")).text == PAGE


async def test_a_browser_that_has_the_newest_is_told_so(client: httpx2.AsyncClient, built: Path):
    first = await client.get("/admin/assets/index.js")
    assert first.headers["cache-control"] == "no-cache"
    again = await client.get("/admin/assets/index.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    (built / "assets" / "index.js").write_text("another build")
    newer = await client.get("/admin/assets/index.js", headers={"If-None-Match": first.headers["etag"]})
    assert (newer.status_code, newer.text) == (200, "another build")


async def test_files_are_packed_only_for_who_unpacks_them(client: httpx2.AsyncClient, built: Path):
    packed = await client.get("/admin/assets/index.js", headers={"Accept-Encoding": "gzip"})
    plain = await client.get("/admin/assets/index.js", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text == SCRIPT
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    assert packed.headers["etag"] != plain.headers["etag"]


async def test_the_page_needs_no_key_since_it_is_where_one_signs_in(
    client_of: ClientFactory, engine: Engine, built: Path
):
    await make_key(engine, "read")
    async with client_of(local=False) as client:
        assert (await client.get("/v1/datasets")).status_code == 401
        assert (await client.get("/admin/runs")).text == PAGE
        assert (await client.get("/admin/assets/index.js")).text == SCRIPT


async def test_a_head_has_the_headers_of_the_get_and_nothing_else_is_possible(address: str, built: Path):
    async with httpx2.AsyncClient(base_url=address) as client:
        got, head = await client.get("/admin"), await client.head("/admin")
        assert head.content == b""
        for name in ("etag", "content-length", "content-type", "content-security-policy"):
            assert head.headers[name] == got.headers[name]
        assert_problem(await client.post("/admin"), 405, "method_not_allowed")
        assert_problem(await client.delete("/admin/assets/index.js"), 405, "method_not_allowed")


async def test_a_package_without_the_build_says_how_to_build_it(
    client: httpx2.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(adminui, "FOLDER", tmp_path / "none")
    problem = assert_problem(await client.get("/admin"), 404, "not_found", "path")
    assert "make ui" in str(problem["detail"])


async def test_the_api_does_not_list_the_pages(client: httpx2.AsyncClient):
    paths = (await client.get("/openapi.json")).json()["paths"]
    assert paths
    assert not [path for path in paths if path.startswith("/admin")]
