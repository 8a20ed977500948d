"""The bytes of files depend on the model only: not on the process, its hash seed, or what was compiled before."""

import os
import subprocess
import sys

from executorch.tests.interop import compiled, programs

NAMES = ["dynamic_shapes", "external_weights", "key_value_cache", "mutable_buffers", "while_numbers"]

_SCRIPT = """
import hashlib, sys
from executorch.tests.interop import compiled, programs
for name in sys.argv[1:]:
    files = compiled.compile_specimen(programs.make(name))
    for label, data in [("pte", files.pte), *sorted(files.ptd.items())]:
        print("DIGEST", name, label, hashlib.sha256(data).hexdigest())
"""


def _digests(seed, names):
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *names],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return sorted(line for line in done.stdout.splitlines() if line.startswith("DIGEST"))


def test_the_same_bytes_in_every_process():
    one, other = _digests("1", NAMES), _digests("4242", NAMES[::-1])
    assert one == other and len(one) == len(NAMES) + 1


def test_the_same_bytes_twice_in_one_process():
    for name in ("external_weights", "while_numbers"):
        one, other = (compiled.compile_specimen(programs.make(name)) for _ in range(2))
        assert one == other
