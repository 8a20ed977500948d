"""The record of each library's last release is of the version that the library has."""

import json
import pathlib

HERE = pathlib.Path(__file__).absolute().parent
ROOT = HERE.parents[1]


def test_every_library_has_a_record_of_its_version():
    found = [*ROOT.glob("*/VERSION"), *ROOT.glob("backends/*/VERSION")]
    versions = {
        str(path.parent.relative_to(ROOT)).replace("/", "_"): path.read_text().strip() for path in found
    }
    records = {
        path.stem: json.loads(path.read_text())["version"] for path in (HERE / "records").glob("*.json")
    }
    assert len(versions) > 10
    assert records == versions


def test_records_are_not_of_nothing():
    surface = json.loads((HERE / "records" / "runtime.json").read_text())["surface"]
    assert {name.partition(":")[0] for name in surface} == {"py", "h", "cc"}
