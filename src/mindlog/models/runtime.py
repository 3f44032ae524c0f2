"""Whether onnxruntime can be loaded into this process. Owns what is known of the libraries it cannot follow.

usearch's Linux wheel carries a C++ runtime of its own, and the linker shares some of its locale facets' ids with the
process's libstdc++. Numbered by usearch first, they collide with those that libstdc++ numbers later, and the first
library that compiles a regular expression then, as onnxruntime does on import, crashes: on any thread, every time.
"""

from __future__ import annotations

import ctypes
import sys

from mindlog.errors import ModelError

__all__ = ["check_runtime"]

_LIBRARY = "libstdc++.so.6"
# std::__cxx11::collate<char>::id and std::ctype<wchar_t>::id: libstdc++ alone numbers the wide facets after all the narrow ones.
_SHARED_NARROW = "_ZNSt7__cxx117collateIcE2idE"
_OWN_WIDE = "_ZNSt5ctypeIwE2idE"


def check_runtime() -> None:
    """Return if onnxruntime is loaded or can be.

    Raises:
        ModelError: loading it would crash the process.
    """
    if "onnxruntime" in sys.modules or "usearch.compiled" not in sys.modules:
        return
    if _ids_collide():
        raise ModelError("onnxruntime crashes a process that has imported usearch before it: import onnxruntime first")


def _ids_collide() -> bool:
    """Whether the ids were numbered by two runtimes; zero is not numbered yet."""
    try:
        library = ctypes.CDLL(_LIBRARY)
        narrow, wide = (ctypes.c_size_t.in_dll(library, name).value for name in (_SHARED_NARROW, _OWN_WIDE))
    except (OSError, ValueError):
        # Another system or another C++ library: nothing is shared there.
        return False
    return narrow > wide
