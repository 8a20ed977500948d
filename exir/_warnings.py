"""Marks for the life cycle of an interface: experimental, stable (no mark), deprecated, deleted.

* ``@experimental("why")``: may change or go without notice.
* ``@deprecated("what to use instead, and the first version without it")``: works for at least two more minor
  releases.

Both warn when the function is called or the class is made; the messages say what to use instead.
"""

from typing_extensions import deprecated


class ExperimentalWarning(DeprecationWarning):
    """The caller uses an interface that may change or go without notice."""


class experimental(deprecated):
    """Decorates a function, class or overload whose interface may still change.

    Args:
        message: shown to the caller.
        category: of the warning; None marks the object without a warning at run time.
        stacklevel: 1 names the caller's line.
    """

    def __init__(
        self,
        message: str,
        /,
        *,
        category: "type[Warning] | None" = ExperimentalWarning,
        stacklevel: int = 1,
    ) -> None:
        super().__init__(message, category=category, stacklevel=stacklevel)


__all__ = ["ExperimentalWarning", "deprecated", "experimental"]
