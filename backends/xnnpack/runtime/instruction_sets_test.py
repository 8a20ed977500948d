"""`rows_test`, once for each generation of processors that this one can stand in for.

XNNPACK has microkernels for each, and a machine runs those of one only: a wrong one was found by the first user who
had the processor. Run it with ``--test_output=all`` to see which ones this machine has.
"""

import os
import pathlib
import platform
import re
import subprocess

import pytest

PROGRAM = pathlib.Path(__file__).with_name("rows_test")
HEADER = pathlib.Path(__file__).absolute().parents[3] / "runtime" / "platform" / "max_cpu_isa.h"

# Generation -> what the kernel lists for a processor that has what sets it apart.
FLAGS = {
    "sse2": {"sse2"},
    "sse41": {"sse4_1"},
    "avx": {"avx", "f16c"},
    "avx2": {"avx2", "fma"},
    "avx_vnni": {"avx_vnni"},
    "avx512": {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"},
    "avx512_vnni": {"avx512_vnni"},
    "avx512_gfni": {"avx512_vnni", "avx512vbmi", "gfni"},
    "amx": {"amx_tile", "amx_int8"},
}


def flags_of_this_processor():
    """What the processor has; nothing where it is not an x86-64 one."""
    if platform.machine() != "x86_64":
        return set()
    line = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return set(line[1].split()) if line else set()


def model_of_this_processor():
    line = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return line[1] if line else platform.machine()


def test_the_names_are_those_of_the_header():
    assert re.findall(r'\{"(\w+)", CpuIsa::', HEADER.read_text()) == list(FLAGS)


@pytest.mark.parametrize("generation", [*FLAGS, "any"])
def test_products_of_1_to_64_rows(generation):
    missing = FLAGS.get(generation, set()) - flags_of_this_processor()
    if missing:
        pytest.skip(f"{model_of_this_processor()} has no {', '.join(sorted(missing))}")
    environment = {**os.environ, "EXECUTORCH_MAX_CPU_ISA": generation}
    for name in ("GTEST_OUTPUT", "XML_OUTPUT_FILE"):
        environment.pop(name, None)
    result = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    passed = int(re.search(r"\[  PASSED  \] (\d+) tests", result.stdout)[1])
    listed = re.search(r"\[  SKIPPED \] (\d+) tests", result.stdout)
    skipped = int(listed[1]) if listed else 0
    # Half precision needs F16C and FMA.
    assert skipped == (6 if generation in ("sse2", "sse41", "avx") else 0)
    print(f"\n{model_of_this_processor()} as {generation}: {passed} products right, {skipped} not available")
