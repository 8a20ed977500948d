"""Writes the table of an ETDump as comma-separated values.

python -m executorch.devtools.scripts.generate_profiling_csv --etdump_path=run.etdp --output=run.csv
"""

from __future__ import annotations

import argparse
import os
from typing import IO

from executorch.devtools.inspector import Inspector


def generate_csv(etdump_path: str | os.PathLike[str], output: str | os.PathLike[str] | IO[str]) -> None:
    """Writes the inspector's table of events.

    Args:
        etdump_path: the ETDump.
        output: a path, or a file that is open for writing.
    """
    Inspector(etdump_path=str(etdump_path)).to_dataframe().to_csv(output)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--etdump_path", required=True, help="the ETDump")
    parser.add_argument("--output", default="etdump.csv", help="the file to write; default: etdump.csv")
    options = parser.parse_args()
    generate_csv(options.etdump_path, options.output)


if __name__ == "__main__":
    main()
