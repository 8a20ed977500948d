"""The documented command: ``python -m executorch.extension.llm.export.export_llm --config FILE [+group.key=value ...]``."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from executorch.exir import ExportError
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.models.refusal import RefusalError

#: What says on its own what is wrong with a configuration, or missing on this machine. Any other error has a trace: it may be a mistake of ours.
REFUSALS = (RefusalError, OSError, ImportError, ExportError)


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


def parse_config_arg(arguments: Sequence[str] | None = None) -> tuple[str | None, list[str]]:
    """The file that ``--config`` names, if it does, and the other arguments; those of the process by default."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--config")
    found, others = parser.parse_known_args(sys.argv[1:] if arguments is None else arguments)
    return found.config, others


def pop_config_arg() -> str | None:
    """As :func:`parse_config_arg`, for one who has Hydra read the arguments of the process: ``--config`` is taken out of them."""
    config, others = parse_config_arg()
    sys.argv = [sys.argv[0], *others]
    return config


def hydra_main(arguments: Sequence[str] | None = None) -> None:
    """Exports by overrides alone, those of the process by default.

    Raises:
        ValueError: as of :func:`parse`.
    """
    _export(parse(sys.argv[1:] if arguments is None else arguments))


def _export(config: LlmConfig) -> None:
    logging.basicConfig(level=logging.INFO if config.debug.verbose else logging.WARNING)
    print(export_llama(config))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; what is refused, by it or by a backend, is a message, not a trace."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if parse_config_arg(given)[0] is None:
            hydra_main(given)
        else:
            _export(parse(given))
    except REFUSALS as error:
        print(f"export_llm: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
