"""From a module to a program that runs, step by step, with checks in between; see :class:`Tester`."""

from executorch.backends.test.harness.error_statistics import ErrorStatistics, TensorStatistics
from executorch.backends.test.harness.tester import Tester

__all__ = ["ErrorStatistics", "TensorStatistics", "Tester"]
