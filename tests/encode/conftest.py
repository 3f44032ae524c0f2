"""The engine fixtures of the engine's tests."""

from tests.engine.conftest import embedder, engine

__all__ = ["embedder", "engine"]
