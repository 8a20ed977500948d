"""Sources in a zip, as the Arduino IDE takes them: compiled by a compiler that knows nothing but `src`, and run as a sketch."""

import os
import pathlib
import re
import zipfile

import pytest

from executorch.tests.consume.cmake.native_tools import ROOT, compiler, run

ARDUINO = pathlib.Path(__file__).absolute().parent / "arduino"
ZIP = ROOT / "examples" / "firmware" / "digits_sources.zip"
FLAGS = ["-std=c++17", "-O1", "-fno-exceptions", "-fno-rtti", "-Wall", "-Werror"]

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    place = tmp_path_factory.mktemp("libraries")
    with zipfile.ZipFile(ZIP) as packed:
        packed.extractall(place)
    (folder,) = place.iterdir()
    return folder


def test_it_is_a_library_of_the_ide(library):
    properties = dict(
        line.split("=", 1) for line in (library / "library.properties").read_text().splitlines()
    )
    assert properties["name"] == library.name == "executorch_digits"
    assert re.fullmatch(r"\d+\.\d+\.\d+", properties["version"])
    assert (library / "src" / properties["includes"]).is_file()
    assert (library / "examples" / "Digits" / "Digits.ino").is_file()
    assert {path.suffix for path in (library / "src").rglob("*") if path.is_file()} == {".cpp", ".h"}


def test_every_file_has_the_configuration(library):
    """What the core and the kernels agree on must be what a sketch sees."""
    first = "#include <executorch_digits_configuration.h>\n"
    files = [
        path for path in (library / "src").rglob("*") if path.is_file() and path.parent != library / "src"
    ]
    assert len(files) > 50
    assert [path for path in files if not path.read_text().startswith(first)] == []
    assert (
        "#define ET_NO_UNBOUNDED_SIZES 1" in (library / "src/executorch_digits_configuration.h").read_text()
    )


def test_a_sketch_says_what_the_host_said(library, tmp_path):
    cxx = compiler(tmp_path)
    sources = sorted((library / "src").rglob("*.cpp"))
    objects = [tmp_path / f"{number}.o" for number in range(len(sources))]
    for source, out in zip(sources, objects, strict=True):
        run([cxx, *FLAGS, f"-I{library / 'src'}", "-c", source, "-o", out])
    sketch = f'-DSKETCH="{library / "examples/Digits/Digits.ino"}"'
    main = [cxx, *FLAGS, f"-I{library / 'src'}", f"-I{ARDUINO}", sketch, ARDUINO / "main.cc"]
    run([*main, *objects, "-o", tmp_path / "sketch"])
    said = re.findall(r"class (\d), host (\d)\n", run([tmp_path / "sketch", "8"]))
    assert len(said) == 8
    assert [one for one, _ in said] == [other for _, other in said]
