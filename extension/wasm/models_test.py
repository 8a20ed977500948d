"""Models against what PyTorch makes of them, by the package with all kernels: in Node, and the same in Chromium."""

from __future__ import annotations

import json
import pathlib
import re
import shutil

from executorch.extension.wasm import node
from executorch.extension.wasm.browser import chromium
from executorch.extension.wasm.serve import serving

_HERE = pathlib.Path("extension/wasm").absolute()


def test_models(tmp_path):
    node.install(_HERE / "npm.tgz", tmp_path)
    licences = (tmp_path / "node_modules/executorch-wasm/licences").iterdir()
    assert {file.name for file in licences} == {"fxdiv.txt", "pthreadpool.txt", "xnnpack.txt"}
    (tmp_path / "models_test.mjs").write_bytes((_HERE / "models_test.mjs").read_bytes())
    printed = node.run(
        tmp_path, "--test", "--test-reporter=tap", "models_test.mjs", MODELS=_HERE / "models.json"
    )
    print(printed)
    assert re.search(r"^# pass 9$", printed, re.MULTILINE)
    assert re.search(r"^# fail 0$", printed, re.MULTILINE)


_PAGE = """\
<!doctype html>
<link rel="icon" href="data:," />
<script type="importmap">
  { "imports": { "executorch-wasm": "./node_modules/executorch-wasm/dist/index.js" } }
</script>
<script type="module">
  import { run } from "./run_models.js";
  self.outputs = JSON.stringify(await run(await (await fetch("models.json")).json()));
</script>
"""

_SCRIPT = """import { readFileSync } from "node:fs";
import { run } from "./run_models.js";
console.log(JSON.stringify(await run(JSON.parse(readFileSync("models.json")))));
"""


def test_a_page_gives_the_same_numbers_as_node(tmp_path):
    site = tmp_path / "site"
    node.install(_HERE / "npm.tgz", site)
    for name in ("models.json", "run_models.js"):
        shutil.copyfile(_HERE / name, site / name)
    (site / "index.html").write_text(_PAGE)
    (site / "print.js").write_text(_SCRIPT)
    expected = json.loads(node.run(site, "print.js"))
    assert len(expected) == 8 and all(expected.values())
    with serving(site) as address, chromium(tmp_path) as page:
        page.open(f"{address}/index.html")
        assert json.loads(page.wait("self.outputs")) == expected
        assert not page.errors
