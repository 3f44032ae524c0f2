"""What `import mindlog` offers, and what it does not load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mindlog


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert list(mindlog.__all__) == sorted(mindlog.__all__)
    for name in mindlog.__all__:
        assert getattr(mindlog, name) is not None
        assert name in dir(mindlog)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_here"):
        mindlog.nothing_here  # noqa: B018


@pytest.mark.parametrize("names", ["mindlog.__version__", "mindlog.MindlogError, mindlog.Filters, mindlog.Memory"])
def test_importing_and_using_plain_names_loads_no_heavy_library(names: str) -> None:
    heavy = {"fastapi", "onnxruntime", "tantivy", "cyclopts", "httpx2", "numpy", "apsw", "pydantic", "rich", "uvicorn"}
    code = f"import sys, mindlog; {names}; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
