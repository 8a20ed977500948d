"""Formats the checkout with the pinned formatters: ./bazelw run //bazel/lint:fix"""

from __future__ import annotations

import os
import pathlib
import subprocess


def main() -> None:
    tools = {
        name: str(pathlib.Path.cwd() / os.environ[f"FIX_{name}"])
        for name in ("BUILDIFIER", "CLANG_FORMAT", "RUFF")
    }
    root = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    files = [name for name in listed.stdout.splitlines() if (root / name).is_file()]

    def matching(*endings: str) -> list[str]:
        return [name for name in files if name.endswith(endings)]

    subprocess.run([tools["RUFF"], "check", "--fix", "--quiet", "."], cwd=root)
    subprocess.run([tools["RUFF"], "format", "--quiet", "."], cwd=root)
    subprocess.run([tools["CLANG_FORMAT"], "-i", *matching(".cc", ".h", ".c")], cwd=root)
    subprocess.run(
        [tools["BUILDIFIER"], "-lint=off", *matching(".bzl", "BUILD.bazel", "MODULE.bazel")], cwd=root
    )


if __name__ == "__main__":
    main()
