"""What the quickstart says at its end: a table, a picture, and one line for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import torch
from PIL import Image, ImageDraw, ImageFont

_TILE = 56
_CAPTION = 20
_COLUMNS = 16
_PAPER, _INK, _RIGHT, _WRONG = "#ffffff", "#222222", "#1a7f37", "#c62828"


@dataclass(frozen=True)
class Result:
    """The figures of the last line, in its order.

    Attributes:
        eager_accuracy, runtime_accuracy: share of held-out images recognised.
        predictions_equal: eager, bindings and runner say the same digit for every image.
        max_abs_diff: largest difference of a score from eager.
        pte_bytes: size of the program file.
        planned_bytes, lower_bound_bytes: memory for tensors, and the least any plan could need.
        load_ms: program and method, median.
        us_per_image: one call through the Python bindings, median.
    """

    eager_accuracy: float
    runtime_accuracy: float
    predictions_equal: bool
    max_abs_diff: float
    pte_bytes: int
    planned_bytes: int
    lower_bound_bytes: int
    load_ms: float
    us_per_image: float

    def line(self) -> str:
        """``RESULT {json}``."""
        return "RESULT " + json.dumps(asdict(self))


def table(result: Result, images: int, eager_us: float, runner_us: float, runner_load_ms: float) -> str:
    """The figures for people."""
    share = result.planned_bytes / max(result.lower_bound_bytes, 1)
    same = "the same on every image" if result.predictions_equal else "DIFFERENT on some images"
    rows = [
        (
            "accuracy",
            f"eager {result.eager_accuracy:.2%}, runtime {result.runtime_accuracy:.2%} ({images} held-out images)",
        ),
        ("predictions", f"{same}: eager, Python bindings, executor_runner"),
        ("largest difference", f"{result.max_abs_diff:.2e} in a score"),
        ("digits.pte", f"{result.pte_bytes:,} bytes"),
        (
            "planned memory",
            f"{result.planned_bytes:,} bytes, {share:.2f} times the lower bound of {result.lower_bound_bytes:,}",
        ),
        ("load", f"{result.load_ms:.3f} ms (Python), {runner_load_ms:.3f} ms (executor_runner)"),
        (
            "time per image",
            f"{result.us_per_image:.1f} us (Python), {runner_us:.1f} us (executor_runner), {eager_us:.1f} us (eager)",
        ),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name.ljust(width)}  {text}" for name, text in rows)


def contact_sheet(
    images: torch.Tensor, labels: torch.Tensor, said: torch.Tensor, most: int = 160
) -> Image.Image:
    """Digits with what the runtime said under each, the wrong ones first and in red.

    Args:
        images: ``[n, 1, 8, 8]`` from 0 (paper) to 1 (ink).
        labels: ``[n]``, what they are.
        said: ``[n]``, what the runtime said.
        most: how many to show.
    """
    order = torch.argsort(said == labels, stable=True)[:most].tolist()
    rows = -(-len(order) // _COLUMNS)
    head = 28
    sheet = Image.new("RGB", (_COLUMNS * _TILE + 8, head + rows * (_TILE + _CAPTION) + 8), _PAPER)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(14)
    right = int((said == labels).sum())
    title = f"{right} of {len(labels)} held-out digits recognised; {len(order)} shown, mistakes first"
    draw.text((8, 6), title, _INK, font)
    for place, index in enumerate(order):
        left = 4 + place % _COLUMNS * _TILE
        top = head + place // _COLUMNS * (_TILE + _CAPTION)
        grey = ((1 - images[index, 0]) * 255).round().clamp(0, 255).to(torch.uint8)
        tile = Image.fromarray(grey.numpy()).resize((_TILE - 8, _TILE - 8), Image.Resampling.NEAREST)
        sheet.paste(tile, (left + 4, top))
        is_right = bool(said[index] == labels[index])
        text = str(int(said[index])) if is_right else f"{int(said[index])} (is {int(labels[index])})"
        draw.text(
            (left + _TILE / 2, top + _TILE - 7), text, _RIGHT if is_right else _WRONG, font, anchor="ma"
        )
        if not is_right:
            draw.rectangle((left + 3, top - 1, left + _TILE - 4, top + _TILE - 8), outline=_WRONG, width=2)
    return sheet
