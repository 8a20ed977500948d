"""Locks, ways and the mirror, with stand-ins for the clients."""

from __future__ import annotations

import functools
import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile

import pytest

_HERE = pathlib.Path(os.path.abspath(__file__)).parent
REPOSITORIES = _HERE.parent / "repositories.bzl"
sys.path.insert(0, str(_HERE))

import fetch  # noqa: E402
import lock  # noqa: E402
from bootstrap.progress import BootstrapError  # noqa: E402
from bootstrap.supply import Row, obtain, rows, sha256  # noqa: E402


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _row(*data: bytes, ways: tuple[str, ...] = ("mirror", "index")) -> Row:
    return Row("pip", "thing", "1", tuple(map(_digest, data)), ways)


def _wheel(path: pathlib.Path, member: str) -> str:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(member, member)
    return _digest(path.read_bytes())


def test_ways_are_asked_in_order_until_one_has_it(tmp_path: pathlib.Path) -> None:
    asked = []

    def way(name: str, data: bytes):
        def ask(missing: list[Row], into: pathlib.Path) -> None:
            asked.append(name)
            if not data:
                raise BootstrapError("nothing here")
            (into / "file").write_bytes(data)

        return ask

    ways = {"a": way("a", b""), "b": way("b", b"wrong"), "c": way("c", b"right"), "d": way("d", b"right")}
    row = _row(b"right", b"other", ways=("a", "b", "c", "d"))
    assert obtain([row], tmp_path, ways)[row].read_bytes() == b"right"
    assert asked == ["a", "b", "c"]
    obtain([row], tmp_path, ways)
    assert asked == ["a", "b", "c"]
    short = _row(b"absent", ways=("a", "b"))
    with pytest.raises(BootstrapError, match=r"thing 1(?s:.*)a: nothing here(?s:.*)its sha256 is"):
        obtain([short], tmp_path, ways)


def test_any_of_several_builds_will_do(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = _row(b"cpu", b"plain", ways=("mirror",))
    for data in (b"cpu", b"plain"):
        mirror = tmp_path / f"mirror-{data.decode()}"
        mirror.mkdir()
        (mirror / _digest(data)).write_bytes(data)
        monkeypatch.setenv("EXECUTORCH_MIRROR", str(mirror) if data == b"cpu" else mirror.as_uri())
        assert obtain([row], tmp_path / data.decode(), fetch.WAYS)[row].read_bytes() == data


def test_a_build_brings_what_it_needs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    digests = [_wheel(tmp_path / "plain", "torch.py"), _wheel(tmp_path / "part", "cuda.so")]
    for name, digest in zip(("plain", "part"), digests, strict=True):
        (tmp_path / name).rename(tmp_path / digest)
    monkeypatch.setenv("EXECUTORCH_MIRROR", str(tmp_path))
    monkeypatch.setenv("EXECUTORCH_DOWNLOADS", str(tmp_path / "cache"))
    head = {"kind": "pip", "version": "1", "ways": ["mirror"]}
    part = {**head, "package": "part", "sha256": [digests[1]]}
    row = {**head, "package": "torch", "sha256": ["0" * 64, digests[0]], "builds": {digests[0]: [part]}}
    assert fetch.main([json.dumps([row]), str(tmp_path / "out")]) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["__pycache__", "cuda.so", "torch.py"]
    (compiled,) = (tmp_path / "out" / "__pycache__").iterdir()
    assert compiled.read_bytes()[4] == 1  # flags: by hash, and nobody looks whether the source is newer
    assert capsys.readouterr().out.strip() == digests[0]
    assert fetch.main([json.dumps([row]), str(tmp_path / "another" / "checkout"), sys.executable]) == 0
    (elsewhere,) = (tmp_path / "another" / "checkout" / "__pycache__").iterdir()
    assert (
        elsewhere.read_bytes() == compiled.read_bytes()
    )  # or no cache that checkouts share would know a test again


@pytest.mark.parametrize(
    ("program", "site", "environment"),
    [
        ("bin/tool", "bin/tool.runfiles", {}),
        ("test.runfiles/main/tool", "test.runfiles", {}),
        ("tool", "elsewhere", {"RUNFILES_DIR": "elsewhere"}),
        ("bin/tool", "external", {}),
    ],
)
def test_programs_find_the_locked_python_without_a_path_of_the_machine(
    program: str, site: str, environment: dict[str, str], tmp_path: pathlib.Path
) -> None:
    (text,) = re.findall(
        r'_OWN_SHEBANG = """\\\n(.*?)"""', REPOSITORIES.read_text(encoding="utf-8"), re.DOTALL
    )
    for path in (tmp_path / program, tmp_path / site / "python" / "python3"):
        path.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / program).write_text(
        text.format(interpreter="python/python3")
        + "\nfrom __future__ import annotations\nimport sys\nprint(*sys.argv[1:])\n"
    )
    (tmp_path / program).chmod(0o755)
    run = [str(tmp_path / program), "a b", "c"]
    without = subprocess.run(
        run, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True
    )
    assert without.returncode == 1 and "python/python3 is not in its runfiles" in without.stderr
    python = tmp_path / site / "python" / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    done = subprocess.run(
        run, cwd=tmp_path, env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True
    )
    assert done.stdout == "a b c\n", done.stderr


