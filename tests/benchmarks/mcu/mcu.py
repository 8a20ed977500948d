"""What the four models of MLPerf Tiny cost on microcontrollers: instructions of one inference, under QEMU.

    ./bazelw run //tests/benchmarks:mcu -- --cores=cortex_m55,cortex_m4

Each model runs in int8 three times: on the kernels of `backends/cortex_m` for the core, on the same kernels in plain
C++, and without that backend, portable kernels in floating point between quantize and dequantize. QEMU counts
instructions, not cycles (`-icount shift=0`), to within one tick of the board's clock (31 to 50 instructions).
Outputs are compared on the core: to the bit with the operators' definition, within two steps without the backend.
Flash is what the firmware on the core's kernels takes, less the program with its weights and the example.
"""

from __future__ import annotations

import json
import os
import pathlib
import struct
import subprocess
from collections.abc import Mapping, Sequence

from absl import app, flags
from tabulate import tabulate
from tqdm import tqdm

from executorch.tests.benchmarks.mcu.tiny_models import MODELS

CORES = ("cortex_m4", "cortex_m7", "cortex_m33", "cortex_m55")
#: Kernels, and where their instructions stand in a row of the result.
FORMS = {
    "cortex_m": "instructions",
    "plain": "plain_instructions",
    "portable": "portable_instructions",
}

_CORES = flags.DEFINE_list("cores", list(CORES), "Processors.")
_MODELS = flags.DEFINE_list("models", list(MODELS), "Models of MLPerf Tiny.")
_SECONDS = flags.DEFINE_integer("seconds", 300, "The most that a run may take.", lower_bound=1)

Row = dict[str, str | int | float]


#: What a firmware has for its model alone; embed.py writes it.
_MODEL_DATA = (b"program", b"input", b"sizes", b"expected")
_SYMBOLS, _NOTHING = 2, 8
_ALLOCATED = 2


def flash(elf: bytes) -> int:
    """Bytes of a firmware in flash, without the model's own.

    Raises:
        ValueError: this is no ELF file of 32 bits.
    """
    if elf[:6] != b"\x7fELF\x01\x01":
        raise ValueError("no ELF file of 32 bits")
    (at,) = struct.unpack_from("<I", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 46)
    sections = [struct.unpack_from("<10I", elf, at + i * size) for i in range(count)]
    taken = sum(one[5] for one in sections if one[2] & _ALLOCATED and one[1] != _NOTHING)
    for _, kind, _, _, offset, length, names, _, _, entry in sections:
        if kind != _SYMBOLS:
            continue
        for place in range(offset, offset + length, entry):
            name_at, _, bytes_of_it = struct.unpack_from("<3I", elf, place)
            name = elf[sections[names][4] + name_at :].split(b"\0", 1)[0] if name_at else b""
            if name in {b"_ZN3mcuL%d%sE" % (len(one), one) for one in _MODEL_DATA}:
                taken -= bytes_of_it
    return taken


def parse(output: str) -> dict[str, object]:
    """What a firmware said of its run.

    Raises:
        RuntimeError: nothing, or that the output was wrong.
    """
    rows = [line.removeprefix("ROW ") for line in output.splitlines() if line.startswith("ROW ")]
    if len(rows) != 1:
        raise RuntimeError(f"the firmware said no figures: {output.strip() or 'nothing at all'}")
    said = json.loads(rows[0])
    if not said["right"]:
        raise RuntimeError(f"{said['model']}: the output is wrong by {said['difference_e9'] / 1e9}")
    return said


def run(core: str, model: str, form: str, seconds: float) -> dict[str, object]:
    """One firmware under the core's emulator.

    Raises:
        RuntimeError: it ended otherwise than well.
    """
    root = pathlib.Path(__file__).absolute().parents[3]
    script = root / "tests" / "benchmarks" / "mcu" / f"{core}_{model}_{form}.sh"
    environment = os.environ | {"RUNFILES_DIR": str(root.parent)}
    try:
        done = subprocess.run(
            ["sh", str(script)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{model} on {core} ({form}) took over {seconds} s") from error
    said = parse(done.stdout + done.stderr)
    if done.returncode:
        raise RuntimeError(f"{model} on {core} ({form}) ended with {done.returncode}")
    firmware = script.with_suffix(".program") / f"{model}_{form}"
    return said | {"flash_bytes": flash(firmware.read_bytes())}


def row(core: str, model: str, said: Mapping[str, Mapping[str, object]]) -> Row:
    """A line of the table: instructions by form, and what follows from them."""
    result: Row = {"model": model, "core": core, "macs": int(str(said["cortex_m"]["macs"]))}
    for form, key in FORMS.items():
        result[key] = int(str(said[form]["instructions"]))
    own = int(result["instructions"])
    result["macs_per_instruction"] = round(int(result["macs"]) / own, 3)
    result["times_fewer_than_plain"] = round(int(result["plain_instructions"]) / own, 2)
    result["times_fewer_than_portable"] = round(int(result["portable_instructions"]) / own, 2)
    result["flash_bytes"] = int(str(said["cortex_m"]["flash_bytes"]))
    return result


def table(rows: Sequence[Row]) -> str:
    """The rows as text."""
    head = [key.replace("_", " ") for key in rows[0]] if rows else []
    return tabulate([list(one.values()) for one in rows], headers=head, intfmt=",")


def main(arguments: Sequence[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unexpected arguments: {' '.join(arguments[1:])}")
    jobs = [(core, model) for core in _CORES.value for model in _MODELS.value]
    rows = []
    for core, model in tqdm(jobs, desc="running", unit="model"):
        said = {form: run(core, model, form, _SECONDS.value) for form in FORMS}
        rows.append(row(core, model, said))
    print(table(rows))
    print("RESULT " + json.dumps({"rows": rows}))


if __name__ == "__main__":
    app.run(main)
