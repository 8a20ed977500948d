"""`//bazel:dev` makes every module that the tree imports and that is no source, where a checkout finds it."""

import ast
import os
import pathlib

import pytest

from executorch.tests.architecture import generated
from executorch.tests.architecture.python_imports import imports

# Not resolved: in Bazel's runfiles this is the tree of the sources.
ROOT = pathlib.Path(__file__).absolute().parents[1]


@pytest.fixture(scope="module")
def made():
    """Paths below the root of what //bazel:dev makes."""
    if "DEV_FILES" not in os.environ:
        pytest.skip("Bazel says what it makes: ./bazelw test //bazel:dev_test")
    return frozenset(os.environ["DEV_FILES"].split())


def python_files():
    """The project's Python sources; tests/consume holds projects of somebody else."""
    for path in sorted(ROOT.rglob("*.py")):
        relative = path.relative_to(ROOT).as_posix()
        if not relative.startswith(("third-party/", "bazel-", ".", "tests/consume/")):
            yield relative


class Tree:
    """The modules there are once //bazel:dev is built."""

    def __init__(self, made):
        self._made = made

    def is_module(self, target):
        """Whether a path without suffix is a module or a package."""
        source = (ROOT / target).is_dir() or (ROOT / f"{target}.py").exists()
        return source or any(f"{target}{suffix}" in self._made for suffix in (".py", "/__init__.py", ".so"))

    def is_name(self, target):
        """Whether a path is a name in the module above it, or one that the package above it speaks of."""
        above, _, name = target.rpartition("/")
        package = f"{above}/__init__.py"
        if package in self._made:
            return name in generated.text(ROOT, package)
        if not (ROOT / above).is_dir():
            return self.is_module(above)
        if name[0].isupper():  # A class: packages hand these on in many ways, and no module is called so.
            return True
        source = ROOT / package
        return source.exists() and (name == "*" or name in source.read_text())


def test_what_is_imported_is_a_source_or_made(made):
    tree = Tree(made)
    files = list(python_files())
    assert len(files) > 500
    missing = [
        f"{path}:{line}: {target}"
        for path in files
        for line, target in imports(ROOT, path)
        if not tree.is_module(target) and not tree.is_name(target)
    ]
    assert not missing, "\n".join(["Add what makes these to //bazel:dev:", *missing])


def test_packages_look_for_generated_modules_below_bazel_bin(made):
    """A package with an __init__.py hides the directory of its name there, unless it asks for that."""
    for path in made:
        inits = [f"{parent}/__init__.py" for parent in pathlib.PurePath(path).parents]
        # In runfiles what is made stands among the sources.
        for source in (ROOT / init for init in inits if init not in made and (ROOT / init).exists()):
            assert "extend_path" in ast.unparse(ast.parse(source.read_text())), f"{source} hides {path}"
