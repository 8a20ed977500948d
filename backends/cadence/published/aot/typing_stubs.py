"""Published: ``expand``, which makes one test of each row of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any


def expand(cases: Iterable[Any]) -> Callable[[Callable[..., Any]], None]:
    """Puts a test for each of ``cases`` into the class that is being defined, called ``<test>_<number>``.

    Args:
        cases: arguments of the test behind ``self``, each row a tuple or list, or one argument by itself.
    """
    caller = inspect.currentframe()
    assert caller is not None and caller.f_back is not None
    names = caller.f_back.f_locals
    rows = [row if isinstance(row, (tuple, list)) else (row,) for row in cases]

    def decorate(test: Callable[..., Any]) -> None:
        for number, row in enumerate(rows):

            def one(self: Any, row: Any = tuple(row)) -> Any:
                return test(self, *row)

            one.__name__ = f"{test.__name__}_{number}"
            one.__doc__ = test.__doc__
            names[one.__name__] = one

    return decorate
