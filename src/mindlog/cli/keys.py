"""The `keys` commands: create, list and revoke API keys. Owns their options and output."""

from __future__ import annotations

from cyclopts import App

from mindlog.cli.output import print_json, print_line, print_table, warn
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.records import ApiKey
from mindlog.wire import to_json

__all__ = ["app"]

app = App(name="keys")


@app.command
def create(name: str, /, *, scope: tuple[str, ...], dataset: tuple[str, ...] = (), target: Target = DEFAULT) -> None:
    """Create an API key and print its secret, which is shown this once.

    Args:
        name: What the key is for.
        scope: `read`, `write` or `admin`, each including the ones before; may be repeated.
        dataset: A dataset the key may touch; may be repeated. Every dataset if missing.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        key, secret = db.create_key(name, scopes=scope, datasets=dataset or None)
    if target.json:
        print_json({**to_json(key), "secret": secret})
        return
    print_line(secret)
    warn(f"{key.id}: keep the secret, it is not shown again")


@app.default
@app.command(name="list")
def list_(*, target: Target = DEFAULT) -> None:
    """List the API keys, newest first."""
    with target.connect() as db:
        _show(db.keys(), target)


@app.command
def revoke(key_id: str, /, *, target: Target = DEFAULT) -> None:
    """Revoke an API key at once.

    Args:
        key_id: The key's id, not its secret.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show([db.revoke_key(key_id)], target)


def _show(keys: list[ApiKey], target: Target) -> None:
    if target.json:
        print_json(*keys)
        return
    headings = ("key_id", "name", "prefix", "scopes", "datasets", "last_used_at", "revoked_at")
    print_table(headings, map(_row, keys))


def _row(key: ApiKey) -> tuple[object, ...]:
    datasets = "all" if key.datasets is None else ", ".join(sorted(key.datasets))
    return (
        key.id,
        key.name,
        key.prefix,
        ", ".join(sorted(key.scopes)),
        datasets,
        _when(key.last_used_at),
        _when(key.revoked_at),
    )


def _when(at: int | None) -> str | None:
    return None if at is None else iso(at)
