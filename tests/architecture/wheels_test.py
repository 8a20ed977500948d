"""Each wheel owns its files alone; what tests of wheels stand on notices what a wheel does not declare.

That each one works with only what it declares is shown by //tests/consume/pip.
"""

import pathlib
import zipfile

import pytest
from packaging.requirements import Requirement

from executorch.tests.architecture.wheel_environment import (
    Environment,
    UndeclaredError,
    Wheel,
    closure,
    installed_directories,
)

ROOT = pathlib.Path(__file__).absolute().parents[2]
WHEELS = {
    wheel.name: wheel
    for wheel in map(Wheel.read, sorted([*ROOT.glob("*/wheel/*.whl"), *ROOT.glob("*/*/wheel/*.whl")]))
}


def make_wheel(directory, name, version, files, requires=()):
    path = directory / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    metadata = [
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}",
        *(f"Requires-Dist: {r}" for r in requires),
    ]
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        archive.writestr(f"{info}/METADATA", "\n".join(metadata) + "\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return Wheel.read(path)


def try_import(wheel, siblings, directory):
    wheels, third_party = closure(wheel, siblings)
    environment = Environment.create(directory)
    environment.install(wheels, installed_directories(third_party))
    return environment.run("", directory, wheel.modules())


@pytest.mark.skipif(
    not WHEELS, reason="the wheels are built by Bazel: ./bazelw test //tests/architecture:all"
)
def test_wheels_share_no_file():
    owner = {}
    for wheel in WHEELS.values():
        library = wheel.name.removeprefix("executorch-").replace("-", "_")
        for file in wheel.files:
            assert owner.setdefault(file, wheel.name) == wheel.name
            # A library inside another one's directory has the path in its name: extension_flat_tensor.
            assert file.removeprefix("executorch/").replace("/", "_").startswith(f"{library}_"), file
            assert not file.endswith("_test.py")


def test_an_undeclared_import_is_noticed(tmp_path):
    low = make_wheel(tmp_path, "low", "0.1.0", {"low/__init__.py": ""})
    other = make_wheel(tmp_path, "other", "0.1.0", {"other/__init__.py": ""})
    siblings = {"low": low, "other": other}
    code = {"top/__init__.py": "import low\n", "top/late.py": "import other\n"}
    declared = make_wheel(tmp_path, "top", "1.0", code, ["low>=0.1.0,<0.2", "other"])
    assert try_import(declared, siblings, tmp_path / "a").returncode == 0
    undeclared = make_wheel(tmp_path, "top", "2.0", code, ["low>=0.1.0,<0.2"])
    done = try_import(undeclared, siblings, tmp_path / "b")
    assert done.returncode != 0 and "No module named 'other'" in done.stderr
    refuses = 'raise ImportError("import low instead", name=__name__)\n'
    refusing = make_wheel(tmp_path, "top", "2.1", {"top/__init__.py": "", "top/gone.py": refuses}, [])
    assert try_import(refusing, siblings, tmp_path / "e").returncode == 0
    third_party = make_wheel(tmp_path, "top", "3.0", {"top/__init__.py": "import pytest\n"}, [])
    assert "No module named 'pytest'" in try_import(third_party, siblings, tmp_path / "c").stderr
    declares_it = make_wheel(tmp_path, "top", "4.0", {"top/__init__.py": "import pytest\n"}, ["pytest"])
    assert try_import(declares_it, siblings, tmp_path / "d").returncode == 0


def test_versions_are_checked(tmp_path):
    low = make_wheel(tmp_path, "low", "0.2.0", {"low/__init__.py": ""})
    top = make_wheel(tmp_path, "top", "1.0", {"top/__init__.py": ""}, ["low>=0.1.0,<0.2"])
    with pytest.raises(UndeclaredError, match=r"low<0.2,>=0.1.0.*0\.2\.0"):
        closure(top, {"low": low})
    with pytest.raises(UndeclaredError, match="not among"):
        installed_directories([Requirement("surely-not-installed")])
    with pytest.raises(UndeclaredError, match="is what is there"):
        installed_directories([Requirement("pytest<1")])
