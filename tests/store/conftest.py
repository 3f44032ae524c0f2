import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    store = SqliteStore.open(tmp_path / "data", model=MODEL)
    yield Bench(store)
    asyncio.run(store.aclose())
