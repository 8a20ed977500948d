"""Installs wheels into an empty virtual environment that sees only what they declare, and imports them there."""

from __future__ import annotations

import email
import importlib.metadata
import pathlib
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

# A module may refuse in its own name, to say what to import instead: that is no missing dependency.
_IMPORT_ALL = """
import importlib
for name in {modules!r}:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError:
        raise
    except ImportError as refusal:
        if refusal.name != name:
            raise
        continue
    file = getattr(module, "__file__", None)
    assert file is None or file.startswith({site!r}), name
"""


class UndeclaredError(Exception):
    """A wheel cannot be installed with what it declares."""


@dataclass(frozen=True)
class Wheel:
    """One wheel file and what its metadata says.

    Attributes:
        path: of the file.
        name: canonical name of the distribution.
        version: of the distribution.
        requires: requirements that hold here, without extras.
        files: names of what it installs, without its metadata.
    """

    path: pathlib.Path
    name: str
    version: Version
    requires: tuple[Requirement, ...]
    files: tuple[str, ...]

    @classmethod
    def read(cls, path: pathlib.Path) -> Wheel:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            fields = email.message_from_bytes(archive.read(metadata))
        requires = [Requirement(text) for text in fields.get_all("Requires-Dist", [])]
        return cls(
            path,
            canonicalize_name(fields["Name"]),
            Version(fields["Version"]),
            tuple(r for r in requires if _applies(r)),
            tuple(name for name in names if ".dist-info/" not in name),
        )

    def modules(self) -> list[str]:
        """Dotted names of its Python modules and native extensions; programs (`__main__`) are left out."""
        found = set()
        for name in self.files:
            stem = name.split(".")[0] if name.endswith(".so") else name.removesuffix(".py")
            if name.endswith((".py", ".so")) and not name.endswith("/__main__.py"):
                found.add(stem.removesuffix("/__init__").replace("/", "."))
        return sorted(found)


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def closure(wheel: Wheel, siblings: Mapping[str, Wheel]) -> tuple[list[Wheel], list[Requirement]]:
    """The siblings that must be installed beside ``wheel``, and the third-party requirements of all of them.

    Raises:
        UndeclaredError: a sibling's version is outside the declared range.
    """
    chosen = {wheel.name: wheel}
    third_party: dict[str, Requirement] = {}
    queue = list(wheel.requires)
    while queue:
        requirement = queue.pop(0)
        name = canonicalize_name(requirement.name)
        sibling = siblings.get(name)
        if sibling is None:
            third_party[name] = requirement
            continue
        if not requirement.specifier.contains(sibling.version, prereleases=True):
            raise UndeclaredError(f"{wheel.name} requires {requirement}, its sibling is at {sibling.version}")
        if name not in chosen:
            chosen[name] = sibling
            queue += sibling.requires
    return list(chosen.values()), list(third_party.values())


def installed_directories(
    requirements: Iterable[Requirement],
    find: Callable[[str], importlib.metadata.Distribution] = importlib.metadata.distribution,
) -> list[pathlib.Path]:
    """Directories that hold the required distributions and, in turn, what those require.

    What a wheel of ours declares must be there. What others' distributions ask for is theirs: torch's build with CUDA names
    packages that hold no module it imports, and its parts that are needed stand in torch's own tree.

    Raises:
        UndeclaredError: one that a wheel of ours declares is not installed, or at another version.
    """
    directories: dict[pathlib.Path, None] = {}
    seen = set()
    ours = list(requirements)
    queue = list(ours)
    while queue:
        requirement = queue.pop(0)
        name = canonicalize_name(requirement.name)
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = find(name)
        except importlib.metadata.PackageNotFoundError as error:
            if requirement not in ours:
                continue
            raise UndeclaredError(
                f"{requirement} is declared but not among the test's dependencies"
            ) from error
        if not requirement.specifier.contains(distribution.version, prereleases=True):
            raise UndeclaredError(f"{requirement} is declared, {distribution.version} is what is there")
        directories[pathlib.Path(str(distribution.locate_file("")))] = None
        queue += [r for r in map(Requirement, distribution.requires or []) if _applies(r)]
    return list(directories)


@dataclass(frozen=True)
class Environment:
    """A virtual environment with nothing but what was installed into it."""

    python: pathlib.Path
    site: pathlib.Path

    @classmethod
    def create(cls, directory: pathlib.Path) -> Environment:
        venv.EnvBuilder(with_pip=False, symlinks=True).create(directory)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return cls(directory / "bin" / "python", directory / "lib" / version / "site-packages")

    def install(self, wheels: Iterable[Wheel], directories: Iterable[pathlib.Path] = ()) -> None:
        """Installs the wheels without their dependencies and adds ``directories`` to the search path."""
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            "--no-compile",
        ]
        command += ["--disable-pip-version-check", "--no-cache-dir", "--root-user-action=ignore"]
        command += ["--target", str(self.site), *(str(wheel.path) for wheel in wheels)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        (self.site / "declared.pth").write_text("".join(f"{directory}\n" for directory in directories))

    def run(
        self, program: str, directory: pathlib.Path, modules: Iterable[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program in a fresh process in ``directory``, then imports the modules one after another.

        The exit status tells whether all went well.
        """
        text = program + "\n" + _IMPORT_ALL.format(site=str(self.site), modules=list(modules))
        # -s: no user site directory; PYTHONPATH is absent from `env`.
        return subprocess.run(
            [str(self.python), "-s", "-c", text],
            cwd=directory,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.site.parent)},
            capture_output=True,
            text=True,
        )
