"""The documented command: ``python -m executorch.extension.llm.export.export_llm --config FILE [+group.key=value ...]``."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.pipeline import export_llama


def parse(arguments: Sequence[str]) -> LlmConfig:
    """The configuration of a command line.

    Raises:
        ValueError: as of :func:`~executorch.extension.llm.export.config.reading.from_yaml`.
        FileNotFoundError: there is no such file.
        SystemExit: the arguments are no such command line.
    """
    parser = argparse.ArgumentParser(
        prog="python -m executorch.extension.llm.export.export_llm",
        description="Exports a language model to a program, as a configuration says.",
    )
    parser.add_argument("--config", metavar="FILE", help="YAML file with the groups base, model, export, ...")
    parser.add_argument(
        "overrides", nargs="*", metavar="group.key=value", help="also with + before; they win over the file"
    )
    found = parser.parse_intermixed_args(arguments)
    text = ""
    if found.config is not None:
        path = Path(found.config)
        if not path.is_file():
            raise FileNotFoundError(f"there is no configuration {path}")
        text = path.read_text()
    return from_yaml(text, found.overrides)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; what is wrong with its arguments is one line, not a trace."""
    try:
        config = parse(sys.argv[1:] if arguments is None else arguments)
        logging.basicConfig(level=logging.INFO if config.debug.verbose else logging.WARNING)
        print(export_llama(config))
    except (ValueError, FileNotFoundError, NotImplementedError) as error:
        print(f"export_llm: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
