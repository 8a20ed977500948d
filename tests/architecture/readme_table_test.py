"""The README's table of libraries is complete, and its versions are those of the VERSION files."""

import os
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


#: A workspace of its own, which Bazel does not hand to tests of this one.
_NOT_HERE = ROOT / "tests" / "consume" / "bazel"


def dead_links(page):
    """Links of a page to files that there are not; what stands in a code block is none."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    targets = {page.parent / link: link for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)}
    return [
        link
        for target, link in targets.items()
        if not target.exists() and not pathlib.Path(os.path.normpath(target)).is_relative_to(_NOT_HERE)
    ]


def test_links_between_pages_lead_somewhere():
    here = {page: page.relative_to(ROOT).parts[0] for page in ROOT.rglob("*.md")}
    pages = [page for page, top in here.items() if not top.startswith((".", "bazel-"))]
    assert len(pages) > 50
    assert {str(page): dead for page in pages if (dead := dead_links(page))} == {}


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("[here](page.md) [gone](gone.md#part)\n```\n[code](x)\n```\n[web](scheme:x)\n")
    assert dead_links(page) == ["gone.md"]
