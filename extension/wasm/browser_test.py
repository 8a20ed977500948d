"""The package in Chromium: what only pages have, and pools of workers."""

from __future__ import annotations

import pathlib
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


def pooled(page, body, options="{ workers: 3 }"):
    """What a function with `pool` at hand returns; the pool is gone after that."""
    return call(
        page,
        "const { ModulePool } = library;"
        f"const pool = await ModulePool.load(new URL('dynamic.pte', document.baseURI), {options});"
        f"try {{ return await (async () => {{ {body} }})(); }} finally {{ pool.dispose(); }}",
    )


def test_a_pool_answers_each_call_for_itself(page):
    body = (
        "const calls = Array.from({ length: 10 }, (_, i) => pool.forward(Tensor.full([i % 8 + 1, 3], i)));"
        "const results = await Promise.all(calls);"
        "return [pool.workers, results.map(([sum, rows]) => [sum.toArray()[0], sum.sizes, Number(rows)])];"
    )
    workers, results = pooled(page, body)
    assert workers == 3
    assert results == [[2 * i, [i % 8 + 1, 3], i % 8 + 1] for i in range(10)]


def test_a_pool_leaves_the_page_alone(page):
    """Timers of the page run between calls that wait for each other."""
    body = (
        "let ticks = 0; const timer = setInterval(() => ticks++, 1);"
        "for (let i = 0; i < 50; i++) await pool.forward(Tensor.ones([8, 3]));"
        "clearInterval(timer); return ticks;"
    )
    assert pooled(page, body, "{}") > 0


def test_a_pools_errors_are_those_of_a_module(page):
    found = pooled(
        page,
        "const of = (call) => call.then(() => null, (error) =>"
        " [error.constructor.name, error.codeName ?? null, error.message]);"
        "return Promise.all(["
        "of(pool.execute('missing')), of(pool.forward(true)), of(pool.forward([1, 2])),"
        "of(pool.forward(Tensor.ones([9, 3])))]);",
    )
    kinds = [(kind, code) for kind, code, _ in found]
    assert kinds[1:3] == [("TypeError", None), ("RangeError", None)]
    assert {kinds[0], kinds[3]} == {
        ("ExecuTorchError", "InvalidArgument"),
        ("ExecuTorchError", "NotSupported"),
    }
    assert "input 0 is of kind Tensor" in found[1][2]


def test_a_pool_that_is_disposed_of_rejects(page):
    body = (
        "const waiting = Array.from({ length: 9 }, () => pool.forward(Tensor.ones([1, 3])).then(() => 'done', (e) => e.message));"
        "pool.dispose(); waiting.push(pool.forward(Tensor.ones([1, 3])).catch((e) => e.message));"
        "return Promise.all(waiting);"
    )
    assert pooled(page, body) == ["This pool was disposed of"] * 10


def test_a_pool_refuses_what_cannot_be(page):
    for options, said in (
        ("{ workers: 0 }", "at least one worker"),
        ("{ wasm: new Uint8Array(4) }", "WebAssembly"),
    ):
        with pytest.raises(BrowserError, match=said):
            pooled(page, "", options)
    with pytest.raises(BrowserError, match=r"missing\.pte: 404"):
        call(page, "await library.ModulePool.load(new URL('missing.pte', document.baseURI));")
    page.errors.clear()
    refused = "await library.ModulePool.load(new Uint8Array(64));"
    with pytest.raises(BrowserError, match="InvalidProgram"):
        call(page, refused)


def test_errors_of_a_page_are_found(site, tmp_path):
    """So what the other tests say of silence is worth something."""
    with chromium(tmp_path) as other, pytest.raises(BrowserError, match="Error: as said"):
        other.open(f"{site}/throws.html")
        other.wait("false")
