"""Serves the demo.

./bazelw run //examples/browser [-- --port 8000] [--out DIR]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import tempfile
import threading

from executorch.examples.browser.assemble import assemble
from executorch.extension.wasm.serve import serving


def main() -> None:
    parser = argparse.ArgumentParser(prog="browser", description="Digits, recognised in a page.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--out", metavar="DIR", help="write the site there and serve nothing")
    options = parser.parse_args()
    if options.out:
        out = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), options.out).absolute()
        assemble(out)
        print(f"The site is in {out}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        site = pathlib.Path(scratch) / "site"
        assemble(site)
        with serving(site, options.port) as address, contextlib.suppress(KeyboardInterrupt):
            print(f"{address}/index.html, until Ctrl-C", flush=True)
            threading.Event().wait()


if __name__ == "__main__":
    main()
