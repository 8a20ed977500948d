"""Lowers programs on request and tells how long each stage took; runs in a process of its own.

Which package `executorch` is depends on the process's PYTHONPATH: this file imports nothing else of it than the
documented front door. Each line of the standard input is the path of a program that ``torch.export.save`` wrote; the
answer is one line ``LOWERED {json}`` with CPU and wall seconds of the stages.
"""

import gc
import json
import sys
import time
import warnings


def main() -> None:
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    # Buffers of a program that was read from a file ask for gradients, and may not be written then.
    torch.set_grad_enabled(False)
    import executorch.exir as exir

    def clocks() -> tuple[float, float]:
        return time.process_time(), time.perf_counter()

    for line in sys.stdin:
        program = torch.export.load(line.strip())
        gc.collect()
        marks = [clocks()]
        edge = exir.to_edge_transform_and_lower(program)
        marks.append(clocks())
        executable = edge.to_executorch()
        marks.append(clocks())
        contents = bytes(executable.buffer)
        marks.append(clocks())
        stages = ("to_edge", "to_executorch", "to_bytes")
        answer = {
            "cpu_s": {stage: marks[i + 1][0] - marks[i][0] for i, stage in enumerate(stages)},
            "wall_s": {stage: marks[i + 1][1] - marks[i][1] for i, stage in enumerate(stages)},
            "bytes": len(contents),
        }
        print("LOWERED " + json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
