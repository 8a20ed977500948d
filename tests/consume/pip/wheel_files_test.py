"""What the names and the metadata of the wheels promise: which Python, which machine, which C library."""

import ast
import email
import io
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
from abi3info import DATAS, FUNCTIONS
from elftools.elf.elffile import ELFFile

ROOT = pathlib.Path(__file__).absolute().parents[3]
DIRECTORY = ROOT / "bazel" / "distribution" / "wheels"
WHEELS = {path.name.split("-")[0]: path for path in sorted(DIRECTORY.glob("*.whl"))}
OLDEST = (3, 10)

# Stable from 3.11 on, and in 3.10 the same (runtime/python/py_abi.h); of the others a process has one.
BUFFERS = {"PyBuffer_Release", "PyObject_CheckBuffer", "PyObject_GetBuffer"}
EITHER = {"Py_IsFinalizing", "_Py_IsFinalizing"}
#: What has an extension module of Python.
WITH_MODULES = ["executorch_extension_llm_tokenizers", "executorch_runtime"]

pytestmark = pytest.mark.skipif(
    not WHEELS, reason="the wheels are built by Bazel: ./bazelw test //tests/consume/pip:all"
)


def tag(path):
    return path.stem.split("-", 2)[2]


def metadata(path):
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def members(path, suffix):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.endswith(suffix)}


def test_what_is_compiled_is_for_a_machine_and_nothing_else_is():
    tags = {name: tag(path) for name, path in WHEELS.items() if tag(path) != "py3-none-any"}
    assert tags == {
        "executorch_cpp": "py3-none-manylinux_2_28_x86_64",
        "executorch_extension_llm_tokenizers": "cp310-abi3-manylinux_2_28_x86_64",
        "executorch_runtime": "cp310-abi3-manylinux_2_28_x86_64",
    }
    for path in WHEELS.values():
        assert bool(members(path, ".so")) == ("-cp3" in path.name), path.name


@pytest.mark.parametrize("name", WHEELS)
def test_the_tag_stands_in_the_wheel_too_and_the_oldest_python_can_read_it(name):
    path = WHEELS[name]
    ((_, text),) = members(path, ".dist-info/WHEEL").items()
    assert email.message_from_bytes(text)["Tag"] == tag(path)
    assert metadata(path)["Requires-Python"] == ">={}.{}".format(*OLDEST)
    for file, source in members(path, ".py").items():
        ast.parse(source, filename=file, feature_version=OLDEST)


def test_the_extra_for_cpp_requires_the_same_release():
    fields = metadata(WHEELS["executorch"])
    assert fields.get_all("Provides-Extra") == ["cpp"]
    wanted = f"executorch-cpp=={fields['Version']}; extra == 'cpp'"
    assert wanted in fields.get_all("Requires-Dist")
    assert metadata(WHEELS["executorch_cpp"])["Version"] == fields["Version"]


@pytest.mark.parametrize("name", WITH_MODULES)
def test_auditwheel_finds_no_newer_c_library_than_the_tag_says(name):
    path = WHEELS[name]
    done = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(path)], capture_output=True, text=True
    )
    said = " ".join(done.stdout.split())
    found = re.search(r'consistent with the following platform tag: "manylinux_(\d+)_(\d+)_(\w+)"', said)
    assert found, done.stdout + done.stderr
    promised = re.search(r"manylinux_(\d+)_(\d+)_(\w+)", path.stem)
    assert promised
    assert found[3] == promised[3]
    assert (int(found[1]), int(found[2])) <= (int(promised[1]), int(promised[2])), said


@pytest.mark.parametrize("name", WITH_MODULES)
def test_of_python_only_what_is_stable_since_the_oldest(name):
    stable: dict[str, tuple[int, int]] = {}
    for table in (FUNCTIONS, DATAS):
        stable |= {symbol.name: (entry.added.major, entry.added.minor) for symbol, entry in table.items()}
    ((_, module),) = members(WHEELS[name], ".so").items()
    table = ELFFile(io.BytesIO(module)).get_section_by_name(".dynsym")
    wanted = {
        symbol.name: symbol["st_info"]["bind"]
        for symbol in table.iter_symbols()
        if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name.lstrip("_").startswith("Py")
    }
    assert len(wanted) > 30, "a module that calls nothing of Python's proves nothing"
    assert {wanted.pop(symbol) for symbol in EITHER & set(wanted)} <= {"STB_WEAK"}
    newer = {name: stable.get(name) for name in set(wanted) - BUFFERS if stable.get(name, (9, 9)) > OLDEST}
    assert not newer, "not part of the stable interface of 3.10"
