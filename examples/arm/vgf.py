"""Small models on Arm's VGF delegate, through the emulation layers on the processor.

    ./bazelw run //examples/arm:vgf

Each is lowered in floating point and quantized; a row says how many of the delegate's numbers were held against TOSA's reference
model and the largest difference. Ends with one line, ``RESULT {...}``.
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

from executorch.backends.arm.test.runner import run_program
from executorch.backends.arm.vgf.runtime.testing.compared import Compared, lowered

_MODELS = ("keyword_net", "unet")


def main() -> int:
    rows = []
    for name in _MODELS:
        for profile in ("FP", "INT"):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                program, inputs = lowered(name, profile, folder)
                compared = Compared(folder)
                _, delegates = run_program(program, inputs, compared)
                size = (folder / "out.vgf").stat().st_size
            rows.append(
                {
                    "model": name,
                    "profile": profile,
                    "delegates": delegates,
                    "vgf_bytes": size,
                    "outputs": compared.outputs,
                    "largest_difference": compared.largest,
                }
            )
            print(rows[-1], flush=True)
    print("RESULT " + json.dumps({"rows": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
