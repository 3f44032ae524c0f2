from mindlog.store.base import ModelStamp

MODEL = ModelStamp(name="tiny", fingerprint="a" * 64, dimensions=8)
OTHER = ModelStamp(name="small", fingerprint="b" * 64, dimensions=12)


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self, at: int = 1_700_000_000_000_000) -> None:
        self.at = at

    def now(self) -> int:
        return self.at
