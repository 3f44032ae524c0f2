"""Growing NumPy columns with one writer and lock-free readers. Owns growth; knows nothing of what a column means."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Codes", "Growing", "grown"]

T = TypeVar("T", bound=np.generic)
_FIRST = 1024


def grown(array: NDArray[T], need: int, fill: Any = None) -> NDArray[T]:
    """Return the array itself if it has room for `need` items, else a copy of at least twice the size."""
    if need <= len(array):
        return array
    bigger = np.empty((max(need, 2 * len(array), _FIRST), *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    if fill is not None:
        bigger[len(array) :] = fill
    return bigger


class Growing(Generic[T]):
    """An append-only column. A reader's `view()` stays as it is while the writer goes on."""

    __slots__ = ("_array", "_length")

    def __init__(self, dtype: type[T]) -> None:
        self._array: NDArray[T] = np.empty(0, dtype)
        self._length = 0

    def extend(self, values: ArrayLike) -> None:
        """Append the values; they become visible together."""
        items = np.asarray(values, self._array.dtype)
        end = self._length + len(items)
        self._array = grown(self._array, end)
        self._array[self._length : end] = items
        self._length = end

    def view(self) -> NDArray[T]:
        """Return what has been appended so far."""
        # The length first: the array is swapped before the length rises, so it always holds that many.
        length = self._length
        return self._array[:length]

    def __len__(self) -> int:
        return self._length


class Codes:
    """A dictionary of strings: each gets the next number, None is -1."""

    __slots__ = ("_codes", "_names")

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._names: list[str] = []

    def code(self, name: str | None) -> int:
        """Return the number of the name, giving out the next one if it is new."""
        if name is None:
            return -1
        code = self._codes.get(name)
        if code is None:
            code = len(self._names)
            self._names.append(name)
            self._codes[name] = code
        return code

    def find(self, name: str) -> int | None:
        """Return the number of the name, or None if it never occurred."""
        return self._codes.get(name)

    def name(self, code: int) -> str | None:
        """Return the string of a number, None for -1."""
        return None if code < 0 else self._names[code]

    def __len__(self) -> int:
        return len(self._names)
