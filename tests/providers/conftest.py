import pytest

from tests.providers.made import a_web


@pytest.fixture
def web():
    with a_web() as served:
        yield served
