from pathlib import Path

import pytest

from mindlog.store.base import Store
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import CHECKS, Check
from tests.store.made import MODEL


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_the_sqlite_store_keeps_the_contract(check: Check, tmp_path: Path) -> None:
    async def open_store() -> Store:
        return SqliteStore.open(tmp_path / "data", model=MODEL)

    await check(open_store)


def test_every_check_is_in_the_list_once() -> None:
    names = [check.__name__ for check in CHECKS]
    assert len(set(names)) == len(names) >= 40
