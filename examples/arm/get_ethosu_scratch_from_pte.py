"""How much scratch memory a program for Ethos-U needs: what the temporary allocator of the firmware has to have.

    python -m examples.arm.get_ethosu_scratch_from_pte add.pte

Delegates run one after the other and share it, so it is the most that one of them needs.
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Sequence

from executorch.backends.arm.ethosu.vela import unpack
from executorch.exir._serialize._program import deserialize_pte_binary

_BACKEND = "EthosUBackend"


def get_scratch_from_pte(pte_path: str | os.PathLike[str]) -> int | None:
    """Bytes, at a multiple of 16; None if the program has no delegate for Ethos-U.

    Raises:
        ValueError: it is no program, or a delegate's blob is damaged or stands beside the program.
    """
    found = deserialize_pte_binary(pathlib.Path(pte_path).read_bytes())
    program = getattr(found, "program", found)
    blobs = [
        bytes(program.backend_delegate_data[one.processed.index].data)
        for plan in program.execution_plan
        for one in plan.delegates
        if one.id == _BACKEND
    ]
    # Commands and weights may stand beside the program; what is asked for stands in the blob.
    return max((unpack(blob, _Anything()).scratch_size for blob in blobs), default=None)


class _Anything(dict[str, bytes]):
    """Data under every name, for blocks that nobody looks into."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> bytes:
        return b""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) != 1:
        print("usage: python -m examples.arm.get_ethosu_scratch_from_pte PROGRAM.pte", file=sys.stderr)
        return 2
    size = get_scratch_from_pte(given[0])
    if size is None:
        print(f"{given[0]} has no delegate for Ethos-U", file=sys.stderr)
        return 1
    print(size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
