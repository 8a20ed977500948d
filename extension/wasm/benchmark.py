"""What a call costs in Node, and bytes of the runtimes: one line, RESULT {json}."""

from __future__ import annotations

import pathlib
import shutil
import tempfile

from executorch.extension.wasm import node

_HERE = pathlib.Path("extension/wasm").absolute()


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        project = pathlib.Path(scratch)
        node.install(_HERE / "npm_few.tgz", project)
        shutil.copyfile(_HERE / "benchmark.mjs", project / "benchmark.mjs")
        program = pathlib.Path("extension/android/java/add.pte").absolute()
        runtimes = ":".join(str(_HERE / f"{name}.wasm") for name in ("few", "digits"))
        print(node.run(project, "benchmark.mjs", PROGRAM=program, RUNTIMES=runtimes))


if __name__ == "__main__":
    main()
