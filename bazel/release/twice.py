"""Builds wheels and distributions twice and compares their digests.

    ./bazelw run //bazel/release:twice                    # of all libraries
    ./bazelw run //bazel/release:twice -- runtime schema  # of these

The first build is of this checkout, with what is cached; the second of a copy in another directory, with another output
directory and nothing cached. The last line is `RESULT {json}`; the exit status says whether all are the same.
"""

from __future__ import annotations

import argparse
import json
import sys

from executorch.bazel.release import builds, libraries
from executorch.bazel.release.digests import differences, digests


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("library", nargs="*", help="directories of libraries; all without any")
    options = parser.parse_args()
    try:
        bazel = builds.Bazel(builds.checkout())
        labels = libraries.labels(bazel.root, options.library or libraries.load(bazel.root))
        first = digests(bazel.build(labels))
        with builds.elsewhere(bazel) as other:
            second = digests(other.build(labels))
    except (builds.BuildError, KeyError) as error:
        print(f"twice: {error.args[0]}", file=sys.stderr)
        return 1
    for name, digest in sorted(first.items()):
        print(f"{digest}  {name}{'' if second.get(name) == digest else '  DIFFERS'}")
    differ = differences(first, second)
    print("RESULT " + json.dumps({"artefacts": len(first), "same": not differ, "different": differ}))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
