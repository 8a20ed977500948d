"""The list of libraries is that of the tree, and the record of each one's last release is of the version it has."""

import json
import pathlib
import re

from executorch.bazel.release import libraries

HERE = pathlib.Path(__file__).absolute().parent
ROOT = HERE.parents[1]


def declared():
    """What the BUILD files of the tree declare, by directory."""
    kinds = {"python": "wheel", "cc": "dist"}
    found = {}
    for path in sorted([*ROOT.glob("*/VERSION"), *ROOT.glob("*/*/VERSION"), *ROOT.glob("*/*/*/VERSION")]):
        text = (path.parent / "BUILD.bazel").read_text()
        (call,) = re.findall(r"^microlibrary\((.*?)^\)", text, re.DOTALL | re.MULTILINE)
        found[str(path.parent.relative_to(ROOT))] = [
            kind for field, kind in kinds.items() if re.search(rf"^    {field} = ", call, re.MULTILINE)
        ]
    return found


def test_the_list_of_libraries():
    assert libraries.load(ROOT) == declared()


def test_every_library_has_a_record_of_its_version():
    versions = {
        library.replace("/", "_"): (ROOT / library / "VERSION").read_text().strip()
        for library in libraries.load(ROOT)
    }
    records = {
        path.stem: json.loads(path.read_text())["version"] for path in (HERE / "records").glob("*.json")
    }
    assert len(versions) > 10
    assert records == versions


def test_records_are_not_of_nothing():
    for path in (HERE / "records").glob("*.json"):
        assert json.loads(path.read_text())["surface"], path.name
    surface = json.loads((HERE / "records" / "runtime.json").read_text())["surface"]
    assert {name.partition(":")[0] for name in surface} == {"py", "h", "cc"}
