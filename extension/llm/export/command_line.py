"""The flags of the documented command `export_llama`, made of the configuration's fields."""

from __future__ import annotations

import argparse
import enum
import sys
import typing
from collections.abc import Sequence
from typing import Any

from executorch.extension.llm.export import export_llm
from executorch.extension.llm.export.config.arguments import flags
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.pipeline import export_llama

#: Flags that have a letter, or another short name.
_SHORT = {
    "checkpoint": "-c",
    "dtype_override": "-d",
    "embedding_quantize": "-E",
    "group_size": "-G",
    "metadata": "-m",
    "output_dir": "-o",
    "output_name": "-n",
    "params": "-p",
    "profile_path": "-prof",
    "quantization_mode": "-qmode",
    "so_library": "-s",
    "tokenizer_path": "-t",
    "use_kv_cache": "-kv",
    "use_lora": "-lora",
    "use_qat": "-qat",
    "use_spin_quant": "-sq",
    "verbose": "-v",
    "vulkan": "-V",
    "xnnpack": "-X",
}


def build_args_parser() -> argparse.ArgumentParser:
    """A parser whose result :meth:`~executorch.extension.llm.export.config.llm_config.LlmConfig.from_args` takes.

    What is not given is None, so that the configuration's own value stays.
    """
    parser = argparse.ArgumentParser(
        prog="python -m executorch.examples.models.llama.export_llama",
        description="Exports a language model to a program. With --config as export_llm.",
    )
    config = LlmConfig()
    for flag, targets in flags(config).items():
        *groups, name = targets[0].split(".")
        group: Any = config
        for one in groups:
            group = getattr(group, one)
        _add(parser, flag, typing.get_type_hints(type(group))[name], getattr(group, name))
    return parser


def _add(parser: argparse.ArgumentParser, flag: str, annotation: Any, default: Any) -> None:
    kinds = [one for one in (annotation, *typing.get_args(annotation)) if one is not type(None)]
    if default is True:
        off = flag.replace("enable", "disable") if flag.startswith("enable") else f"no_{flag}"
        parser.add_argument(f"--{off}", dest=flag, action="store_false", default=None)
        return
    names = dict.fromkeys((f"--{flag}", f"--{flag.replace('_', '-')}"))
    named: dict[str, Any] = {"dest": flag, "default": None}
    if bool in kinds:
        named["action"] = "store_true"
    elif any(typing.get_origin(one) is list for one in kinds):
        of = next(typing.get_args(one)[0] for one in kinds if typing.get_origin(one) is list)
        named |= {"type": _integers} if of is int else {"nargs": "+"}
    else:
        choices = [one for one in kinds if isinstance(one, type) and issubclass(one, enum.Enum)]
        if choices:
            named |= {"choices": [one.value for one in choices[0]], "metavar": flag.upper()}
        else:
            named["type"] = next((one for one in (int, float) if one in kinds), str)
    parser.add_argument(*([_SHORT[flag]] if flag in _SHORT else []), *names, **named)


def _integers(text: str) -> list[int]:
    return [int(one) for one in text.strip("[] ").split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; with ``--config`` it is `export_llm`. What is refused is a message, not a trace."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if any(one.split("=")[0] == "--config" for one in given):
        return export_llm.main(given)
    try:
        print(export_llama(LlmConfig.from_args(build_args_parser().parse_args(given))))
    except export_llm.REFUSALS as error:
        print(f"export_llama: {error}", file=sys.stderr)
        return 2
    return 0