def test_a_failure_names_package_and_ways(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EXECUTORCH_MIRROR", raising=False)
    monkeypatch.setenv("EXECUTORCH_DOWNLOADS", str(tmp_path))
    row = {
        "kind": "pip",
        "package": "torch",
        "version": "1",
        "sha256": ["0" * 64],
        "ways": ["mirror", "torch_index"],
    }
    assert fetch.main([json.dumps([row]), str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    for word in ("torch 1", "EXECUTORCH_MIRROR", "EXECUTORCH_TORCH_INDEX", "Way out"):
        assert word in said


def test_the_locks_are_of_one_format() -> None:
    locks = lock.read(lock.LOCKS)
    assert sorted(locks) == ["bazel", "debian", "debian_arm64", "debian_sources", "npm", "python"]
    for name, content in locks.items():
        assert lock.text(json.loads(lock.text(content))) == lock.text(content)
        for row in rows(content).values():
            assert row.sha256 and set(row.ways) <= set(fetch.WAYS), (name, row)
            assert row.kind in ("pip", "npm") or (row.path and row.size and row.snapshot and row.suite), row
        for entry in content.get("bundles", {}).values():
            assert set(entry["packages"]) <= set(content["packages"])
    torch = locks["python"]["packages"]["torch"]
    assert len(torch["sha256"]) == 2 and set(torch["builds"]) < set(torch["sha256"])


def test_the_private_bazel_has_the_rule_sets_that_the_module_asks_for() -> None:
    """MODULE.bazel names the least versions, for a Bazel from PATH; those of the lock are of their lines and not older."""
    pins = lock.read(lock.LOCKS)["bazel"]["packages"]
    asked = re.findall(
        r'^bazel_dep\(name = "(\w+)", version = "([\d.]+)"',
        (lock.LOCKS.parent / "MODULE.bazel").read_text(),
        re.M,
    )
    assert asked
    for name, least in asked:
        package = "bazel-" + name.removeprefix("bazel_").replace("_", "-")
        have, want = (
            [int(part) for part in version.split("-")[0].split(".")]
            for version in (pins[package]["version"], least)
        )
        assert have[0] == want[0] and have >= want, (name, have, want)


def test_a_mirror_holds_what_is_needed_and_serves_it(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, out = tmp_path / "cache", tmp_path / "out"
    cache.mkdir()
    for data in (b"cpu", b"a"):
        (cache / _digest(data)).write_bytes(data)
    monkeypatch.setenv("EXECUTORCH_DOWNLOADS", str(cache))
    torch = {"version": "1", "sha256": [_digest(b"cpu"), "1" * 64], "builds": {"1" * 64: ["cuda"]}}
    packages = {
        "torch": torch,
        "cuda": {"version": "1", "sha256": ["2" * 64]},
        "a": {"version": "1", "sha256": [_digest(b"a")]},
    }
    locks = {"python": {"kind": "pip", "ways": ["mirror"], "packages": packages}}
    lock.mirror(locks, [], out)
    assert sorted(path.name for path in out.iterdir()) == sorted([_digest(b"cpu"), _digest(b"a")])
    monkeypatch.setenv("EXECUTORCH_MIRROR", str(out))
    row = rows(locks["python"])["a"]
    assert obtain([row], tmp_path / "cold", fetch.WAYS)[row].read_bytes() == b"a"


class _Index:
    """A suite in which b has moved and needs c."""

    def __init__(self) -> None:
        self.rows = {name: Row("deb", name, version, (name * 64,), ("archive",), "sid", f"pool/{name}.deb", 1)
                     for name, version in (("a", "1"), ("b", "2"), ("c", "1"))}  # fmt: skip

    def version(self, name: str) -> str:
        return self.rows[name].version if name in self.rows else ""

    def row(self, name: str) -> Row:
        return self.rows[name]

    def closure(self, roots: list[str], without: set[str]) -> list[Row]:
        return list(self.rows.values())


def _debian_lock() -> dict:
    pins = {
        name: {"version": "1", "sha256": [digest * 64], "size": 1, "path": f"pool/{name}.deb"}
        for name, digest in (("a", "a"), ("b", "0"))
    }
    head = {"kind": "deb", "suite": "sid", "snapshot": "20260101T000000Z", "ways": ["archive"]}
    return {**head, "roots": ["a"], "without": [], "packages": pins}


def test_a_mirror_is_filled_by_a_program_that_bazel_starts(tmp_path: pathlib.Path) -> None:
    # Bazel's programs have not their own directory on the path.
    command = [sys.executable, "-S", str(_HERE / "lock.py"), "--out", str(tmp_path), "of-no-row"]
    done = subprocess.run(command, env={"PYTHONSAFEPATH": "1"}, capture_output=True, text=True)
    assert "0 files" in done.stdout, done.stderr


def test_wheels_are_those_of_the_locked_python(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(fetch, "run", lambda command, cwd: commands.append(command))
    monkeypatch.setenv("EXECUTORCH_TORCH_INDEX", "https://builds.example/cpu")
    monkeypatch.setattr(fetch, "pip", lambda: ["pip"])
    own = "{}.{}".format(*sys.version_info)
    for python in (own, "3.7"):
        row = Row("pip", "torch", "1", ("0" * 64,), ("index",), python=python)
        fetch.by_index([row], tmp_path)
        fetch.by_torch_index([row], tmp_path)
    here, here_torch, other, other_torch = commands
    assert "--python-version" not in here + here_torch
    for command in (other, other_torch):
        assert command[command.index("--python-version") + 1] == "3.7"
    for command in (here_torch, other_torch):
        assert command[command.index("--index-url") + 1] == "https://builds.example/cpu"


def test_an_interpreter_without_pip_runs_that_of_the_lock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    unpacked = []

    def unpack(command: list[str], into: pathlib.Path) -> None:
        unpacked.append(command)
        (into / command[-1] / "usr/share/python-wheels").mkdir(parents=True)
        (into / command[-1] / "usr/share/python-wheels/pip-1-py3-none-any.whl").touch()

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(fetch, "run", unpack)
    monkeypatch.setenv("EXECUTORCH_DOWNLOADS", str(tmp_path))
    tree = tmp_path / "python/usr"
    for _ in range(2):  # the second time from where it lies
        program = f"{tree}/share/python-wheels/pip-1-py3-none-any.whl/pip"
        assert fetch.pip() == [str(tree / "bin/python3"), program]
    assert len(unpacked) == 1 and pathlib.Path(unpacked[0][1]).is_file()


@pytest.mark.parametrize("way", ["mirror", "archive", "nowhere", "damaged"])
def test_a_machine_without_python_unpacks_one(tmp_path: pathlib.Path, way: str) -> None:
    """python.sh, with stand-ins for apt and dpkg: by digest, links made relative, the starter put in place."""
    for name in (
        "third-party/fetch",
        "third-party/overlays",
        "packages/pool",
        "mirror",
        "bin",
        "tree/usr/bin",
    ):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(_HERE / "python.sh", tmp_path / "third-party/fetch")
    (tmp_path / "third-party/overlays/python3.sh").write_text("starter")
    (tmp_path / "tree/usr/bin/link").symlink_to("/usr/bin/python3.11")
    deb = tmp_path / "packages/pool/p.deb"
    with tarfile.open(deb, "w") as tar:
        tar.add(tmp_path / "tree", ".")
    pin = {"version": "1", "sha256": [sha256(deb)], "size": 1, "path": "pool/p.deb"}
    bundle = {"overlay": "o", "roots": ["python3.11"], "without": [], "packages": ["python3.11"]}
    content = {
        "kind": "deb",
        "bundles": {"python": bundle},
        "packages": {"python3.11": pin, "python3.11-x": pin},
    }
    (tmp_path / "third-party/debian.lock.json").write_text(lock.text(content))
    programs = {
        "dpkg-deb": 'tar -xf "$2" -C "$3"',
        "apt-get": f"echo {tmp_path}/packages/",
        "apt-helper": 'while [ "$1" != download-file ]; do shift; done; cp "$2" "$3"',
    }
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    if way == "mirror":
        deb.rename(tmp_path / "mirror" / pin["sha256"][0])
    elif way == "nowhere":
        deb.unlink()
    elif way == "damaged":
        deb.write_bytes(b"damaged")
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "EXECUTORCH_MIRROR": str(tmp_path / "mirror")}
    environment["EXECUTORCH_DOWNLOADS"] = str(tmp_path / "downloads")
    command = ["sh", str(tmp_path / "third-party/fetch/python.sh"), str(tmp_path / "out")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if way in ("nowhere", "damaged"):
        assert done.returncode != 0 and "has pool/p.deb" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert os.readlink(tmp_path / "out/usr/bin/link") == "python3.11"
    assert (tmp_path / "out/usr/bin/python3").read_text() == "starter"


def test_a_snapshot_is_asked_at_the_time_of_the_lock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    """An archive of snapshots on this machine, and a stand-in for apt's downloader that reads it by HTTP."""
    archive, programs = tmp_path / "archive", tmp_path / "bin"
    for time, data in (("20260101T000000Z", b"old"), ("20260202T000000Z", b"new")):
        (archive / time / "pool").mkdir(parents=True)
        (archive / time / "pool/a.deb").write_bytes(data)
    programs.mkdir()
    (programs / "apt-helper").write_text(
        f"#!{sys.executable}\nimport sys, urllib.request\n"
        "files = sys.argv[sys.argv.index('download-file') + 1 :]\n"
        "for url, target in zip(files[::3], files[1::3]):\n    urllib.request.urlretrieve(url, target)\n"
    )
    (programs / "apt-helper").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ.get('PATH', '')}")
    handler = functools.partial(_Quiet, directory=str(archive))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("EXECUTORCH_DEBIAN_SNAPSHOTS", f"http://127.0.0.1:{server.server_port}")
        for time, data in (("20260101T000000Z", b"old"), ("20260202T000000Z", b"new")):
            row = Row("deb", "a", "1", (_digest(data),), ("snapshot",), "sid", "pool/a.deb", 3, snapshot=time)
            assert obtain([row], tmp_path / time, fetch.WAYS)[row].read_bytes() == data
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """A test says nothing."""


def test_check_tells_what_goes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def archive(missing: list[Row], into: pathlib.Path) -> None:
        raise BootstrapError("404")

    for name in ("EXECUTORCH_MIRROR", "EXECUTORCH_DEBIAN_SNAPSHOTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(lock, "binaries", lambda suite, architecture="": _Index())
    monkeypatch.setattr(fetch, "WAYS", {"archive": archive})
    assert lock.check({"bazel": _debian_lock()}, []) == 1
    said = capsys.readouterr().out
    assert "bazel: a 1: goes with the next upload to sid\n" in said
    assert "bazel: b 1: gone: " in said
    assert "2 rows: 0 stay, 1 will go, 1 are gone" in said


def test_refresh_proposes_the_closure(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "binaries", lambda suite, architecture="": _Index())
    path = tmp_path / "bazel.lock.json"
    path.write_text(lock.text(_debian_lock()))
    before = path.read_text()
    lock.refresh(tmp_path, [], write=False)
    said = capsys.readouterr().out
    assert '+    "c": {"version": "1"' in said and '-    "b": {"version": "1"' in said and '"a"' not in said
    assert path.read_text() == before
    lock.refresh(tmp_path, [], write=True)
    assert json.loads(path.read_text())["packages"]["b"]["version"] == "2"
