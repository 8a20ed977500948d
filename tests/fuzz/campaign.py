"""Damages small programs for as long as one likes, and counts what comes of it.

    ./bazelw run //tests/fuzz:campaign -- --seconds=600
    ./bazelw run //tests/fuzz:campaign_armv7 -- --seconds=600     # 32 bits, under an emulator

Every target of this directory runs in processes of its own, so that a crash is counted and the rest goes on. `changed`
counts, for files, damaged ones that ran without an error and gave other results; for `differential`, calls for which the
optimized kernels gave another answer than the portable ones. Files
that end with an integrity trailer are counted apart: with it damage goes unnoticed only where the trailer itself was
cut off. The same mutations are given to the published package, each file in a process of its own, where that package
is at hand.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterable

from absl import app, flags
from tqdm import tqdm

from executorch.tests import published
from executorch.tests.fuzz import etdump_reading

_SECONDS = flags.DEFINE_integer("seconds", 60, "Time for our side; shared by the targets.", lower_bound=4)
_TARGETS = flags.DEFINE_list("targets", None, "Only these; all if not given.")
_SEED = flags.DEFINE_integer("seed", 1, "Of the mutations.")
_ARTIFACTS = flags.DEFINE_string("artifacts", None, "Where to keep files that crash or hang.")
_PUBLISHED = flags.DEFINE_string(
    "published_path", None, "PYTHONPATH of the published package; found by itself."
)
_PEER_FILES = flags.DEFINE_integer("published_files", 300, "How many mutations the published package gets.")
_BINARIES = flags.DEFINE_string("binaries", None, "Directory of the fuzzers; beside this file if not given.")
_EMULATOR = flags.DEFINE_string("emulator", None, "Runs the fuzzers, which are another processor's.")
_CORPUS = flags.DEFINE_string("corpus", None, "Directory of the corpus; beside this file if not given.")

#: An emulator takes some sixteen times as long, and what ends at the runtime's own limits is no hang.
_EMULATED_TIMEOUT = "--timeout=320"

_HERE = pathlib.Path(__file__).absolute().parent
_ROOT = _HERE.parents[1]
#: Target to its share of the time.
SHARES = {
    "program": 0.12,
    "calls": 0.08,
    "program_with_trailer": 0.1,
    "flat_tensor": 0.05,
    "headers": 0.03,
    "bundled": 0.08,
    "xnnpack": 0.12,
    "packed_weights": 0.05,
    "tokenizer": 0.05,
    "etdump": 0.05,
    "c_api": 0.05,
    "jni": 0.04,
    "kernels": 0.1,
    "differential": 0.08,
}
#: Those that take calls instead of a file.
CALLS = {"c_api", "differential", "jni", "kernels", "packed_weights"}
#: Where the compiled schema of a target's files lies.
SCHEMAS = {
    "calls": "schema/program.bfbs",
    "bundled": "schema/bundled_program.bfbs",
    "etdump": "schema/etdump.bfbs",
    "flat_tensor": "schema/flat_tensor.bfbs",
    "program": "schema/program.bfbs",
    "xnnpack": "backends/xnnpack/serialization/schema.bfbs",
}
#: Those that another target's program reads: other files, or damaged otherwise.
_SAME_PROGRAM = {"calls": "program", "program_with_trailer": "program"}
#: Files of event dumps that are written, read and forgotten at a time.
_BATCH = 2000

# Runs in the published package's process: every file in a child of its own, so that a crash is a status. The
# tensors are made before, since a child must not start PyTorch's threads.
_PEER = """
import json, os, pathlib, signal, sys
import torch
from executorch.extension.pybindings import portable_lib as lib

torch.set_num_threads(1)
level = getattr(lib.Verification, sys.argv[2])
quiet = os.open(os.devnull, os.O_WRONLY)
DTYPES = {6: torch.float32, 4: torch.int64, 11: torch.bool, 7: torch.float64, 3: torch.int32, 0: torch.uint8}

