"""Runs pytest on the files that a py_unit_test names, the way Bazel wants its results."""

import os
import sys

import pytest


class _Settings:
    """Hypothesis without a clock or a database: a test's verdict depends on the code alone."""

    def pytest_configure(self, config: pytest.Config) -> None:
        if config.pluginmanager.hasplugin("hypothesispytest") or "hypothesis" in sys.modules:
            import hypothesis

            hypothesis.settings.register_profile("bazel", derandomize=True, deadline=None, database=None)
            hypothesis.settings.load_profile("bazel")


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
    return int(pytest.main(arguments + sys.argv[1:], plugins=[_Settings()]))


if __name__ == "__main__":
    sys.exit(main())
