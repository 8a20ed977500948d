"""Runs pytest on the files that a py_unit_test names, the way Bazel wants its results."""

import gc
import importlib.abc
import importlib.util
import os
import random
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest


class _SeedTorch(importlib.abc.MetaPathFinder):
    """Seeds torch as soon as it is imported: each process would begin with a seed of its own otherwise."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_seed(module: ModuleType) -> None:
                execute(module)
                module.manual_seed(0)

            spec.loader.exec_module = execute_and_seed  # type: ignore[method-assign]
        return spec


def _seed() -> None:
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


class _Settings:
    """No clock, no database, no random seeds: a test's verdict depends on the code alone."""

    def pytest_runtest_setup(self) -> None:
        _seed()

    def pytest_configure(self, config: pytest.Config) -> None:
        if config.pluginmanager.hasplugin("hypothesispytest") or "hypothesis" in sys.modules:
            import hypothesis

            hypothesis.settings.register_profile("bazel", derandomize=True, deadline=None, database=None)
            hypothesis.settings.load_profile("bazel")

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
    sys.meta_path.insert(0, _SeedTorch())
    _seed()
    gc.disable()  # until all is imported
    return int(pytest.main(arguments + sys.argv[1:], plugins=[_Settings()]))


if __name__ == "__main__":
    sys.exit(main())
