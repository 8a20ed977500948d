"""The package ``coremltools``, imported when something is lowered: nothing else of this backend needs it."""

from __future__ import annotations

import functools
import logging
from typing import Any

from executorch.dialects.errors import ExportError

#: The release that this is tested with.
VERSION = "9.0"


@functools.cache
def coremltools() -> Any:
    """The module.

    Raises:
        ExportError: it is not installed.
    """
    logger = logging.getLogger("coremltools")
    level = logger.level
    # On other systems than macOS it complains line by line that Core ML itself is not there; converting needs none of it.
    logger.setLevel(logging.ERROR)
    try:
        import coremltools as found
    except ImportError as error:
        raise ExportError(
            f"Core ML programs are made with the package coremltools, which cannot be imported ({error}). Way out: "
            f"pip install coremltools=={VERSION}"
        ) from error
    finally:
        logger.setLevel(level)
    return found
