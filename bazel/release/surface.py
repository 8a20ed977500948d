"""The public face of a library, read from what ships: Python signatures of a wheel, headers and symbols of a dist.

A surface is a flat dictionary from a name to what must stay true of it: `py:module.Class.method` to its parameters,
`h:executorch/runtime/core/error.h` and `cc:_ZN10executorch...` to nothing more than that they are there.
"""

from __future__ import annotations

import ast
import pathlib
import re
import tarfile
import zipfile

from executorch.toolchains.binaries import read

Surface = dict[str, str]


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The parameters' names, kinds and which have defaults; neither annotations nor the defaults' values."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    optional = len(positional) - len(arguments.defaults)
    found = [one.arg + ("=" if index >= optional else "") for index, one in enumerate(positional)]
    if arguments.vararg:
        found.append("*" + arguments.vararg.arg)
    elif arguments.kwonlyargs:
        found.append("*")
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found += [one.arg + ("=" if default is not None else "") for one, default in pairs]
    if arguments.kwarg:
        found.append("**" + arguments.kwarg.arg)
    return ", ".join(found)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name == "__init__"


def _of_body(prefix: str, body: list[ast.stmt], surface: Surface) -> None:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            surface[f"{prefix}.{node.name}"] = _parameters(node)
        elif isinstance(node, ast.ClassDef) and _is_public(node.name):
            surface[f"{prefix}.{node.name}"] = "class"
            _of_body(f"{prefix}.{node.name}", node.body, surface)


def of_module(name: str, source: str) -> Surface:
    """What a module offers: functions, classes and their methods whose names do not begin with an underscore."""
    surface: Surface = {}
    _of_body(f"py:{name}", ast.parse(source).body, surface)
    return surface


def of_wheel(path: pathlib.Path) -> Surface:
    """All public modules of a wheel."""
    surface: Surface = {}
    with zipfile.ZipFile(path) as wheel:
        for name in sorted(wheel.namelist()):
            parts = name.removesuffix(".py").split("/")
            if name.endswith(".py") and all(part == "__init__" or not part.startswith("_") for part in parts):
                module = ".".join(part for part in parts if part != "__init__")
                surface |= of_module(module, wheel.read(name).decode())
    return surface


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
    """Whether a mangled name is of our namespaces, and neither of an `internal` nor of an unnamed one."""
    ours = re.search(r"10executorch|5torch8executor", name) or name.startswith("et_pal_")
    return bool(ours) and not re.search(r"8internal|12_GLOBAL__N_1", name)


def _still_callable(before: str, now: str) -> bool:
    """Whether every call that fits the parameters `before` fits `now` as well."""
    if before == now:
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


def breaks(before: Surface, now: Surface) -> list[str]:
    """What a user of `before` misses in `now`, one line each."""
    found = []
    for name, old in before.items():
        if name not in now:
            found.append(f"{name} is gone")
        elif not _still_callable(old, now[name]):
            found.append(f"{name} took ({old}) and takes ({now[name]})")
    return found
