"""The example in the README runs."""

import pathlib
import re


def test_the_examples_run():
    text = (pathlib.Path(__file__).parent / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
