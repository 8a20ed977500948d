"""What is in an AAR: its parts, native libraries that a device loads, classes that it reads, and a POM."""

import functools
import io
import os
import pathlib
import re
import struct
import subprocess
import zipfile
from xml.etree import ElementTree

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

FILES = [pathlib.Path(path).absolute() for path in os.environ["AARS"].split()]
AARS = [path for path in FILES if path.suffix == ".aar"]
SIZES = dict(pair.split("=") for pair in os.environ["SIZES"].split())
MACHINES = {"arm64-v8a": "EM_AARCH64", "x86_64": "EM_X86_64"}
ANDROID = "{http://schemas.android.com/apk/res/android}"
MAVEN = "{http://maven.apache.org/POM/4.0.0}"


@pytest.fixture(scope="module", params=AARS, ids=lambda path: path.stem)
def aar(request: pytest.FixtureRequest):
    with zipfile.ZipFile(request.param) as archive:
        yield archive


def libraries(aar: zipfile.ZipFile) -> dict[str, ELFFile]:
    return {
        name.split("/")[1]: ELFFile(io.BytesIO(aar.read(name)))
        for name in aar.namelist()
        if name.endswith(".so")
    }


def dynamic_symbols(library: ELFFile):
    table = library.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    return [symbol for symbol in table.iter_symbols() if symbol.name]


@functools.cache
def natives() -> set[str]:
    """The names by which a virtual machine looks for the native methods of the classes."""
    jdk = pathlib.Path(os.environ["JDK"]).absolute()
    path = pathlib.Path(os.environ["TEST_TMPDIR"]) / "classes.jar"
    with zipfile.ZipFile(AARS[0]) as archive:
        path.write_bytes(archive.read("classes.jar"))
    with zipfile.ZipFile(path) as jar:
        names = [name[:-6] for name in jar.namelist() if re.search(r"/Native\w+\.class$", name)]
    found = set()
    for name in names:
        command: list[str | pathlib.Path] = [
            jdk / "usr/lib/jvm/java-17-openjdk-amd64/bin/javap",
            "-p",
            "-cp",
            path,
            name.replace("/", "."),
        ]
        environment = {**os.environ, "LD_LIBRARY_PATH": str(jdk / "lib/x86_64-linux-gnu")}
        shown = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
        methods = re.findall(r"static native .* (\w+)\(", shown)
        found |= {f"Java_{name.replace('/', '_')}_{method}" for method in methods}
    return found


def test_contents(aar):
    parts = {info.filename: info for info in aar.infolist()}
    for name, info in sorted(parts.items()):
        print(f"{info.file_size:>12,} {info.compress_size:>12,} {name}")
    size = pathlib.Path(aar.filename).stat().st_size
    print(f"{size:>25,} {pathlib.Path(aar.filename).name}")
    assert {
        "AndroidManifest.xml",
        "R.txt",
        "classes.jar",
        "proguard.txt",
        "META-INF/NOTICE.txt",
    } < parts.keys()
    found = {name for name in parts if name.startswith("jni/")}
    assert found and found <= {f"jni/{abi}/libexecutorch.so" for abi in MACHINES}
    assert {info.date_time for info in parts.values()} == {(1980, 1, 1, 0, 0, 2)}
    assert aar.testzip() is None


def test_size(aar):
    """Of one processor's part, with everything else."""
    stem = pathlib.Path(aar.filename).stem
    if stem not in SIZES:
        return
    size = sum(info.compress_size for info in aar.infolist() if not info.filename.startswith("jni/x86_64"))
    assert size < int(SIZES[stem])


def test_manifest(aar):
    root = ElementTree.fromstring(aar.read("AndroidManifest.xml"))
    assert root.attrib["package"] == "org.pytorch.executorch"
    least = root.find("uses-sdk")
    assert least is not None and least.attrib[f"{ANDROID}minSdkVersion"] == "28"


def test_libraries_are_what_a_device_loads(aar):
    for abi, library in libraries(aar).items():
        assert (library["e_type"], library["e_machine"]) == ("ET_DYN", MACHINES[abi])
        loads = [one for one in library.iter_segments() if one["p_type"] == "PT_LOAD"]
        assert loads and {one["p_align"] for one in loads} == {16384}
        for one in loads:
            assert one["p_offset"] % 16384 == one["p_vaddr"] % 16384
            assert not (one["p_flags"] & 1 and one["p_flags"] & 2), "a segment is written to and run"
        stack = [one for one in library.iter_segments() if one["p_type"] == "PT_GNU_STACK"]
        assert stack and not stack[0]["p_flags"] & 1
        assert not [one for one in library.iter_segments() if one["p_type"] == "PT_TLS"], (
            "known from API 29 on"
        )
        dynamic = library.get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        tags = [
            (tag.entry.d_tag, getattr(tag, "needed", getattr(tag, "soname", None)))
            for tag in dynamic.iter_tags()
        ]
        assert ("DT_SONAME", "libexecutorch.so") in tags
        assert {value for tag, value in tags if tag == "DT_NEEDED"} <= {
            "libc.so",
            "libdl.so",
            "liblog.so",
            "libm.so",
        }
        assert not {"DT_TEXTREL", "DT_RPATH", "DT_RUNPATH"} & {tag for tag, _ in tags}


def test_nothing_but_natives_is_exported(aar):
    for library in libraries(aar).values():
        exported = {one.name for one in dynamic_symbols(library) if one["st_shndx"] != "SHN_UNDEF"}
        assert "JNI_OnLoad" in exported
        assert exported - {"JNI_OnLoad"} <= natives()
        assert "Java_org_pytorch_executorch_NativeModule_execute" in exported


def test_only_what_every_device_has_is_asked_for(aar):
    known = pathlib.Path("toolchains/bionic.txt").read_text().splitlines()
    bionic = {name for line in known if line.startswith("lib") for name in line.split()[1:]}
    for library in libraries(aar).values():
        asked = {one.name for one in dynamic_symbols(library) if one["st_shndx"] == "SHN_UNDEF"}
        assert "malloc" in asked
        assert asked <= bionic, sorted(asked - bionic)


def test_classes_are_of_java_8(aar):
    jar = zipfile.ZipFile(io.BytesIO(aar.read("classes.jar")))
    classes = [name for name in jar.namelist() if name.endswith(".class")]
    assert "org/pytorch/executorch/Module.class" in classes
    assert "org/pytorch/executorch/training/SGD.class" in classes
    assert not [name for name in classes if name.endswith("Test.class")]
    for name in classes:
        magic, _, major = struct.unpack(">IHH", jar.read(name)[:8])
        assert (magic, major) == (0xCAFEBABE, 52)


def test_what_a_shrinker_keeps_is_there(aar):
    jar = zipfile.ZipFile(io.BytesIO(aar.read("classes.jar")))
    rules = aar.read("proguard.txt").decode()
    named = re.findall(r"(?:class|implements) (org\.pytorch[\w.]*\.[A-Z]\w*)", rules)
    assert len(named) == 4
    for name in named:
        assert name.replace(".", "/") + ".class" in jar.namelist()


def test_pom(aar):
    path = pathlib.Path(aar.filename).with_suffix(".pom")
    root = ElementTree.parse(path).getroot()
    said = {child.tag.removeprefix(MAVEN): child.text for child in root}
    assert (said["modelVersion"], said["groupId"], said["packaging"]) == ("4.0.0", "org.pytorch", "aar")
    assert str(said["artifactId"]).startswith("executorch-android")
    assert re.fullmatch(r"\d+\.\d+\.\d+", str(said["version"]))
