"""What scripts do with the version: import it as a name of the package, print it, compare it."""

from packaging.version import parse  # pytest brings it

from executorch import version
from executorch.version import __version__


def test_it_is_that_of_the_release_that_scripts_ask_for():
    assert version.__version__ == __version__
    assert parse(__version__).base_version > "0.6.0"
    assert parse(__version__) >= parse("1.0")
    assert version.git_version is None
