"""What kernels take, by model: the program with those that the model calls, minus the one without any.

    ./bazelw run //kernels/selective:size_report
    ./bazelw run //tests/sizes:size_report_cortex_m55

Kernels are selected by program, with their dtypes. Counted is what is linked: `text` is code, `rodata` constants and
tables; what the C library and the compiler's own functions add for the kernels is in it. `floats_only` leaves out what
calculates with anything but floats. The last line is `RESULT {json}` with `kernels`: model -> operators, text, rodata.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

from absl import app, flags

from executorch.toolchains.binaries import read

_PLATFORM = flags.DEFINE_string("platform", "host", "Whose programs are read.")

MODELS = ("digits", "mobile", "transformer")
TARGET = 40 * 1024
"""Bytes of text for the digits on a Cortex-M."""

_HERE = pathlib.Path(__file__).absolute().parent


def operators(model: str) -> list[str]:
    """What was selected for a model, from its report."""
    lines = (_HERE / f"{model}_operators.report.txt").read_text().splitlines()
    return [line.split()[0] for line in lines[1:-1]]


def row(model: str, platform: str) -> dict[str, Any]:
    """The figures of one model.

    Raises:
        FileNotFoundError: the programs of the platform are not among the target's data.
    """
    larger, smaller = (read((_HERE / f"{name}_{platform}").read_bytes()) for name in (model, "nothing"))
    return {
        "operators": operators(model),
        "text": larger.text - smaller.text,
        "rodata": larger.rodata - smaller.rodata,
    }


def main(argv: list[str]) -> None:
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments: {argv[1:]}")
    platform = _PLATFORM.value
    rows = {model: row(model, platform) for model in MODELS}
    print(f"{'model':14}{'operators':>10}{'text':>10}{'rodata':>10}  on {platform}")
    for model, figures in rows.items():
        print(f"{model:14}{len(figures['operators']):10}{figures['text']:10,}{figures['rodata']:10,}")
    for model in MODELS:
        print()
        print((_HERE / f"{model}_operators.report.txt").read_text(), end="")
    print("RESULT " + json.dumps({"platform": platform, "kernels": rows}))


if __name__ == "__main__":
    app.run(main)
