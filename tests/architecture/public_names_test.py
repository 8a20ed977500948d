"""No documented public import path is missing, and what is listed as still to come really is."""

import importlib
import pathlib
import types

import pytest

from executorch.bazel.published import generate
from executorch.tests.architecture.public_names import CC_HEADERS, CC_HEADERS_OPEN, PYTHON, PYTHON_OPEN

ROOT = pathlib.Path(__file__).absolute().parents[2]

PUBLISHED = generate.load(ROOT)


def missing(module, names):
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        # Only the documented module itself may be absent; anything else is a broken import.
        assert error.name and module.startswith(error.name), error
        return list(names) or [module]
    return [name for name in names if not hasattr(loaded, name)]


@pytest.mark.parametrize("module", PYTHON)
def test_documented_names_import(module):
    assert missing(module, PYTHON[module]) == []


@pytest.mark.parametrize("path", PUBLISHED)
def test_published_names_import(path):
    module, names = generate.module_name(path), generate.names(PUBLISHED[path])
    assert missing(module, names) == []


@pytest.mark.parametrize("path", [path for path, row in PUBLISHED.items() if generate.is_written(row)])
def test_a_published_name_is_the_object_that_it_stands_for(path):
    module = importlib.import_module(generate.module_name(path))
    for key, words in PUBLISHED[path].items():
        source = importlib.import_module(generate.source(path, key))
        for word in words.split():
            published, _, ours = word.partition("=")
            found = getattr(module, published, None)
            # A module takes the place of a function of its name once somebody has imported it, as in released versions.
            if published != "*" and not isinstance(found, types.ModuleType):
                assert found is getattr(source, ours or published), published


def test_the_table_is_sorted_and_lists_nothing_twice():
    for one in PUBLISHED.values():
        assert list(one) == sorted(one)
    listed = {path: generate.names(row) for path, row in PUBLISHED.items()}
    assert {path: names for path, names in listed.items() if len(names) != len(set(names))} == {}
    listed_twice = set(PYTHON) & {generate.module_name(path) for path in PUBLISHED}
    assert listed_twice == set()


@pytest.mark.parametrize("module", PYTHON_OPEN)
def test_open_names_are_still_open(module):
    names = PYTHON_OPEN[module]
    assert missing(module, names) == (list(names) or [module]), "built: move the name to PYTHON"


def test_documented_headers_exist():
    assert [header for header in CC_HEADERS if not (ROOT / header).is_file()] == []


def test_open_headers_are_still_open():
    built = [header for header in CC_HEADERS_OPEN if (ROOT / header).is_file()]
    assert built == [], "built: move the header to CC_HEADERS"
    assert not set(CC_HEADERS) & set(CC_HEADERS_OPEN)
    assert len(CC_HEADERS) + len(CC_HEADERS_OPEN) == 120, "the published package has 120 public headers"


def test_a_missing_name_is_noticed():
    assert missing("json", ["loads", "no_such_name"]) == ["no_such_name"]
    assert missing("json.no_such_module", ["x"]) == ["x"]
