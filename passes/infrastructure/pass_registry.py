"""Passes by name, so that a configuration can name them."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from executorch.dialects.errors import ExportError, ExportErrorType


class PassRegistry:
    """Name to list of passes, one for the process."""

    registry: ClassVar[dict[str, list[Any]]] = {}

    @classmethod
    def register(cls, pass_name: "str | None" = None) -> Callable[[Any], Any]:
        """Decorates a pass, which is then found by ``pass_name`` (default: its own name).

        Raises:
            ExportError: the name is taken.
        """

        def add(pass_: Any) -> Any:
            cls.register_list(pass_name or pass_.__name__, [pass_])
            return pass_

        return add

    @classmethod
    def register_list(cls, pass_name: str, pass_list: Sequence[Any]) -> None:
        """Registers several passes under one name.

        Raises:
            ExportError: the name is taken.
        """
        if pass_name in cls.registry:
            raise ExportError(
                ExportErrorType.VIOLATION_OF_SPEC,
                f"there are passes of the name {pass_name!r} already\nWay out: choose another name",
            )
        cls.registry[pass_name] = list(pass_list)

    @classmethod
    def get(cls, key: str) -> list[Any]:
        """The passes of a name.

        Raises:
            ExportError: there are none.
        """
        if key not in cls.registry:
            raise ExportError(
                ExportErrorType.NOT_SUPPORTED,
                f"no passes of the name {key!r}; there are {sorted(cls.registry)}",
            )
        return list(cls.registry[key])


__all__ = ["PassRegistry"]
