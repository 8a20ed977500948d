"""Runs what `test //...` does not: sanitizers, fuzzers, other processors, other people's workspaces.

    ./bazelw run //tests:nightly
    ./bazelw run //tests:nightly -- --suites=asan,fuzz --fuzz_seconds=600

One suite's failure does not stop the others. Ends with a table and one line, `RESULT {...}`, which has for each suite how
many of its tests passed and failed and how long it took; the status is 1 if anything failed.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from absl import app, flags

_SUITES = flags.DEFINE_list("suites", None, "Which, in this order; all if not given.")
_FUZZ_SECONDS = flags.DEFINE_integer("fuzz_seconds", 3600, "Time of the campaign.", lower_bound=4)
_OPTIONS = flags.DEFINE_multi_string("bazel_option", [], "Another option for each of Bazel's commands.")
_WORKSPACE = flags.DEFINE_string("workspace", None, "The checkout; by default where `bazel run` was called.")

#: Failures of Bazel itself: no test is blamed for them.
_GOOD = {"PASSED", "FLAKY"}
_TAG = "nightly"


@dataclass
class Outcome:
    """Of one suite."""

    passed: int = 0
    failed: int = 0
    seconds: int = 0


@dataclass
class Context:
    """What suites run with."""

    workspace: pathlib.Path
    fuzz_seconds: int
    options: tuple[str, ...] = ()

    def bazel(self, command: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Runs one of Bazel's commands; checks nothing."""
        line = [str(self.workspace / "bazelw"), command, *self.options, *arguments]
        print("+", " ".join(["./bazelw", *line[1:]]), flush=True)
        return subprocess.run(line, cwd=self.workspace, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def count_events(events: Iterable[str]) -> Outcome:
    """Passed and failed tests, out of the lines of a build event file."""
    outcome = Outcome()
    for line in events:
        summary = json.loads(line).get("testSummary")
        if summary is not None:
            good = summary["overallStatus"] in _GOOD
            outcome.passed += good
            outcome.failed += not good
    return outcome


def run_tests(context: Context, *arguments: str) -> Outcome:
    """Tests by Bazel. What cannot be built, or an error of Bazel's own, counts as one failure."""
    with tempfile.TemporaryDirectory() as scratch:
        events = pathlib.Path(scratch) / "events.json"
        done = context.bazel("test", "--keep_going", f"--build_event_json_file={events}", *arguments)
        outcome = count_events(events.read_text().splitlines() if events.exists() else [])
    # 4: no tests were found.
    if done.returncode not in (0, 4) and outcome.failed == 0:
        outcome.failed = 1
    return outcome


def sanitizer(config: str) -> Callable[[Context], Outcome]:
    """All C++ tests, under one of the sanitizers."""
    return lambda context: run_tests(context, f"--config={config}", "//...")


def tests(*targets: str) -> Callable[[Context], Outcome]:
    """Some tests that are no part of `//...`."""
    return lambda context: run_tests(context, *targets)


def count_campaign(output: str) -> Outcome:
    """Targets of a campaign: passed are those without a crash or a hang.

    Raises:
        ValueError: the campaign did not come to its end.
    """
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise ValueError("the campaign did not come to its end")
    targets = json.loads(lines[-1].removeprefix("RESULT "))["targets"]
    good = sum(counts["crashes"] + counts["hangs"] == 0 for counts in targets.values())
    return Outcome(good, len(targets) - good)


def fuzz(context: Context) -> Outcome:
    """Every fuzzer for its share of the time."""
    done = context.bazel(
        "run", "//tests/fuzz:campaign", "--", f"--seconds={context.fuzz_seconds}", stdout=subprocess.PIPE
    )
    print(done.stdout, flush=True)
    return count_campaign(done.stdout)


def tagged(context: Context) -> Outcome:
    """Tests that are tagged `nightly`, wherever they are."""
    query = f'attr(tags, "\\b{_TAG}\\b", tests(//...))'
    found = context.bazel("query", query, stdout=subprocess.PIPE)
    targets = sorted(line for line in found.stdout.splitlines() if line.startswith("//"))
    if not targets:
        # 3: some packages could not be loaded, and the rest was answered.
        return Outcome(failed=int(found.returncode not in (0, 3)))
    return run_tests(context, *targets)


#: In the order in which they run: what says most first.
SUITES: dict[str, Callable[[Context], Outcome]] = {
    "asan": sanitizer("asan"),
    "ubsan": sanitizer("ubsan"),
    "tsan": sanitizer("tsan"),
    "fuzz": fuzz,
    "tagged": tagged,
    "cross": tests("//tests/cross"),
    "consume": tests(
        "//tests/consume:workspace_test", "//tests/consume/cmake:subdirectory_test", "//bazel:dev_clone_test"
    ),
}


def chosen(names: list[str] | None) -> dict[str, Callable[[Context], Outcome]]:
    """The suites of these names.

    Raises:
        app.UsageError: one does not exist.
    """
    unknown = [name for name in names or [] if name not in SUITES]
    if unknown:
        raise app.UsageError(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    return {name: SUITES[name] for name in names or SUITES}


def run_all(suites: dict[str, Callable[[Context], Outcome]], context: Context) -> dict[str, Outcome]:
    """Runs the suites one after the other, whatever becomes of each."""
    outcomes = {}
    for name, suite in suites.items():
        start = time.monotonic()
        print(f"\n===== {name}", flush=True)
        try:
            outcome = suite(context)
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr)
            outcome = Outcome(failed=1)
        outcome.seconds = round(time.monotonic() - start)
        outcomes[name] = outcome
    return outcomes


def table(outcomes: dict[str, Outcome]) -> str:
    """One line for each suite."""
    lines = [f"{'suite':10} {'passed':>7} {'failed':>7} {'seconds':>8}"]
    lines += [f"{name:10} {o.passed:7} {o.failed:7} {o.seconds:8}" for name, o in outcomes.items()]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    if len(arguments) > 1:
        raise app.UsageError(f"unexpected arguments: {arguments[1:]}")
    workspace = _WORKSPACE.value or os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    if workspace is None:
        raise app.UsageError("where is the checkout? Call this by `bazel run`, or say --workspace")
    context = Context(pathlib.Path(workspace), _FUZZ_SECONDS.value, tuple(_OPTIONS.value))
    outcomes = run_all(chosen(_SUITES.value), context)
    print("\n" + table(outcomes))
    print("RESULT " + json.dumps({"suites": {name: vars(outcome) for name, outcome in outcomes.items()}}))
    if any(outcome.failed for outcome in outcomes.values()):
        sys.exit(1)


if __name__ == "__main__":
    app.run(main)
