"""Command line: one `functions.yaml` of two, where the first one's kernels win."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import yaml

from executorch.codegen.tools.yaml_util import BlankLineDumper


def _name(entry: dict[str, Any]) -> str:
    return (entry.get("op") or entry["func"].split("(", 1)[0]).strip()


def merge(functions_yaml_path: str, fallback_yaml_path: str | None, output_dir: str) -> None:
    """Writes `merged.yaml`.

    Args:
        functions_yaml_path: entries that are all taken.
        fallback_yaml_path: entries that are taken for operators that the first file has not.
        output_dir: where the file goes; made if need be.
    """
    merged: dict[str, dict[str, Any]] = {}
    for path in (functions_yaml_path, fallback_yaml_path):
        if path is None:
            continue
        with open(path) as file:
            for entry in yaml.safe_load(file) or []:
                merged.setdefault(_name(entry), entry)
    os.makedirs(output_dir, exist_ok=True)
    with open(os.path.join(output_dir, "merged.yaml"), "w") as file:
        yaml.dump(
            list(merged.values()),
            file,
            Dumper=BlankLineDumper,
            default_flow_style=False,
            sort_keys=False,
            width=1000,
        )


def main(argv: list[Any]) -> None:
    """The command line; `argv` are its arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--functions-yaml-path", "--functions_yaml_path", required=True, help="the file whose kernels win"
    )
    parser.add_argument("--fallback-yaml-path", "--fallback_yaml_path", help="the file for what is missing")
    parser.add_argument("--output-dir", "--output_dir", required=True, help="where merged.yaml goes")
    options = parser.parse_args(argv)
    merge(options.functions_yaml_path, options.fallback_yaml_path, options.output_dir)


if __name__ == "__main__":
    main(sys.argv[1:])
