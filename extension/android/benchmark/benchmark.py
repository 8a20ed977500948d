"""What a call of `forward` costs in Java, through the C interface below it, and in C++: a table and RESULT {json}.

Each figure is the median of the rounds of one process; the processes take turns, so that none has the machine's better minutes.
Where others work beside it, the time that the calling thread had a processor says more than the time that went by.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
from collections import defaultdict

_HERE = pathlib.Path("extension/android/benchmark").absolute()
_JAVA = pathlib.Path("extension/android/java").absolute()
_TURNS = 3


def _lines(command: list[str], **environment: str) -> list[list[str]]:
    done = subprocess.run(
        command, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE, text=True
    )
    return [line.split() for line in done.stdout.splitlines()]


def _java(scratch: str) -> list[list[str]]:
    jdk = pathlib.Path(os.environ["JDK"]).absolute()
    jars = f"{_JAVA / 'executorch.jar'}:{_HERE / 'calls_java.jar'}"
    return _lines(
        [
            str(jdk / "usr/lib/jvm/java-17-openjdk-amd64/bin/java"),
            f"-Djava.library.path={scratch}",
            *("-cp", jars, "org.pytorch.executorch.benchmark.Calls", str(_JAVA / "add.pte")),
        ],
        LD_LIBRARY_PATH=str(jdk / "lib/x86_64-linux-gnu"),
    )


def main() -> None:
    found: defaultdict[str, list[list[float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        # System.loadLibrary looks for the name with a prefix.
        pathlib.Path(scratch, "libexecutorch.so").symlink_to(_HERE / "library.so")
        for _ in range(_TURNS):
            for name, *times in _lines([str(_HERE / "calls"), str(_JAVA / "add.pte")]) + _java(scratch):
                found[name].append([float(time) for time in times])
    medians = {
        name: [statistics.median(times) for times in zip(*rounds, strict=True)]
        for name, rounds in found.items()
    }
    wall, processor = medians["module"]
    print("        |    time, ns |  to C++ | processor, ns |  to C++")
    for name, (took, used) in medians.items():
        print(f"{name:>7} | {took:11.0f} | {took - wall:+7.0f} | {used:13.0f} | {used - processor:+7.0f}")
    print("RESULT " + json.dumps({"forward_ns": medians}))


if __name__ == "__main__":
    main()
