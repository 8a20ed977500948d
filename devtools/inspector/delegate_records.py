"""Records that delegates attach to their events, and who reads them.

The inspector knows no delegate. Whoever writes such records registers what reads them, by the name of their format::

    register_delegate_records("my_backend.counters", lambda attached: [json.loads(one) for one in attached if one[:1] == b"{"])
    inspector.get_delegate_records("my_backend.counters")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

#: From what was attached to one event, one entry a run and none of them empty, to records; passes over other formats.
RecordReader: TypeAlias = Callable[[Sequence[Any]], list[dict[str, Any]]]

_readers: dict[str, RecordReader] = {}


def register_delegate_records(name: str, reader: RecordReader) -> None:
    """Makes ``reader`` what :meth:`Inspector.get_delegate_records` reads this format with, in place of an earlier one.

    Args:
        name: Of the format.
        reader: Gives the records of one event; raises ``ValueError`` for what names the format and cannot be read.
    """
    _readers[name] = reader


def delegate_record_reader(name: str) -> RecordReader:
    """What reads this format.

    Raises:
        ValueError: Nobody has registered it; the message lists what there is.
    """
    if name not in _readers:
        known = ", ".join(sorted(_readers)) or "none"
        raise ValueError(
            f"nothing reads delegates' records of the format {name!r}; known: {known}. Way out: import the backend's package "
            "that registers it with executorch.devtools.inspector.delegate_records.register_delegate_records"
        )
    return _readers[name]


__all__ = ["RecordReader", "delegate_record_reader", "register_delegate_records"]
