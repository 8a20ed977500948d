"""Models against what PyTorch makes of them, in Node, by the package with all kernels."""

from __future__ import annotations

import pathlib
import re

from executorch.extension.wasm import node

_HERE = pathlib.Path("extension/wasm").absolute()


def test_models(tmp_path):
    node.install(_HERE / "npm.tgz", tmp_path)
    (tmp_path / "models_test.mjs").write_bytes((_HERE / "models_test.mjs").read_bytes())
    printed = node.run(
        tmp_path, "--test", "--test-reporter=tap", "models_test.mjs", MODELS=_HERE / "models.json"
    )
    print(printed)
    assert re.search(r"^# pass 5$", printed, re.MULTILINE)
    assert re.search(r"^# fail 0$", printed, re.MULTILINE)
