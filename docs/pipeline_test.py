"""The blocks of pipeline.md run, in order, as one program."""

import pathlib
import re

from executorch.exir.pipeline import PIPELINES

PAGE = pathlib.Path(__file__).with_name("pipeline.md")


def test_the_blocks_run(capsys):
    namespace = {"__name__": "pipeline"}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 5
    for block in blocks:
        exec(compile(block, "pipeline.md", "exec"), namespace)
    assert "aten::" in capsys.readouterr().out


def test_the_tables_are_those_of_the_stages():
    page = PAGE.read_text()
    for pipeline in PIPELINES:
        (table,) = re.findall(rf"<!-- stages: {pipeline.name} -->\n(.*?)<!-- end -->", page, re.DOTALL)
        assert table == pipeline.table(), "`python -m executorch.exir.pipeline` prints the new table"


def test_links_lead_somewhere():
    root = PAGE.parent.parent
    for page in (*PAGE.parent.rglob("*.md"), root / "CONTRIBUTING.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        missing = [link for link in links if not (page.parent / link).exists()]
        assert missing == [], f"{page.relative_to(root)}"
