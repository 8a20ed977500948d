"""Documented path of the named data store."""

from executorch.partitioner import NamedDataStore, NamedDataStoreOutput
from executorch.partitioner.interface.named_data_store import DataEntry

__all__ = [
    "DataEntry",
    "NamedDataStore",
    "NamedDataStoreOutput",
]
