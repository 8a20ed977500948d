"""The public face of a library, read from what ships: Python signatures of a wheel, headers and symbols of a dist.

A surface is a flat dictionary from a name to what must stay true of it: `py:module.Class.method` to its parameters
(python_surface.py), `h:executorch/runtime/core/error.h` and `cc:_ZN10executorch...` to nothing more than that they are
there: what a C++ function takes is part of its symbol.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import pathlib
import re
import tarfile
import zipfile
from collections.abc import Callable

from executorch.bazel.release.python_surface import OPAQUE, Surface, of_modules
from executorch.toolchains.binaries import read

_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def of_wheel(path: pathlib.Path) -> Surface:
    """All public modules of a wheel."""
    sources, packages = {}, set()
    with zipfile.ZipFile(path) as wheel:
        for name in sorted(wheel.namelist()):
            if not name.endswith(".py"):
                continue
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            sources[module] = wheel.read(name).decode()
            if name.endswith("/__init__.py"):
                packages.add(module)
    return of_modules(sources, frozenset(packages))


def of_dist(path: pathlib.Path) -> Surface:
    """Headers and defined symbols of a C++ distribution; what lies in `internal` or has no linkage is nobody's."""
    surface: Surface = {}
    with tarfile.open(path) as packed:
        for entry in packed:
            stream = packed.extractfile(entry)
            if stream is None:
                continue
            if entry.name.startswith("include/") and "/internal/" not in entry.name:
                surface["h:" + entry.name.removeprefix("include/")] = ""
            elif entry.name.endswith(".a"):
                symbols = read(stream.read()).defined
                surface |= {f"cc:{name}": "" for name in symbols if _is_public_symbol(name)}
    return surface


def _is_public_symbol(name: str) -> bool:
    """Whether a symbol is of our namespaces or our C interfaces, and neither of an `internal` nor of an unnamed one."""
    ours = re.search(r"10executorch|5torch8executor", name) or name.startswith(("et_", "executorch_"))
    return bool(ours) and not re.search(r"8internal|12_GLOBAL__N_1", name)


@functools.cache
def _demangler() -> Callable[[str], str]:
    """The C++ library's own, where this machine has one; it only makes messages easier to read."""
    try:
        library = ctypes.CDLL(ctypes.util.find_library("stdc++") or "libstdc++.so.6")
        demangle, free = library.__cxa_demangle, ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return lambda name: name
    demangle.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

    def readable(name: str) -> str:
        status = ctypes.c_int()
        found = demangle(name.encode(), None, None, ctypes.byref(status))
        if not found:
            return name
        text = ctypes.string_at(found).decode()
        free(found)
        return text

    return readable


def readable(name: str) -> str:
    """A name of a surface as its users know it."""
    kind, _, rest = name.partition(":")
    return {"py": "", "h": "the header ", "cc": "the C++ symbol "}[kind] + (
        _demangler()(rest) if kind == "cc" else rest
    )


def _still_callable(before: str, now: str) -> bool:
    """Whether every call that fits the parameters `before` fits `now` as well."""
    if before == now or before in OPAQUE or now in OPAQUE:
        return True
    if "class" in (before, now):
        return False
    old, new = before.split(", ") if before else [], now.split(", ") if now else []
    required = [name for name in new if not name.startswith("*") and not name.endswith("=")]
    if any(name not in old for name in required):
        return False

    def plain(names: list[str]) -> list[str]:
        """Those that a call may give by position."""
        end = next((index for index, name in enumerate(names) if name.startswith("*")), len(names))
        return [name.rstrip("=") for name in names[:end]]

    names = {name.rstrip("=") for name in new}
    kept = all(name.rstrip("=") in names for name in old if name != "*")
    return kept and plain(new)[: len(plain(old))] == plain(old)


def _behind_an_opaque_name(owner: str, now: Surface) -> bool:
    """Whether a class, or what it is in, is still there, though not defined in this library."""
    return bool(owner) and (now.get(owner) in OPAQUE or _behind_an_opaque_name(owner.rpartition(".")[0], now))


def breaks(before: Surface, now: Surface) -> list[str]:
    """What a user of `before` misses in `now`, one line each."""
    found = []
    for name, old in before.items():
        if name not in now:
            owner = name.rpartition(".")[0] if name.startswith("py:") else ""
            # A class that is gone says it for its members.
            if (owner in before and owner not in now) or _behind_an_opaque_name(owner, now):
                continue
            found.append(f"{readable(name)} is gone")
        elif not _still_callable(old, now[name]):
            found.append(f"{readable(name)} took ({old}) and takes ({now[name]})")
    return found
