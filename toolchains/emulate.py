"""Runs test programs of another platform, one after the other, and counts: emulate.py MANIFEST.json

The manifest has the platform, the emulator's command and the programs, each with what its environment has besides; all
paths are relative to where this runs. A program of googletest is counted by its own summary, another is one test. The
last line is `RESULT {json}`; the exit status is 1 if a program failed, said nothing of its tests, or was killed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

_SUMMARY = {
    kind: re.compile(rf"^\[  {word}  ?\] (\d+) tests?", re.MULTILINE)
    for kind, word in (("passed", "PASSED"), ("failed", "FAILED"), ("skipped", "SKIPPED"))
}
_RAN = re.compile(r"^\[==========\] (\d+) tests? from \d+ test suites? ran", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    """What came of a program, or of several: counts of tests."""

    programs: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __iadd__(self, other: Outcome) -> Outcome:
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self


def judge(output: str, status: int) -> Outcome:
    """Counts the tests of one program.

    Args:
        output: what the program wrote.
        status: its exit status.
    """
    counts = {
        kind: int(found.group(1)) if (found := pattern.search(output)) else 0
        for kind, pattern in _SUMMARY.items()
    }
    outcome = Outcome(1, **counts)
    if not _RAN.search(output) and "[==========]" not in output:
        return Outcome(1, passed=int(status == 0), failed=int(status != 0))
    # It began tests and died, or says that all is well and does not leave so.
    if (status != 0 and outcome.failed == 0) or not _RAN.search(output):
        outcome.failed += 1
    return outcome


def main() -> int:
    manifest = json.loads(pathlib.Path(sys.argv[1]).read_text())
    total = Outcome()
    for entry in manifest["programs"]:
        program = entry["path"]
        done = subprocess.run(
            [*manifest["command"], program],
            env=os.environ | entry["environment"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        output = done.stdout + done.stderr
        outcome = judge(output, done.returncode)
        total += outcome
        print(
            f"{program}: {outcome.passed} passed, {outcome.failed} failed, {outcome.skipped} skipped",
            flush=True,
        )
        if outcome.failed or done.returncode:
            print(output)
    said = {"cross": {manifest["platform"]: dataclasses.asdict(total)}}
    print("RESULT " + json.dumps(said))
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
