"""What the example says at its end: a table, a plot, and one line for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from PIL import Image, ImageDraw, ImageFont

_WIDTH, _HEIGHT, _MARGIN = 760, 320, 48
_PAPER, _INK, _GRID, _LINE = "#ffffff", "#222222", "#dddddd", "#1a5fb4"


@dataclass(frozen=True)
class FormResult:
    """A program's figures.

    Attributes:
        form: its name.
        pte_bytes: size of the file.
        perplexity: on held-out text.
        export_s: seconds of the export.
        cpp, python: prefill and decode in tokens a second.
        rss_mib: memory of the C++ program at its end.
        same_text: the C++ program and Python say the same, in an answer and in a conversation.
    """

    form: str
    pte_bytes: int
    perplexity: float
    export_s: float
    cpp: dict[str, float]
    python: dict[str, float]
    rss_mib: float
    same_text: bool


@dataclass(frozen=True)
class Result:
    """The figures of the last line, in its order.

    Attributes:
        train_tokens, parameters, steps, train_s: of the training.
        eager_perplexity: of the decoder in PyTorch.
        eager_text_same: its greedy text is that of the program in fp32.
        same_text: all runners say the same of each program.
        forms: the programs.
    """

    train_tokens: int
    parameters: int
    steps: int
    train_s: float
    eager_perplexity: float
    eager_text_same: bool
    same_text: bool
    forms: list[FormResult] = field(default_factory=list)

    def line(self) -> str:
        """``RESULT {json}``."""
        return "RESULT " + json.dumps(asdict(self))


def table(result: Result) -> str:
    """The figures for people."""
    head = f"{'form':20}{'KiB':>8}{'perplexity':>12}{'C++ tok/s':>11}{'Python':>9}{'RSS MiB':>9}  same text"
    rows = [
        f"{one.form:20}{one.pte_bytes / 1024:8.0f}{one.perplexity:12.2f}{one.cpp['decode_tokens_s']:11.0f}"
        f"{one.python['decode_tokens_s']:9.0f}{one.rss_mib:9.1f}  {'yes' if one.same_text else 'NO'}"
        for one in result.forms
    ]
    eager = f"{'PyTorch':20}{'':8}{result.eager_perplexity:12.2f}"
    return "\n".join([head, eager, *rows])


def plot(losses: Sequence[float], result: Result) -> Image.Image:
    """The loss of each step, and the perplexity of each form as a bar."""
    image = Image.new("RGB", (2 * _WIDTH, _HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(13)
    top, bottom, left, right = _MARGIN, _HEIGHT - _MARGIN, _MARGIN, _WIDTH - _MARGIN
    most = max(losses)
    for part in range(5):
        y = bottom - (bottom - top) * part / 4
        draw.line((left, y, right, y), _GRID)
        draw.text((left - 6, y), f"{most * part / 4:.1f}", _INK, font, anchor="rm")
    wide = max(1, len(losses) - 1)
    points = [
        (left + (right - left) * step / wide, bottom - (bottom - top) * loss / most)
        for step, loss in enumerate(losses)
    ]
    draw.line(points, _LINE, 2)
    draw.text((left, top - 24), f"loss over {len(losses)} steps", _INK, font)
    bars = [("PyTorch", result.eager_perplexity), *((one.form, one.perplexity) for one in result.forms)]
    highest = max(value for _, value in bars)
    step = (right - left) / len(bars)
    draw.text((_WIDTH + left, top - 24), "perplexity on held-out text", _INK, font)
    for number, (name, value) in enumerate(bars):
        x, y = _WIDTH + left + number * step, bottom - (bottom - top) * value / highest
        draw.rectangle((x + 12, y, x + step - 12, bottom), _LINE)
        draw.text((x + step / 2, y - 4), f"{value:.2f}", _INK, font, anchor="mb")
        draw.text((x + step / 2, bottom + 16), name, _INK, font, anchor="mm")
    return image
