"""Every module is found with its folder and, as before there were folders, without."""

import importlib
import pathlib

import pytest

import executorch.passes as package

HERE = pathlib.Path(package.__file__).parent
MODULES = sorted(
    str(path.relative_to(HERE).with_suffix("")).replace("/", ".")
    for folder in package.FOLDERS
    for path in (HERE / folder).glob("*.py")
    if not path.stem.endswith("_test")
)


def test_folders_are_all_there_are():
    assert {name.partition(".")[0] for name in MODULES} == set(package.FOLDERS)
    assert len({name.rpartition(".")[2] for name in MODULES}) == len(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_both_paths_are_one_module(name):
    former = importlib.import_module(f"{package.__name__}.{name.rpartition('.')[2]}")
    assert former is importlib.import_module(f"{package.__name__}.{name}")
    assert former.__name__ == former.__spec__.name == f"{package.__name__}.{name}"
