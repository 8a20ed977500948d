"""Builds of this checkout, by Bazel run from within a program that Bazel runs."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence

# What `bazel run` sets for the program; a Bazel within would hand it on to what it fetches and builds.
_OF_THE_RUN = ("BUILD_", "RUNFILES_", "JAVA_RUNFILES", "PYTHONPATH", "PYTHONSAFEPATH", "TEST_")

# The exit status of a query that answered as far as it could.
_PARTLY = 3

# Of a checkout, by name.
_NO_SOURCES = (".git", "bazel-*", "__pycache__", ".*_cache", ".hypothesis", ".venv")


class BuildError(Exception):
    """Bazel did not do what was asked; what it said stands above."""


def checkout() -> pathlib.Path:
    """The checkout that `bazelw run` was called in."""
    try:
        return pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    except KeyError:
        raise BuildError("this program is run by Bazel: ./bazelw run //bazel/release -- ...") from None


@dataclasses.dataclass(frozen=True)
class Bazel:
    """One checkout and how its Bazel is called.

    Attributes:
        root: the checkout.
        startup: options before the command.
        options: options of every command that builds or looks at what is built.
    """

    root: pathlib.Path
    startup: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def run(self, command: str, *arguments: str) -> str:
        """Runs a command and returns its standard output; what goes wrong is shown as it happens."""
        done = self._call([command, *arguments], None)
        if done.returncode:
            raise BuildError(f"`{' '.join(done.args)}` ended with {done.returncode}")
        return done.stdout

    def query(self, expression: str, *options: str) -> list[str]:
        """The labels that a query finds; what it says is shown only where it could not answer.

        A private Bazel lacks tools that its own rules name, such as those for coverage: that is a part of the graph which
        nothing of ours stands on, and no reason to fail.
        """
        with tempfile.NamedTemporaryFile("w", suffix=".query") as file:
            file.write(expression)
            file.flush()
            done = self._call(
                ["query", "--keep_going", *options, f"--query_file={file.name}"], subprocess.PIPE
            )
        if done.returncode not in (0, _PARTLY):
            raise BuildError(f"{done.stderr}\nquery {expression[:1000]}: ended with {done.returncode}")
        return done.stdout.split()

    def action_graph(self, expression: str, *options: str) -> str:
        """The actions that a query of them finds, with their commands and what they read and make, as JSON."""
        with tempfile.NamedTemporaryFile("w", suffix=".query") as file:
            file.write(expression)
            file.flush()
            return self.run(
                "aquery",
                *self.options,
                *options,
                "--keep_going",
                "--skip_incompatible_explicit_targets",
                "--output=jsonproto",
                "--include_artifacts",
                "--include_commandline",
                f"--query_file={file.name}",
            )

    def _call(self, arguments: list[str], stderr: int | None) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_RUN)}
        call = [str(self.root / "bazelw"), *self.startup, *arguments]
        return subprocess.run(
            call, cwd=self.root, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True
        )

    def build(self, labels: Sequence[str]) -> list[pathlib.Path]:
        """Builds and says where the files are."""
        self.run("build", *self.options, *labels)
        said = self.run("cquery", *self.options, "--output=files", " + ".join(labels))
        root = pathlib.Path(self.run("info", "execution_root").strip())
        return [root / line for line in said.split()]


def copy_checkout(root: pathlib.Path, target: pathlib.Path) -> None:
    """Copies the sources: no outputs, no caches, no history."""
    shutil.copytree(root, target, symlinks=True, ignore=shutil.ignore_patterns(*_NO_SOURCES))


@contextlib.contextmanager
def elsewhere(bazel: Bazel) -> Iterator[Bazel]:
    """The same sources in another directory, with another output directory and without results of earlier builds.

    Only downloads are shared, which are known by their digests. Everything is removed at the end.
    """
    beside = pathlib.Path(bazel.run("info", "output_base").strip()).parent
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="elsewhere-", dir=beside))
    try:
        copy = scratch / "checkout"
        copy_checkout(bazel.root, copy)
        fresh = ("--disk_cache=", "--remote_cache=")
        other = Bazel(copy, (f"--output_base={scratch}/output",), fresh)
        try:
            yield other
        finally:
            # `clean --expunge` fails when the server's own emptying of its sandboxes is quicker.
            other.run("shutdown")
    finally:
        remove(scratch)


def remove(root: pathlib.Path) -> None:
    """Removes a directory, with what Bazel has made read-only."""
    for directory, _, _ in os.walk(root):
        os.chmod(directory, 0o700)
    shutil.rmtree(root)
