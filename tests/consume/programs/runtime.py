"""Runs a program with nothing of the compiler installed: runtime.py in a directory with model.pte."""

import numpy as np

from executorch.runtime import Runtime, Verification

runtime = Runtime.get()
program = runtime.load_program("model.pte", verification=Verification.InternalConsistency)
assert program.method_names >= {"forward"}
method = program.load_method("forward")
(output,) = method.execute([np.ones((2, 4), "float32")])
assert output.shape == (2, 3) and np.isfinite(output).all()
