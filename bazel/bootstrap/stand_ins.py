"""A machine for tests: Bazel, apt and dpkg are small scripts, and nothing is fetched."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

# Not resolved: in runfiles the links lie where the checkout has the files.
_HERE = Path(os.path.abspath(__file__)).parent
_CHECKOUT = _HERE.parents[1]
_BASICS = (
    "bash",
    "cat",
    "cp",
    "dirname",
    "env",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sh",
    "sleep",
    "tar",
    "tee",
    "touch",
)
_TRIPLET, _LINKER = "x86_64-linux-gnu", "ld-linux-x86-64.so.2"

# Answers --version, and prints what it was called with otherwise.
_BAZEL = """#!/bin/sh
case " $* " in *" --version "*) echo "{version}"; exit {code} ;; esac
printf '%s\\n' "{label}" "$@" "USE_BAZEL_VERSION=$USE_BAZEL_VERSION" "HOME=$HOME"
"""
# What the packages unpack to, as far as the installer touches it.
_TREE = {
    "usr/bin/bazel": _BAZEL.format(version="bazel 7.8.0-debian", code=0, label="private"),
    "usr/bin/patchelf": "not run: nothing here is an ELF file\n",
    f"usr/libexec/{_TRIPLET}/bazel/linux-sandbox": "#!/bin/sh\n",
    f"usr/lib/{_TRIPLET}/{_LINKER}": "#!/bin/sh\n",
    "usr/lib/jvm/java-25-openjdk-amd64/bin/java": "#!/bin/sh\n",
    "usr/lib/jvm/java-25-openjdk-amd64/lib/jspawnhelper": "#!/bin/sh\n",
    "usr/share/bazel/bazel_classpath_debian_depends.txt": "/usr/share/java/a.jar\n/usr/share/java/no.jar\n",
    "usr/share/bazel/build-label.txt": "7.8.0\n",
    "usr/share/bazel/embedded_tools/MODULE.bazel": 'module(name = "bazel_tools")\n'
    'bazel_dep(name = "rules_cc", version = "1")\nbazel_dep(name = "zlib", version = "1.3")\n',
    "usr/share/bazel/rules/cc/MODULE.bazel": 'module(name = "rules_cc", version = "1")\n',
    "usr/share/bazel/rules/shell/MODULE.bazel": 'module(name = "rules_shell", version = "1")\n',
}
PACKAGES = ("bazel-bootstrap", "default-jre-headless", "patchelf", "bazel-rules-shell", "bazel-rules-pkg")


def _script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def write_jar(path: Path, class_path: str = "") -> None:
    """An empty jar whose manifest names others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nClass-Path: {class_path}\r\n\r\n")


