"""`mindlog places` and `mindlog near`: what is remembered of places, and of the surroundings of a point. Owns their options and output."""

from __future__ import annotations

from mindlog.cli.output import print_json, print_table
from mindlog.cli.paging import walk
from mindlog.cli.target import DEFAULT, Target
from mindlog.views import NearPlace, Place

__all__ = ["near", "places"]

_PLACE = ("place", "region", "country", "lat", "lon", "sure", "entity", "memories")
_MEMORIES = 3


def places(*, dataset: str = "default", limit: int = 50, target: Target = DEFAULT) -> None:
    """List the places that memories speak of, those given last first.

    Args:
        dataset: The collection (`default` if missing).
        limit: Most places (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = walk(lambda size, cursor: db.places(dataset, limit=size, cursor=cursor), limit)
        if target.json:
            print_json(*found)
            return
        print_table(_PLACE, map(_row, found))


def near(
    lat: float, lon: float, /, *, km: float = 50.0, dataset: str = "default", limit: int = 50, target: Target = DEFAULT
) -> None:
    """List the places around a point that memories speak of, nearest first.

    Args:
        lat: Latitude of the point in degrees, north is positive.
        lon: Longitude of the point in degrees, east is positive.
        km: How far around to look, in kilometres (50 if missing).
        dataset: The collection (`default` if missing).
        limit: Most places (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.near(lat, lon, km=km, dataset=dataset, limit=limit)
    if target.json:
        print_json(*found)
        return
    print_table(("km", *_PLACE), map(_near_row, found))


def _near_row(each: NearPlace) -> tuple[object, ...]:
    return f"{each.km:.1f}", *_row(each)


def _row(each: Place) -> tuple[object, ...]:
    more = len(each.memory_ids) - _MEMORIES
    return (
        each.name,
        each.region,
        each.country,
        f"{each.lat:.4f}",
        f"{each.lon:.4f}",
        "yes" if each.confident else "no",
        None if each.entity is None else each.entity.entity_id,
        ", ".join([*each.memory_ids[:_MEMORIES], *([f"{more} more"] if more > 0 else [])]),
    )
