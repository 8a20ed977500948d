"""The package for npm: what is in it, its types, its README's examples, and its tests in Node."""

from __future__ import annotations

import json
import pathlib
import re
import tarfile

import pytest

from executorch.extension.wasm import node

_HERE = pathlib.Path("extension/wasm")
_ARCHIVE = _HERE / "npm_few.tgz"
_PROGRAMS = pathlib.Path("extension/android/java").absolute()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project that has the package."""
    directory = tmp_path_factory.mktemp("project")
    node.install(_ARCHIVE, directory)
    return directory


def test_the_archive_has_what_package_json_promises():
    with tarfile.open(_ARCHIVE) as tar:
        names = {entry.name.removeprefix("package/") for entry in tar}
        packed = tar.extractfile("package/package.json")
        assert packed is not None
        description = json.load(packed)
    assert re.fullmatch(r"\d+\.\d+\.\d+", description["version"])
    modules = {path.stem for path in (_HERE / "src").glob("*.ts")}
    assert len(modules) == 9
    expected = {"README.md", "package.json", "dist/executorch.wasm"}
    assert names == expected | {f"dist/{name}{end}" for name in modules for end in (".js", ".d.ts")}
    for promised in (description["main"], description["types"], *description["exports"]["."].values()):
        assert promised.removeprefix("./") in names


def test_the_runtime_asks_for_little_and_is_small(project):
    """No files, no environment beyond an empty one: what a page has to bring is what src/native.ts has."""
    script = (
        "import fs from 'node:fs'; import zlib from 'node:zlib';"
        "const bytes = fs.readFileSync('node_modules/executorch-wasm/dist/executorch.wasm');"
        "const module = new WebAssembly.Module(bytes);"
        "console.log(JSON.stringify({imports: WebAssembly.Module.imports(module),"
        " exports: WebAssembly.Module.exports(module).map(({name}) => name), gzip: zlib.gzipSync(bytes).length}));"
    )
    found = json.loads(node.run(project, "--input-type=module", "-e", script))
    assert {row["module"] for row in found["imports"]} == {"wasi_snapshot_preview1"}
    assert not {row["name"] for row in found["imports"]} & {
        "path_open",
        "fd_read",
        "random_get",
        "poll_oneoff",
    }
    header = (_HERE / "native/calls.h").read_text()
    assert set(re.findall(r"EXECUTORCH_WASM_EXPORT\((et_\w+)\)", header)) <= set(found["exports"])
    assert 20_000 < found["gzip"] < 300_000


def test_in_node(project):
    (project / "package_test.mjs").write_bytes((_HERE / "package_test.mjs").read_bytes())
    printed = node.run(
        project, "--expose-gc", "--test", "--test-reporter=tap", "package_test.mjs", PROGRAMS=_PROGRAMS
    )
    print(printed)
    assert re.search(r"^# pass [1-9]\d*$", printed, re.MULTILINE)
    assert re.search(r"^# fail 0$", printed, re.MULTILINE)


def test_the_readmes_table_names_what_there_is(project):
    """The first column's names are declared; the README is the only document of this interface."""
    table = re.findall(r"^\| (`.*?) \|", (_HERE / "README.md").read_text(), re.MULTILINE)
    names = {name for cell in table for name in re.findall(r"(?<![\w{, ])\.?(\w+)(?=[(`]|$)", cell)} - {
        "using"
    }
    declared = "".join(
        path.read_text() for path in (project / "node_modules/executorch-wasm/dist").glob("*.d.ts")
    )
    missing = {name for name in names if not re.search(rf"\b{name}\b", declared)}
    print(f"{len(names)} names documented, {len(names) - len(missing)} present: {', '.join(sorted(names))}")
    assert len(names) > 20 and not missing


def test_readme(project):
    """The examples compile against the package's types, and the first one runs."""
    examples = re.findall(r"^```ts\n(.*?)^```$", (_HERE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert examples
    for i, example in enumerate(examples):
        (project / f"example_{i}.ts").write_text(example)
    names = [f"example_{i}.ts" for i in range(len(examples))]
    options = [
        "--strict",
        "--target",
        "es2022",
        "--lib",
        "es2022,dom,esnext.disposable",
        "--module",
        "nodenext",
    ]
    # The types that a user's program sees, not ours: a wrong use has to be found.
    (project / "wrong.ts").write_text(
        'import { Tensor } from "executorch-wasm";\nexport const wrong: string = Tensor.ones([1]).sizes;\n'
    )
    with pytest.raises(AssertionError, match=r"wrong\.ts.*TS2322"):
        node.run(project, node.typescript(), *options, "--noEmit", "wrong.ts")
    node.run(project, node.typescript(), *options, *names)
    (project / "model.pte").write_bytes((_PROGRAMS / "add.pte").read_bytes())
    assert node.run(project, "example_0.js").split() == ["2,2,2,2,2,2"]
