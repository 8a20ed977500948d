"""The checkout's root, seen as the package ``executorch``.

Only the checkout uses this file: each wheel installs its own ``executorch/<library>`` and shares the
namespace with the others. Generated modules and native extensions live under ``bazel-bin``, so an editor or
a plain ``pytest`` finds them there after ``./bazelw build //bazel:dev``; inside Bazel's runfiles sources and
generated files already share one tree.
"""

import pathlib as _pathlib

_root = _pathlib.Path(__file__).absolute().parents[3]
__path__ = [str(_root)]
if (_root / "bazel-bin").is_dir():
    __path__.append(str(_root / "bazel-bin"))
