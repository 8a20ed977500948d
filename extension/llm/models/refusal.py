"""What is asked for and cannot be had: an error that says all on its own, so that a command prints it without a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class RefusalError(ValueError):
    """A configuration, or a file that it names, asks for what is not there; the message says what to do instead."""


class MissingBackendError(RefusalError, NotImplementedError):
    """No such backend comes with this release."""


@contextmanager
def refusals() -> Iterator[None]:
    """Makes a refusal of what others say by ``ValueError``, around a call that does nothing but read what it was asked for.

    Raises:
        RefusalError: the block raised ``ValueError``.
    """
    try:
        yield
    except RefusalError:
        raise
    except ValueError as error:
        raise RefusalError(str(error)) from error
