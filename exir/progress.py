"""A progress bar for lowerings that take longer than two seconds; shorter ones, and pipes, stay quiet."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

#: Seconds that a lowering may take before a bar shows.
DELAY = 2.0

_current: ContextVar[Any] = ContextVar("executorch_lowering_progress", default=None)


@contextlib.contextmanager
def progress(title: str, steps: int) -> Iterator[None]:
    """Within it :func:`step` advances a bar of ``steps`` steps; inside another one it shows nothing of its own."""
    if _current.get() is not None:
        yield
        return
    from tqdm import tqdm  # only a lowering needs it, not everybody who imports the compiler

    # disable=None: only where somebody watches.
    with tqdm(total=steps, desc=title, delay=DELAY, disable=None, leave=False, unit="step") as bar:
        token = _current.set(bar)
        try:
            yield
        finally:
            _current.reset(token)


def step(what: str) -> None:
    """Says what starts now, and that what was said before is done."""
    bar = _current.get()
    if bar is not None:
        bar.set_postfix_str(what, refresh=False)
        bar.update(1)


__all__ = ["DELAY", "progress", "step"]
