"""The README's table of libraries is complete, and its versions are those of the VERSION files."""

import pathlib
import re

from executorch.tests.architecture.edges import FREE, load_edges

ROOT = pathlib.Path(__file__).absolute().parents[2]

_ROW = re.compile(r"^\| \[([\w/]+)\]\(([\w/]+)/README\.md\) \| (\S+) \| .+ \|$", re.MULTILINE)


def test_every_library_is_in_the_table_with_its_version():
    rows = _ROW.findall((ROOT / "README.md").read_text())
    assert all(name == directory for name, directory, _ in rows)
    found = [*ROOT.glob("*/VERSION"), *ROOT.glob("backends/*/VERSION")]
    versions = {str(path.parent.relative_to(ROOT)): path.read_text().strip() for path in found}
    assert {name: version for name, _, version in rows} == versions


def test_consumers_ask_for_versions_that_there_are():
    asked = re.compile(r"find_package\(executorch_(\w+) (\d+\.\d+) ")
    for page in ("README.md", "tests/consume/cmake/CMakeLists.txt"):
        found = asked.findall((ROOT / page).read_text())
        assert found, page
        for library, version in found:
            assert (ROOT / library / "VERSION").read_text().startswith(f"{version}."), f"{page}: {library}"


def test_every_library_has_its_papers():
    libraries = {row.split("/")[0] for row in load_edges(ROOT)} - FREE
    wanted = ("BUILD.bazel", "CHANGELOG.md", "README.md", "VERSION")
    missing = [
        f"{library}/{name}"
        for library in sorted(libraries)
        for name in wanted
        if not (ROOT / library / name).is_file()
    ]
    assert missing == []


def test_every_directory_of_the_design_says_what_it_is_for():
    directories = ("docs", "examples", "tests", "third-party", "toolchains")
    assert [name for name in directories if not (ROOT / name / "README.md").is_file()] == []


def test_links_in_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text())
    assert links
    assert [
        link for link in links if not (ROOT / link).exists() and not link.startswith("tests/consume/bazel")
    ] == []
