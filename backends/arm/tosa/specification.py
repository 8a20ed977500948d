"""Which TOSA a program may use: version, profiles, extensions."""

from __future__ import annotations

import contextlib
import contextvars
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

#: Version -> extension -> the profiles it extends, as in the specification's table; ``u55`` narrows INT to what Ethos-U55 runs.
_EXTENSIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "1.0": {
        "int4": ("INT",),
        "int16": ("INT",),
        "u55": ("INT",),
        "bf16": ("FP",),
        "fp8e4m3": ("FP",),
        "fp8e5m2": ("FP",),
        "fft": ("FP",),
        "var": ("INT", "FP"),
        "cf": ("INT", "FP"),
    }
}
_EXTENSIONS["1.1"] = {
    **_EXTENSIONS["1.0"],
    "shape": ("INT", "FP"),
    "int64": ("INT", "FP"),
    "random": ("FP",),
    "mxfp": ("FP",),
    "blockscale_ue5m3": ("FP",),
}
_PROFILES = ("INT", "FP")
#: Bounds on sizes for small devices.
_LEVEL = "8k"


@dataclass(frozen=True, order=True)
class TosaVersion:
    """A version; the patch level is there if it was written."""

    major: int
    minor: int
    micro: int | None = None

    @staticmethod
    def create_from_string(text: str) -> TosaVersion:
        """``1.0`` or ``1.0.0``.

        Raises:
            ValueError: it is neither.
        """
        if re.fullmatch(r"\d+\.\d+(\.\d+)?", text) is None:
            raise ValueError(f"{text!r} is no version of TOSA; write it as 1.0 or 1.0.0")
        return TosaVersion(*map(int, text.split(".")))

    @property
    def key(self) -> str:
        """The version without patch level."""
        return f"{self.major}.{self.minor}"

    def __str__(self) -> str:
        return self.key if self.micro is None else f"{self.key}.{self.micro}"


class TosaSpecification:
    """A version with profiles and extensions, written ``TOSA-1.0+INT+FP+int16``.

    Programs use what 1.0 has, also where 1.1 is given, which has all of it.

    Args:
        version: ``"1.0"``, or anything that prints so.
        extras: profiles (at least one) and extensions; the level ``8k`` may be among them. An extension that is there twice counts once.

    Raises:
        ValueError: the version, a profile or an extension is not known, or a profile is there twice.
    """

    def __init__(self, version: object, extras: list[str]) -> None:
        self.version = TosaVersion.create_from_string(str(version))
        if any(extras.count(one) > 1 for one in _PROFILES):
            raise ValueError(f"a profile is there twice in {extras}")
        extras = list(dict.fromkeys(extras))
        self.profiles = [one for one in extras if one in _PROFILES]
        self.extensions = [one for one in extras if one not in (*_PROFILES, _LEVEL)]
        #: Whether sizes keep to the bounds of the level 8K.
        self.level_8k = _LEVEL in extras
        known = _EXTENSIONS.get(self.version.key)
        if known is None:
            raise ValueError(f"TOSA {self.version} is not known; versions: {', '.join(_EXTENSIONS)}")
        if not self.profiles:
            raise ValueError(f"no profile among {extras}; name one or both of {', '.join(_PROFILES)}")
        for one in self.extensions:
            if one not in known:
                raise ValueError(f"unknown extension {one!r}; TOSA {self.version} has {', '.join(known)}")
            if not set(known[one]) & set(self.profiles):
                raise ValueError(f"extension {one} needs profile {' or '.join(known[one])}")

    @staticmethod
    def create_from_string(repr: str) -> TosaSpecification:
        """What ``str`` of a specification says, ``TOSA-1.0+FP`` for instance."""
        found = re.fullmatch(r"TOSA-(\d+\.\d+(?:\.\d+)?)((?:\+\w+)*)", repr)
        if found is None:
            raise ValueError(
                f"{repr!r} is no TOSA specification; write it as TOSA-1.0+INT or TOSA-1.0+INT+FP"
            )
        version = TosaVersion.create_from_string(found[1])
        kind = Tosa_1_1 if version.key == "1.1" else Tosa_1_00
        return kind(version, found[2].split("+")[1:])

    def support_integer(self) -> bool:
        """Whether the profile INT is there."""
        return "INT" in self.profiles

    def support_float(self) -> bool:
        """Whether the profile FP is there."""
        return "FP" in self.profiles

    def support_extension(self, extension: str) -> bool:
        """Whether this extension is there."""
        return extension in self.extensions

    @property
    def is_U55_subset(self) -> bool:
        """Whether only what Ethos-U55 runs may be used."""
        return "u55" in self.extensions

    def __str__(self) -> str:
        level = [_LEVEL] if self.level_8k else []
        return "+".join([f"TOSA-{self.version}", *self.profiles, *self.extensions, *level])

    def __repr__(self) -> str:
        return f"TosaSpecification({str(self)!r})"

    def _parts(self) -> tuple[object, ...]:
        return self.version.key, frozenset(self.profiles), frozenset(self.extensions), self.level_8k

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TosaSpecification) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())


class Tosa_1_00(TosaSpecification):
    """Version 1.0, the one that is written."""


class Tosa_1_1(TosaSpecification):
    """Version 1.1: shapes that are calculated, int64, scales for blocks."""


Value = TypeVar("Value")


class TosaSpecMapping(Generic[Value]):
    """Values by version and profile; a specification has those of all its profiles, extensions change nothing."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[Value]] = {}

    def add(self, spec: TosaSpecification, value: Value) -> None:
        """Adds a value for a specification of one profile.

        Raises:
            ValueError: the specification has two profiles, or extensions.
        """
        if len(spec.profiles) != 1 or spec.extensions:
            raise ValueError(f"{spec} is not one profile without extensions; add a value for each profile")
        self._values.setdefault((spec.version.key, spec.profiles[0]), []).append(value)

    def get(self, spec: TosaSpecification) -> list[Value]:
        """The values of all profiles of the specification.

        Raises:
            KeyError: there are none.
        """
        keys = [(spec.version.key, profile) for profile in spec.profiles]
        found = [value for key in keys for value in self._values.get(key, [])]
        if not found:
            raise KeyError(f"nothing is known for {spec}; there is something for {sorted(self._values)}")
        return found


_Lowered = tuple[TosaSpecification, Any]
_LOWERED_FOR: contextvars.ContextVar[_Lowered] = contextvars.ContextVar("tosa_specification")


@contextlib.contextmanager
def TosaLoweringContext(spec: TosaSpecification, shape_env: Any = None) -> Iterator[None]:
    """What runs in it finds the specification by :func:`get_context_spec`.

    Args:
        spec: the specification.
        shape_env: torch's ``ShapeEnv`` of sizes that are not known.
    """
    token = _LOWERED_FOR.set((spec, shape_env))
    try:
        yield
    finally:
        _LOWERED_FOR.reset(token)


def get_context_spec() -> TosaSpecification:
    """The specification of the innermost :func:`TosaLoweringContext`.

    Raises:
        RuntimeError: there is none.
    """
    return _innermost()[0]


def get_context_shape_env() -> Any:
    """The ``ShapeEnv`` of the innermost :func:`TosaLoweringContext`; None if none was given.

    Raises:
        RuntimeError: there is no context.
    """
    return _innermost()[1]


def _innermost() -> _Lowered:
    found = _LOWERED_FOR.get(None)
    if found is None:
        raise RuntimeError("no specification is set; run this within TosaLoweringContext(spec)")
    return found
