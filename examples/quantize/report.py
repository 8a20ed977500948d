"""What the example says at its end: a table, a picture, and one line for programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from PIL import Image, ImageDraw, ImageFont

from executorch.examples.quantize.flow import Figures

_PAPER, _INK, _GRID, _BAR, _FLOAT = "#ffffff", "#222222", "#dddddd", "#2f6fb3", "#b0b0b0"
_BAR_WIDTH, _BAR_GAP = 12, 4
_LEFT, _TOP, _HEIGHT, _FOOT = 56, 34, 220, 26
#: Decibels at the top of the plot; what is above, or has no error, ends there.
_MOST = 60
_STEP = 10


def table(figures: dict[str, Figures]) -> str:
    """The figures for people."""
    lines = []
    for name, one in figures.items():
        worst = min(one.layers, key=lambda layer: layer.sqnr_db)
        lines += [
            name,
            f"  accuracy      fp32 {one.fp32_accuracy:.2%}, int8 {one.int8_accuracy:.2%}",
            f"  SQNR          {one.sqnr_db:.1f} dB at the output; least {worst.sqnr_db:.1f} dB"
            f" at {worst.name} of {len(one.layers)} layers",
            f"  program       fp32 {one.fp32_bytes:,} bytes, int8 {one.int8_bytes:,}"
            f" ({one.fp32_bytes / one.int8_bytes:.2f} times smaller)",
            f"  one image     fp32 {one.fp32_us:.1f} us, int8 {one.int8_us:.1f} us"
            f" ({one.fp32_us / one.int8_us:.2f} times faster)",
            f"  XNNPACK       {one.delegates} delegate(s), {one.undelegated} operators outside",
        ]
    return "\n".join(lines)


def line(figures: dict[str, Figures]) -> str:
    """``RESULT {json}``: network -> figures; a layer without error has the SQNR null."""
    found = {}
    for name, one in figures.items():
        fields = asdict(one)
        fields["layers"] = [
            {"name": layer.name, "sqnr_db": _number(layer.sqnr_db), "quantized": layer.is_quantized}
            for layer in one.layers
        ]
        fields["sqnr_db"] = _number(one.sqnr_db)
        found[name] = fields
    return "RESULT " + json.dumps(found)


def _number(decibels: float) -> float | None:
    return round(decibels, 2) if math.isfinite(decibels) else None


def plot(figures: dict[str, Figures]) -> Image.Image:
    """A bar for each layer, as high as its SQNR; grey where the result stays in floating point."""
    widest = max(len(one.layers) for one in figures.values())
    size = (
        _LEFT + widest * (_BAR_WIDTH + _BAR_GAP) + 40,
        len(figures) * (_TOP + _HEIGHT + _FOOT) + 10,
    )
    image = Image.new("RGB", (max(size[0], 520), size[1]), _PAPER)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(14)
    for row, (name, one) in enumerate(figures.items()):
        top = row * (_TOP + _HEIGHT + _FOOT) + _TOP
        title = f"{name}: SQNR by layer in dB; accuracy fp32 {one.fp32_accuracy:.1%}, int8 {one.int8_accuracy:.1%}"
        draw.text((_LEFT, top - 26), title, _INK, font)
        for decibels in range(0, _MOST + 1, _STEP):
            y = top + _HEIGHT - decibels * _HEIGHT // _MOST
            draw.line((_LEFT, y, image.width - 20, y), _GRID)
            draw.text((_LEFT - 8, y), str(decibels), _INK, font, anchor="rm")
        for number, layer in enumerate(one.layers):
            share = min(max(layer.sqnr_db, 0), _MOST) / _MOST
            left = _LEFT + 4 + number * (_BAR_WIDTH + _BAR_GAP)
            bar = (left, top + _HEIGHT - int(share * _HEIGHT), left + _BAR_WIDTH, top + _HEIGHT)
            draw.rectangle(bar, _BAR if layer.is_quantized else _FLOAT)
        draw.text((_LEFT, top + _HEIGHT + 4), "first layer", _INK, font)
    return image
