"""Runs pytest on the files that a py_unit_test names, the way Bazel wants its results."""

import gc
import importlib.abc
import importlib.util
import os
import random
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest


class _OnImport(importlib.abc.MetaPathFinder):
    """Settings of libraries that most tests do not import, made as soon as one does."""

    def __init__(self, settings: "dict[str, Callable[[ModuleType], None]]") -> None:
        self._settings = dict(settings)

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        setting = self._settings.pop(name, None)
        spec = importlib.util.find_spec(name) if setting is not None else None
        if setting is not None and spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_set(module: ModuleType) -> None:
                execute(module)
                setting(module)

            spec.loader.exec_module = execute_and_set  # type: ignore[method-assign]
        return spec


def _seed_torch(torch: ModuleType) -> None:
    # Each process would begin with a seed of its own otherwise.
    torch.manual_seed(0)


def _settle_hypothesis(hypothesis: ModuleType) -> None:
    # No clock, no database, no random seeds: a test's verdict depends on the code alone.
    clocks = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile(
        "bazel", derandomize=True, deadline=None, database=None, suppress_health_check=clocks
    )
    hypothesis.settings.load_profile("bazel")


def _seed() -> None:
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        _seed_torch(sys.modules["torch"])


class _Settings:
    def pytest_runtest_setup(self) -> None:
        _seed()

    def pytest_collection_finish(self) -> None:
        # What the files import stays until the end, and a graph has more than the usual 700 objects: looking through torch's
        # again and again took a fifth of the time of a short test.
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def main() -> int:
    arguments = ["-p", "no:cacheprovider", "--import-mode=importlib", "-c", os.devnull, "-ra", "-q"]
    arguments.append("--rootdir=" + os.getcwd())
    if "XML_OUTPUT_FILE" in os.environ:
        arguments.append("--junitxml=" + os.environ["XML_OUTPUT_FILE"])
    if "TESTBRIDGE_TEST_ONLY" in os.environ:
        arguments += ["-k", os.environ["TESTBRIDGE_TEST_ONLY"]]
    if "TEST_TMPDIR" in os.environ:
        arguments.append("--basetemp=" + os.path.join(os.environ["TEST_TMPDIR"], "pytest"))
        # Caches of libraries under test stay inside the test.
        os.environ.setdefault("HOME", os.environ["TEST_TMPDIR"])
        os.environ.setdefault("USER", "bazel")
    # Sums are in one order however many processors a machine has, and tests side by side do not wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # pytest rewrites every module of a plugin that is found, in each process anew, and Hypothesis's are the most of what a short
    # test would run. Its decorators need none.
    os.environ.setdefault("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    sys.meta_path.insert(0, _OnImport({"torch": _seed_torch, "hypothesis": _settle_hypothesis}))
    _seed()
    gc.disable()  # until all is imported
    return int(pytest.main(arguments + sys.argv[1:], plugins=[_Settings()]))


if __name__ == "__main__":
    sys.exit(main())
