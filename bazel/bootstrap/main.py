"""Prints the private Bazel's program and rc file for the current workspace, one line each.

Installs Bazel first where that has not happened. Called by bazelw, not by hand.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Run as a file, outside of any package; the parent directory makes this directory one.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bootstrap import install, workspace_rc
from bootstrap.progress import BootstrapError, say


def find_workspace(start: Path) -> Path | None:
    """The nearest directory upwards with a MODULE.bazel."""
    return next((path for path in (start, *start.parents) if (path / "MODULE.bazel").is_file()), None)


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="directory for installations")
    parser.add_argument("--version", required=True, help="oldest acceptable Bazel, X.Y.Z")
    options = parser.parse_args(arguments)
    try:
        installation = install.ensure(options.cache / "private", options.version)
        workspace = find_workspace(Path.cwd())
        rc = workspace_rc.write(
            installation.directory / "rc", workspace, installation.tree, installation.java_home
        )
    except BootstrapError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next run goes on from here")
        return 130
    print(installation.program)
    print(rc)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