def run(data):
    module = lib._load_for_executorch_from_buffer(data, program_verification=level)
    for name in module.method_names():
        meta = module.method_meta(name)
        inputs = []
        for i in range(meta.num_inputs()):
            tensor = meta.input_tensor_meta(i)
            inputs.append(torch.zeros(tuple(tensor.sizes()), dtype=DTYPES.get(int(tensor.dtype()), torch.float32)))
        module.run_method(name, inputs)

counts = {"ok": 0, "errors": 0, "crashes": 0, "hangs": 0}
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    data = path.read_bytes()
    child = os.fork()
    if child == 0:
        os.dup2(quiet, 1), os.dup2(quiet, 2)
        signal.alarm(10)
        try:
            run(data)
        except Exception:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        counts["hangs" if os.WTERMSIG(status) == signal.SIGALRM else "crashes"] += 1
    else:
        counts["ok" if os.WEXITSTATUS(status) == 0 else "errors"] += 1
print(json.dumps(counts))
"""


def with_trailer(file: bytes) -> bytes:
    """A file with the integrity trailer of `runtime/executor/integrity.h`."""
    return file + 2 * (17 * b"ETIG" + struct.pack("<IQQ", 1, len(file), zlib.crc32(file)))


def arguments_of(target: str, corpus: pathlib.Path, scratch: pathlib.Path) -> list[str]:
    """What the driver of a target starts from: files or directories, and flags that belong to them."""
    if target in CALLS:
        return ["--calls"]
    if target == "headers":
        return ["--everywhere", str(corpus / "flat_tensor"), str(corpus / "program")]
    arguments = [f"--schema={_ROOT / SCHEMAS[target]}"] if target in SCHEMAS else []
    if target == "flat_tensor":
        return [*arguments, f"--dict={_HERE / 'flat_tensor.dict'}", str(corpus / "flat_tensor")]
    if not target.startswith("program"):
        return [*arguments, "--everywhere", str(corpus / target)]
    dictionary = f"--dict={_HERE / 'program.dict'}"
    if target == "program":
        return [*arguments, dictionary, str(corpus / "program")]
    for path in (corpus / "program").iterdir():
        (scratch / path.name).write_bytes(with_trailer(path.read_bytes()))
    return [dictionary, "--everywhere", str(scratch)]


def run_etdump(binaries: pathlib.Path, corpus: pathlib.Path, limits: list[str]) -> dict[str, int]:
    """The counts of the reader of event dumps, which is Python: batches of damaged files, written by a driver."""
    options = dict(limit.removeprefix("--").split("=") for limit in limits)
    seconds, runs = int(options.get("seconds", 0)), int(options["runs"])
    deadline = time.monotonic() + seconds if seconds else None
    total: dict[str, int] = {}
    original = (corpus / "etdump" / "events.etdp").read_bytes()
    for first in range(0, runs, _BATCH):
        if deadline is not None and time.monotonic() > deadline:
            break
        with tempfile.TemporaryDirectory() as scratch:
            batch = [f"--first={first}", f"--runs={min(_BATCH, runs - first)}", f"--seed={options['seed']}"]
            writer = [str(binaries / "headers_fuzzer"), f"--write={scratch}", *batch]
            path = pathlib.Path(scratch)
            subprocess.run([*writer, *arguments_of("etdump", corpus, path)], check=True)
            for key, count in etdump_reading.read_all(path, original, deadline).items():
                total[key] = total.get(key, 0) + count
    return total


def run_target(
    target: str,
    binaries: pathlib.Path,
    corpus: pathlib.Path,
    limits: list[str],
    artifacts: str | None = None,
    emulator: str | None = None,
) -> dict[str, int]:
    """Runs one target's driver, by an emulator if it needs one; its counts.

    Raises:
        RuntimeError: the driver itself failed.
    """
    if target == "etdump":
        return run_etdump(binaries, corpus, limits)
    binary = binaries / f"{_SAME_PROGRAM.get(target, target)}_fuzzer"
    with tempfile.TemporaryDirectory() as scratch:
        arguments = arguments_of(target, corpus, pathlib.Path(scratch))
        command = [str(binary), "--fork", *limits, *arguments]
        if emulator:
            command = [emulator, *command, _EMULATED_TIMEOUT]
        if artifacts:
            command.append(f"--artifacts={artifacts}/{target}")
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines = done.stdout.strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise RuntimeError(f"{binary.name} failed:\n{done.stderr[-2000:]}")
    return json.loads(lines[-1])


def run_published(
    path: str, binaries: pathlib.Path, corpus: pathlib.Path, seed: int, files: int
) -> dict[str, dict[str, int]]:
    """What the published package makes of the same mutations, by the thoroughness of its verification."""
    scratch = pathlib.Path(tempfile.mkdtemp())
    try:
        command = [
            str(binaries / "program_fuzzer"),
            f"--write={scratch}",
            f"--runs={files}",
            f"--seed={seed}",
        ]
        subprocess.run([*command, *arguments_of("program", corpus, scratch)], check=True)
        counts = {}
        for level in ("Minimal", "InternalConsistency"):
            done = published.run(_PEER, str(scratch), level, path=path, timeout=60 + 20 * files)
            if done.returncode:
                raise RuntimeError(f"the published package failed:\n{done.stderr[-2000:]}")
            counts[level] = json.loads(done.stdout.strip().splitlines()[-1])
        return counts
    finally:
        shutil.rmtree(scratch)


def summary(targets: dict[str, dict[str, int]]) -> dict[str, object]:
    """The figures of our side over all targets."""
    total = {
        key: sum(counts[key] for counts in targets.values()) for key in ("executions", "crashes", "hangs")
    }
    return {
        **total,
        **{
            name: targets[target]["changed"]
            for name, target in (
                ("silently_wrong", "program"),
                ("silently_wrong_with_trailer", "program_with_trailer"),
            )
            if target in targets
        },
        "targets": targets,
    }


def shares_of(targets: Iterable[str]) -> dict[str, float]:
    """The shares of some targets, which add up to 1.

    Raises:
        ValueError: one of them does not exist.
    """
    chosen = list(targets)
    unknown = sorted(set(chosen) - set(SHARES))
    if unknown:
        raise ValueError(f"no target {', '.join(unknown)}; there are {', '.join(SHARES)}")
    total = sum(SHARES[target] for target in chosen)
    return {target: SHARES[target] / total for target in chosen}


def available(binaries: pathlib.Path, corpus: pathlib.Path, emulator: str | None = None) -> list[str]:
    """The targets that can run with what was built: on this processor or another one, which has no Python."""
    names = {path.name for path in binaries.iterdir()}
    targets = [
        target
        for target in SHARES
        if f"{_SAME_PROGRAM.get(target, target)}_fuzzer" in names
        and (target != "calls" or (corpus / target).is_dir())
    ]
    if emulator is None and (corpus / "etdump").is_dir():
        targets.append("etdump")
    return targets


def main(arguments: list[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unexpected arguments: {arguments[1:]}")
    # `bazel run` starts in the runfiles; a path that a person gives is relative to where they are.
    where = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    binaries = pathlib.Path(_BINARIES.value).absolute() if _BINARIES.value else _HERE
    emulator = str(pathlib.Path(_EMULATOR.value).absolute()) if _EMULATOR.value else None
    corpus = pathlib.Path(_CORPUS.value) if _CORPUS.value else _HERE / "corpus"
    artifacts = str(where / _ARTIFACTS.value) if _ARTIFACTS.value else None
    targets = {}
    chosen = _TARGETS.value or available(binaries, corpus, emulator)
    for target, share in tqdm(shares_of(chosen).items(), desc="fuzzing", unit="target"):
        limits = [
            f"--seconds={max(1, round(share * _SECONDS.value))}",
            "--runs=1000000000000",
            f"--seed={_SEED.value}",
        ]
        targets[target] = run_target(target, binaries, corpus, limits, artifacts, emulator)
        print(f"{target:22}", json.dumps(targets[target]))
    result = summary(targets)
    path = _PUBLISHED.value or published.search_path()
    if path is not None and "program" in targets and emulator is None:
        result["published"] = run_published(path, binaries, corpus, _SEED.value, _PEER_FILES.value)
        print(f"{'published':22}", json.dumps(result["published"]))
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    app.run(main)
