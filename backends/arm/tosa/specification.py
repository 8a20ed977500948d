"""Which TOSA a program may use: version, profiles, extensions."""

from __future__ import annotations

import contextlib
import contextvars
import re
from collections.abc import Iterator

#: Extension -> the profiles it extends, as in the specification's table; ``u55`` narrows INT to what Ethos-U55 runs.
_EXTENSIONS = {
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
_PROFILES = ("INT", "FP")
_VERSIONS = ("1.0",)


class TosaSpecification:
    """A version with profiles and extensions, written ``TOSA-1.0+INT+FP+int16``.

    Args:
        version: ``"1.0"``, or anything that prints so.
        extras: profiles (at least one) and extensions.

    Raises:
        ValueError: the version, a profile or an extension is not one that this backend writes.
    """

    def __init__(self, version: object, extras: list[str]) -> None:
        self.version = str(version)
        self.profiles = [one for one in _PROFILES if one in extras]
        self.extensions = [one for one in extras if one not in _PROFILES]
        if self.version not in _VERSIONS:
            raise ValueError(f"TOSA {self.version} is not written; versions: {', '.join(_VERSIONS)}")
        if not self.profiles:
            raise ValueError(f"no profile among {extras}; name one or both of {', '.join(_PROFILES)}")
        for one in self.extensions:
            if one not in _EXTENSIONS:
                raise ValueError(f"unknown extension {one!r}; there are {', '.join(_EXTENSIONS)}")
            if not set(_EXTENSIONS[one]) & set(self.profiles):
                raise ValueError(f"extension {one} needs profile {' or '.join(_EXTENSIONS[one])}")

    @staticmethod
    def create_from_string(repr: str) -> TosaSpecification:
        """What ``str`` of a specification says, ``TOSA-1.0+FP`` for instance."""
        found = re.fullmatch(r"TOSA-(\d+\.\d+)(?:\.\d+)?((?:\+\w+)*)", repr)
        if found is None:
            raise ValueError(
                f"{repr!r} is no TOSA specification; write it as TOSA-1.0+INT or TOSA-1.0+INT+FP"
            )
        return Tosa_1_00(found[1], found[2].split("+")[1:])

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
        return "+".join([f"TOSA-{self.version}", *self.profiles, *self.extensions])

    def __repr__(self) -> str:
        return f"TosaSpecification({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TosaSpecification) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class Tosa_1_00(TosaSpecification):
    """Version 1.0, the one that is written."""


_LOWERED_FOR: contextvars.ContextVar[TosaSpecification] = contextvars.ContextVar("tosa_specification")


@contextlib.contextmanager
def TosaLoweringContext(spec: TosaSpecification) -> Iterator[None]:
    """Passes that are run in it find the specification by :func:`get_context_spec`."""
    token = _LOWERED_FOR.set(spec)
    try:
        yield
    finally:
        _LOWERED_FOR.reset(token)


def get_context_spec() -> TosaSpecification:
    """The specification of the innermost :func:`TosaLoweringContext`.

    Raises:
        RuntimeError: there is none.
    """
    found = _LOWERED_FOR.get(None)
    if found is None:
        raise RuntimeError("no specification is set; run this within TosaLoweringContext(spec)")
    return found
