"""Documented path of :mod:`executorch.emitter`."""

from executorch.emitter import Cord
from executorch.emitter.file_data import FileBackedData

__all__ = [
    "Cord",
    "FileBackedData",
]
