"""The house keeps its shape: sizes of modules and functions, layers, export lists, where errors may be caught."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mindlog
from mindlog.derive.pipeline import DERIVE
from mindlog.encode.pipeline import ENCODE
from mindlog.pipeline import Steps, names
from mindlog.query.pipeline import QUERY
from mindlog.remember.pipeline import REMEMBER, REMEMBER_WHOLE
from mindlog.store.stages import DERIVE_STAGES, ENCODE_STAGES, QUERY_STAGES, REMEMBER_STAGES, StageInfo

SOURCE = Path(mindlog.__file__).parent
ROOT = SOURCE.parent.parent
HARD_CAP, SOFT_CAP, SOFT_EXCEPTIONS = 700, 400, 3
# The three rims that record whatever reaches them, and the records themselves, which may never fail a call.
MAY_CATCH_ALL = {
    "pipeline/observer.py",
    "pipeline/runner.py",
    "api/app.py",
    "api/problems.py",
    "query/log.py",
    "runs/worker.py",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> Iterator[tuple[str, ast.Module, int]]:
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield str(path.relative_to(SOURCE)), ast.parse(text), text.count("\n")


def functions() -> Iterator[tuple[str, Function]]:
    for name, tree, _ in modules():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield f"{name}:{node.name}", node


def body_lines(function: Function) -> int:
    """Lines of the body without the docstring: a long explanation is no long function."""
    body = function.body[1:] if ast.get_docstring(function) and len(function.body) > 1 else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def export_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as the linter sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_no_module_is_over_the_hard_cap_and_few_over_the_soft_one() -> None:
    sizes = {name: lines for name, _, lines in modules()}
    assert not {n: s for n, s in sizes.items() if s > HARD_CAP}
    assert len({n: s for n, s in sizes.items() if s > SOFT_CAP}) <= SOFT_EXCEPTIONS, sizes
    assert statistics.median(sizes.values()) <= 160


def test_functions_are_short() -> None:
    sizes = sorted((body_lines(node), name) for name, node in functions())
    lengths = [size for size, _ in sizes]
    assert statistics.median(lengths) <= 10
    assert lengths[int(len(lengths) * 0.9)] <= 35
    assert not [name for size, name in sizes if size > 60]


def test_every_parameter_and_result_is_annotated() -> None:
    bare = []
    for name, node in functions():
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        bare += [f"{name}({a.arg})" for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
        bare += [] if node.returns is not None else [name]
    assert not bare


def test_every_module_and_public_name_has_a_docstring() -> None:
    missing = []
    for name, tree, lines in modules():
        if lines and not ast.get_docstring(tree):
            missing.append(name)
        for node in tree.body:
            if (
                isinstance(node, Function | ast.ClassDef)
                and not node.name.startswith("_")
                and not ast.get_docstring(node)
            ):
                missing.append(f"{name}:{node.name}")
    assert not missing


def test_everything_is_caught_only_at_the_rims() -> None:
    caught = set()
    for name, tree, _ in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and (node.type is None or "'Exception'" in ast.dump(node.type)):
                caught.add(name)
    assert caught <= MAY_CATCH_ALL


def test_no_module_reads_the_environment_but_settings() -> None:
    readers = {
        name
        for name, tree, _ in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert readers <= {"settings.py", "testing/faults.py"}


@pytest.mark.parametrize("name", sorted(m.name for m in pkgutil.walk_packages([str(SOURCE)], "mindlog.")))
def test_every_module_imports_and_its_export_list_is_sorted_and_true(name: str) -> None:
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    assert list(exported) == sorted(exported, key=export_order)
    for public in exported:
        assert hasattr(module, public)


@pytest.mark.parametrize(
    ("pipeline", "table"),
    [
        pytest.param(ENCODE, ENCODE_STAGES, id="encode"),
        pytest.param(DERIVE, DERIVE_STAGES, id="derive"),
        pytest.param(REMEMBER, REMEMBER_STAGES, id="remember"),
        pytest.param(REMEMBER_WHOLE, REMEMBER_STAGES, id="remember a text of one chunk"),
        pytest.param(QUERY, QUERY_STAGES, id="query"),
    ],
)
def test_every_pipeline_is_its_stage_table(pipeline: Steps[Any], table: tuple[StageInfo, ...]) -> None:
    assert names(pipeline) == tuple(stage.name for stage in table)


def test_imports_go_one_way() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


def test_importing_mindlog_brings_no_server_no_model_and_no_index() -> None:
    code = (
        "import sys, mindlog; heavy = {'fastapi', 'onnxruntime', 'tantivy', 'cyclopts', 'rich', 'httpx2', 'uvicorn', 'torch', 'PIL', 'pypdf', 'h3'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_file_names_an_address_of_a_registry_or_a_path_of_a_machine() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode != 0:
        pytest.skip("not a git checkout")
    # Written in two halves, so that this file does not find itself.
    forbidden = [
        "pypi" + ".org",
        "python" + "hosted",
        "registry" + ".npmjs",
        "/root" + "/",
        "/work" + "/main",
        "/home" + "/",
    ]
    found = []
    for name in tracked.stdout.splitlines():
        path = ROOT / name
        if path.suffix in (".npy", ".png", ".onnx", ".gz", ".bin") or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        found += [f"{name}: {word}" for word in forbidden if word in text]
    assert not found