class Machine:
    """A directory with a checkout, a home and the programs of a PATH."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.repo = directory / "repo"
        self.home = directory / "home"
        self.bin = directory / "bin"
        self.cache = self.home / ".cache/executorch-bazel"
        self.hook = directory / "hook"  # sourced by the stand-ins of apt and dpkg-deb
        self.lock: dict[str, object] = {}
        (self.repo / "bazel/bootstrap").mkdir(parents=True)
        for path in (self.home, self.bin):
            path.mkdir()
        for name in ("bazelw", ".bazelversion"):
            shutil.copy(_CHECKOUT / name, self.repo / name)
        (self.repo / "third-party").mkdir()
        for path in _HERE.glob("*.py"):
            shutil.copy(path, self.repo / "bazel/bootstrap")
        self.write_module('module(name = "tiny")\nbazel_dep(name = "rules_cc", version = "2")\n')
        for name in _BASICS:
            (self.bin / name).symlink_to(shutil.which(name) or "/nonexistent")

    def write_module(self, text: str) -> None:
        """Replaces the checkout's MODULE.bazel."""
        (self.repo / "MODULE.bazel").write_text(text)

    def add_bazel(self, version: str, name: str = "bazel", code: int = 0) -> None:
        """Puts a Bazel on PATH."""
        _script(self.bin / name, _BAZEL.format(version=version, code=code, label=name))

    def add_debian(self) -> None:
        """Puts python3, apt and dpkg on PATH, and makes a mirror with the packages."""
        _script(self.bin / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        _script(self.bin / "dpkg", "#!/bin/sh\necho amd64\n")
        _script(self.bin / "dpkg-deb", '#!/bin/sh\n. "$MACHINE/hook"\ntar -xf "$2" -C "$3"\n')
        _script(self.bin / "apt-cache", '#!/bin/sh\ncat "$MACHINE/index"\n')
        _script(self.bin / "apt-get", '#!/bin/sh\necho "$*" >>"$MACHINE/calls"\n. "$MACHINE/hook"\n')
        # Its arguments end in groups of URL, target and digest.
        _script(
            self.bin / "apt-helper",
            '#!/bin/sh\necho "$*" >>"$MACHINE/calls"\n. "$MACHINE/hook"\n'
            'while [ "$1" != download-file ]; do shift; done; shift\n'
            'while [ $# -gt 0 ]; do copy "$1" "$2" || code=100; shift 3; done; exit ${code:-0}\n',
        )
        self.write_hook("")
        self._make_mirror()

    def write_hook(self, text: str) -> None:
        """Replaces what the stand-ins run first; `copy` is how a file comes from its URL."""
        self.hook.write_text('copy() { cp "$MACHINE/mirror/${1##*/}" "$2"; }\n' + text)

    def write_lock(self, **changes: object) -> None:
        """Pins what the mirror has, with other fields at the top of the lock file."""
        (self.repo / "third-party/bazel.lock.json").write_text(json.dumps({**self.lock, **changes}))

    def _make_mirror(self) -> None:
        tree, mirror = self.directory / "tree", self.directory / "mirror"
        mirror.mkdir()
        for path, text in _TREE.items():
            _script(tree / path, text)
        write_jar(tree / "usr/share/java/a.jar", "b.jar")
        write_jar(tree / "usr/share/java/b.jar")
        (tree / "usr/share/java/link.jar").symlink_to("/usr/share/java/a.jar")
        stanzas, packages = [], {}
        for name in PACKAGES:
            archive = mirror / f"{name}_7.8.0+ds-1_amd64.deb"
            with tarfile.open(archive, "w") as tar:
                if name == PACKAGES[0]:
                    tar.add(tree, ".")
                else:
                    tar.addfile(tarfile.TarInfo(name))  # Not the same bytes, so not the same digest.
            data = archive.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            stanzas.append(
                f"Package: {name}\nVersion: 1:7.8.0+ds-1\nSize: {len(data)}\nSHA256: {digest}\n"
                f"Filename: pool/{archive.name}\nDepends: libnot-in-the-suite, python3:any\n"
            )
            pin = {"version": "1:7.8.0+ds-1", "sha256": [digest], "path": f"pool/{archive.name}"}
            packages[name] = {**pin, "size": len(data)}
        (self.directory / "index").write_text("\n".join(stanzas))
        head = {"kind": "deb", "architecture": "amd64", "suite": "sid", "snapshot": "20260131T120000Z"}
        roots = {"roots": list(PACKAGES), "without": ["python3"]}
        self.lock = {**head, "ways": ["mirror", "archive", "snapshot"], **roots, "packages": packages}
        self.write_lock()

    def start(self, *arguments: str, cwd: Path | None = None, **more: str) -> subprocess.Popen[str]:
        """Starts bazelw in a process group of its own. `more` adds variables, empty ones are removed."""
        environment = {
            "PATH": str(self.bin),
            "HOME": str(self.home),
            "MACHINE": str(self.directory),
            "EXECUTORCH_BAZEL_DEBIAN_MIRROR": "http://mirror.invalid/debian",
            **more,
        }
        return subprocess.Popen(
            [str(self.repo / "bazelw"), *arguments],
            env={name: value for name, value in environment.items() if value},
            cwd=cwd or self.repo,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs bazelw to its end."""
        with self.start(*arguments, cwd=cwd, **more) as process:
            output, errors = process.communicate()
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def downloads(self) -> list[str]:
        """The calls with which apt was asked to download."""
        calls = self.directory / "calls"
        lines = calls.read_text().splitlines() if calls.exists() else []
        return [line for line in lines if " download-file " in line]


class MachineTest(unittest.TestCase):
    """Tests with a fresh machine each; not under /tmp, which bazelw treats apart."""

    def setUp(self) -> None:
        base = os.path.realpath(os.environ.get("TEST_TMPDIR", "/tmp"))
        directory = tempfile.TemporaryDirectory(dir="/var/tmp" if base.startswith("/tmp") else base)
        self.addCleanup(directory.cleanup)
        self.machine = Machine(Path(directory.name).resolve())
