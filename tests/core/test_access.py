"""Callers: what scopes include, which datasets they see, and that a secret is kept only as its hash."""

from __future__ import annotations

import re

import pytest

from mindlog.access import LOCAL, Caller, hash_secret, new_secret
from mindlog.errors import Forbidden
from mindlog.records import ApiKey, Scope


def key(*scopes: Scope, datasets: frozenset[str] | None = None) -> ApiKey:
    return ApiKey(
        id="key_1",
        name="k",
        prefix="ml_sk_abcd",
        scopes=frozenset(scopes),
        datasets=datasets,
        created_at=0,
        last_used_at=None,
        revoked_at=None,
    )


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (Scope.READ, {Scope.READ}),
        (Scope.WRITE, {Scope.READ, Scope.WRITE}),
        (Scope.ADMIN, {Scope.READ, Scope.WRITE, Scope.ADMIN}),
    ],
)
def test_a_scope_includes_the_lesser_ones(given: Scope, held: set[Scope]) -> None:
    caller = Caller.of(key(given))
    assert caller.scopes == held
    for scope in Scope:
        if scope in held:
            caller.require(scope)
        else:
            with pytest.raises(Forbidden):
                caller.require(scope)


def test_a_dataset_that_is_not_the_callers_is_forbidden() -> None:
    caller = Caller.of(key(Scope.WRITE, datasets=frozenset({"mine"})))
    caller.require(Scope.WRITE, "mine")
    with pytest.raises(Forbidden) as refusal:
        caller.require(Scope.WRITE, "theirs")
    assert refusal.value.field == "dataset"
    assert (caller.sees("mine"), caller.sees("theirs")) == (True, False)


def test_whoever_runs_the_process_may_do_everything() -> None:
    for scope in Scope:
        LOCAL.require(scope, "any dataset")


def test_secrets_are_long_and_random_and_hashed_whatever_is_sent() -> None:
    made = {new_secret() for _ in range(100)}
    assert len(made) == 100
    assert all(re.fullmatch(r"ml_sk_[\w-]{43}", secret) for secret in made)
    assert len({hash_secret(text) for text in ("", "a", "\ud800", "ml_sk_x")}) == 4
    assert {len(hash_secret(text)) for text in ("", "\ud800")} == {32}
