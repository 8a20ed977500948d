"""The demo in Chromium: digits drawn with the mouse are recognised, and held-out images score as in PyTorch."""

from __future__ import annotations

import json
import math
import os
import pathlib
import re

import pytest

from executorch.examples.browser.assemble import assemble
from executorch.extension.wasm.browser import chromium
from executorch.extension.wasm.serve import serving

HEADER = pathlib.Path("examples/firmware/digits.h")


def arc(x, y, across, down, start, end):
    """Points of an ellipse; angles in degrees, clockwise from the right."""
    steps = [math.radians(start + (end - start) * i / 24) for i in range(25)]
    return [(x + across * math.cos(angle), y + down * math.sin(angle)) for angle in steps]


#: How a hand writes each digit: strokes of points in shares of the canvas.
STROKES = {
    0: [arc(0.5, 0.5, 0.22, 0.38, -90, 270)],
    1: [[(0.38, 0.28), (0.52, 0.12), (0.52, 0.88)]],
    2: [[*arc(0.5, 0.32, 0.22, 0.2, 190, 390), (0.3, 0.86), (0.76, 0.86)]],
    3: [[*arc(0.48, 0.3, 0.2, 0.19, 200, 450), *arc(0.48, 0.68, 0.23, 0.2, -90, 160)]],
    4: [[(0.5, 0.12), (0.26, 0.58), (0.76, 0.58)], [(0.62, 0.36), (0.58, 0.9)]],
    5: [[(0.7, 0.13), (0.34, 0.13), (0.32, 0.46), *arc(0.48, 0.65, 0.22, 0.23, -110, 150)]],
    6: [[(0.6, 0.1), (0.4, 0.35), *arc(0.5, 0.67, 0.2, 0.21, 180, 540)]],
    7: [[(0.28, 0.14), (0.72, 0.14), (0.44, 0.88)], [(0.36, 0.5), (0.68, 0.5)]],
    8: [[*arc(0.5, 0.3, 0.17, 0.18, 90, 450), *arc(0.5, 0.68, 0.2, 0.2, -90, 270)]],
    9: [[*arc(0.48, 0.32, 0.19, 0.2, 0, 360), (0.67, 0.32), (0.6, 0.9)]],
}


def table(name):
    """The rows of an array of digits.h, whose numbers are hexadecimal."""
    (body,) = re.findall(rf"{name}\[\w+\]\[\w+\] = \{{\n(.*?)\n\}};", HEADER.read_text(), re.DOTALL)
    return [
        [float.fromhex(number.rstrip("f")) for number in line.strip(" {},").split(", ")]
        for line in body.splitlines()
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The demo, ready to be drawn in."""
    site = tmp_path_factory.mktemp("demo") / "site"
    assemble(site)
    with serving(site) as address, chromium(tmp_path_factory.mktemp("chromium")) as opened:
        opened.open(f"{address}/index.html")
        opened.wait("document.body.dataset.ready === 'yes'")
        yield opened
        assert not opened.errors


def draw(page, digit):
    for stroke in STROKES[digit]:
        page.drag([page.place("#drawing", x, y) for x, y in stroke])


@pytest.mark.parametrize("digit", STROKES)
def test_a_digit_drawn_with_the_mouse_is_recognised(page, digit):
    page.click("#clear")
    draw(page, digit)
    kept = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
    if kept:
        page.screenshot(pathlib.Path(kept) / f"digit_{digit}.png")
    assert page.evaluate("document.getElementById('answer').textContent") == str(digit)


def test_held_out_images_score_as_in_pytorch(page):
    images, expected = table("kImages"), table("kScores")
    assert len(images) == len(expected) == 8
    script = (
        "import('./digits.js').then(async ({ DigitClassifier }) => {"
        " const classifier = await DigitClassifier.load(new URL('digits.pte', document.baseURI));"
        f" const scores = {json.dumps(images)}.map((image) => Array.from(classifier.scores(image)));"
        " classifier.dispose(); return scores; })"
    )
    for found, scores in zip(page.evaluate(script), expected, strict=True):
        assert found == pytest.approx(scores, abs=1e-4)
        assert found.index(max(found)) == scores.index(max(scores))


def test_clearing_leaves_nothing_to_recognise(page):
    page.click("#clear")
    draw(page, 1)
    assert page.evaluate("document.getElementById('answer').textContent") == "1"
    page.click("#clear")
    assert page.evaluate("document.getElementById('answer').textContent").strip() == ""
    empty = "import('./digits.js').then(({ inkOf }) => inkOf(document.getElementById('drawing')))"
    assert page.evaluate(empty) is None


def test_the_page_is_isolated(page):
    """So it has what browsers keep from others: precise clocks, and memory that workers share."""
    assert page.evaluate("self.crossOriginIsolated && typeof SharedArrayBuffer === 'function'")
