"""The blocks of each page run, in order, as one program; pages assert what they say."""

import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).parent
PAGES = (
    "getting-started",
    "export-and-lowering",
    "passes",
    "custom-operators",
    "memory-planning",
    "integrations",
    "backends",
)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore:executorch.export is new")
def test_the_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (HERE / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 3 and sum("assert" in block for block in blocks) >= 2
    namespace = {"__name__": page}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page}.md block {number}", "exec"), namespace)
