"""Every module of a package that was divided into folders is found with its folder and, as before, without."""

import importlib
import pathlib

import pytest

import executorch.partitioner
import executorch.passes

PACKAGES = (executorch.partitioner, executorch.passes)


def _modules(package):
    here = pathlib.Path(package.__file__).parent
    found = [path for folder in package.FOLDERS for path in (here / folder).glob("*.py")]
    return sorted(
        str(path.relative_to(here).with_suffix("")).replace("/", ".")
        for path in found
        if not path.stem.endswith("_test")
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_are_all_there_are(package):
    modules = _modules(package)
    assert {name.partition(".")[0] for name in modules} == set(package.FOLDERS)
    assert len({name.rpartition(".")[2] for name in modules}) == len(modules)


@pytest.mark.parametrize(
    ("package", "name"), [(package.__name__, name) for package in PACKAGES for name in _modules(package)]
)
def test_both_paths_are_one_module(package, name):
    former = importlib.import_module(f"{package}.{name.rpartition('.')[2]}")
    assert former is importlib.import_module(f"{package}.{name}")
    assert former.__name__ == former.__spec__.name == f"{package}.{name}"
