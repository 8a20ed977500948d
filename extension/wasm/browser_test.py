"""The package in Chromium: its tests of what only pages have, the README's worker, and models as Node runs them."""

from __future__ import annotations

import pathlib
import re
import shutil

import pytest

from executorch.extension.wasm import node
from executorch.extension.wasm.browser import BrowserError, chromium
from executorch.extension.wasm.serve import serving

_HERE = pathlib.Path("extension/wasm").absolute()
_PROGRAMS = pathlib.Path("extension/android/java").absolute()

_PAGE = """\
<!doctype html>
<link rel="icon" href="data:," />
<script type="module">
  import * as library from "./node_modules/executorch-wasm/dist/index.js";
  self.library = library;
</script>
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("site")
    node.install(_HERE / "npm_few.tgz", directory)
    (directory / "index.html").write_text(_PAGE)
    (directory / "throws.html").write_text(
        '<link rel="icon" href="data:," /><script type="module">throw new Error("as said")</script>'
    )
    for name in ("add", "dynamic"):
        shutil.copyfile(_PROGRAMS / f"{name}.pte", directory / f"{name}.pte")
    # The README's second example, after what TypeScript takes away; import maps are for pages alone.
    examples = re.findall(r"^```ts\n(.*?)^```$", (_HERE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (directory / "example.ts").write_text(examples[1])
    options = ["--target", "es2022", "--lib", "es2022,dom,esnext.disposable", "--module", "nodenext"]
    node.run(directory, node.typescript(), *options, "example.ts")
    worker = (directory / "example.js").read_text()
    for written, here in (
        ('"executorch-wasm"', '"./node_modules/executorch-wasm/dist/index.js"'),
        ("https://example.org/model.pte", "/dynamic.pte"),
    ):
        assert written in worker
        worker = worker.replace(written, here)
    (directory / "worker.js").write_text(worker)
    with serving(directory) as address:
        yield address


@pytest.fixture(scope="module")
def page(site, tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("chromium")) as opened:
        opened.open(f"{site}/index.html")
        opened.wait("self.library !== undefined")
        yield opened


def call(page, body):
    """What an asynchronous function with `et`, `library` and `Tensor` at hand returns."""
    return page.evaluate(
        "(async () => { const { default: loadExecuTorch, Tensor, ExecuTorchError } = library;"
        f" const et = await loadExecuTorch(); {body} }})()"
    )


def test_a_program_is_fetched_and_run(page):
    body = (
        "const module = await et.Module.fetch(new URL('add.pte', document.baseURI));"
        "const [sum] = module.forward([Tensor.ones([2, 3]), Tensor.full([2, 3], 2)]);"
        "const methods = module.getMethods(); module.dispose();"
        "return { methods, sum: sum.toArray(), sizes: sum.sizes };"
    )
    assert call(page, body) == {"methods": ["forward"], "sum": [3] * 6, "sizes": [2, 3]}


def test_what_is_not_there_and_what_is_no_program(page):
    with pytest.raises(BrowserError, match=r"missing\.pte: 404"):
        call(page, "await et.Module.fetch(new URL('missing.pte', document.baseURI));")
    page.errors.clear()
    body = (
        "const bytes = new Uint8Array(await (await fetch('add.pte')).arrayBuffer()); bytes[5] ^= 255;"
        "try { et.Module.load(bytes); } catch (error) {"
        " return [error instanceof ExecuTorchError, error.codeName, error.message]; }"
    )
    is_ours, code, message = call(page, body)
    assert is_ours and code == "InvalidProgram" and "at byte 4" in message


def test_instances_share_a_module_that_is_compiled_once(page):
    body = (
        "const wasm = await WebAssembly.compileStreaming("
        "fetch('node_modules/executorch-wasm/dist/executorch.wasm'));"
        "const [a, b] = await Promise.all([loadExecuTorch({ wasm }), loadExecuTorch({ wasm })]);"
        "return a !== b && a.getOperators().join() === b.getOperators().join();"
    )
    assert call(page, body)


def test_workers_calculate_beside_each_other(page):
    """The README's worker, four times: each answers for what it was sent."""
    body = (
        "const ask = (value) => new Promise((answered, failed) => {"
        " const worker = new Worker('worker.js', { type: 'module' });"
        " worker.onmessage = ({ data }) => { worker.terminate(); answered(Array.from(data)); };"
        " worker.onerror = ({ message }) => failed(new Error(message));"
        " worker.postMessage(Float32Array.of(value, value + 0.5, -value)); });"
        "return Promise.all([1, 2, 3, 4].map(ask));"
    )
    assert call(page, body) == [[2 * i, 2 * i + 1, -2 * i] for i in range(1, 5)]


def test_errors_of_a_page_are_found(site, tmp_path):
    """So what the other tests say of silence is worth something."""
    with chromium(tmp_path) as other, pytest.raises(BrowserError, match="Error: as said"):
        other.open(f"{site}/throws.html")
        other.wait("false")
