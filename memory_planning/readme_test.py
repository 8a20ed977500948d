"""The example of the README runs as it stands."""

import pathlib
import re


def test_the_example_runs():
    text = pathlib.Path(__file__).with_name("README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
