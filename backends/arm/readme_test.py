"""The examples of the README run as they stand; the table of operators is that of the registry."""

import pathlib
import re

from executorch.backends.arm.operator_table import operator_table

HERE = pathlib.Path(__file__).parent


def test_the_examples_run(capsys):
    text = (HERE / "README.md").read_text(encoding="utf-8")
    codes = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for code in codes:
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert len(codes) == 4 and "Every operator is delegated." in capsys.readouterr().out


def test_the_table_is_that_of_the_registry():
    assert (HERE / "OPERATORS.md").read_text(encoding="utf-8") == operator_table()
