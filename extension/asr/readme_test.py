"""The README shows the code that readme_test.cc compiles and runs."""

import pathlib
import re


def test_the_example_is_the_tested_one() -> None:
    here = pathlib.Path(__file__).parent
    shown = re.findall(r"```cpp\n(.*?)```", (here / "README.md").read_text(), re.DOTALL)
    source = (here / "readme_test.cc").read_text()
    assert shown == re.findall(r"// README begin\n(.*?)// README end\n", source, re.DOTALL)
