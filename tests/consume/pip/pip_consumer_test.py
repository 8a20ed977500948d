"""Each wheel in an empty environment with only what it declares: its modules import, its README's first example runs."""

import pathlib
import re

import pytest
from packaging.requirements import Requirement

from executorch.bazel.release import libraries
from executorch.tests.architecture.wheel_environment import Environment, Wheel, closure, installed_directories

ROOT = pathlib.Path(__file__).absolute().parents[3]
PROGRAMS = ROOT / "tests" / "consume" / "programs"
LIBRARIES = [library for library, kinds in libraries.load(ROOT).items() if "wheel" in kinds]
WHEELS = {
    library: Wheel.read(path) for library in LIBRARIES for path in (ROOT / library / "wheel").glob("*.whl")
}

# What an example installs besides: these libraries are used together with others, on which they do not depend.
BESIDE = {"util": ["exir"]}

# Examples that run a program find it where they run.
NEEDS_A_PROGRAM = {"runtime", "extension"}

pytestmark = pytest.mark.skipif(
    not WHEELS, reason="the wheels are built by Bazel: ./bazelw test //tests/consume/pip:all"
)


def example(library):
    """The first Python example of the README, or the program that stands for one."""
    program = PROGRAMS / f"{library.replace('/', '_')}.py"
    if program.exists():
        return program.read_text()
    code = re.search(r"```python\n(.*?)```", (ROOT / library / "README.md").read_text(), re.DOTALL)
    assert code, f"{library}/README.md has no Python example and {program.name} does not exist"
    return code[1]


@pytest.fixture(scope="session")
def install(tmp_path_factory):
    """Makes an environment with some libraries and all they declare."""

    def make(*names):
        siblings = {wheel.name: wheel for wheel in WHEELS.values()}
        wheels: dict[str, Wheel] = {}
        third_party: dict[str, Requirement] = {}
        for name in names:
            found, required = closure(WHEELS[name], siblings)
            wheels |= {wheel.name: wheel for wheel in found}
            third_party |= {requirement.name: requirement for requirement in required}
        environment = Environment.create(tmp_path_factory.mktemp(names[0].replace("/", "_")))
        environment.install(wheels.values(), installed_directories(third_party.values()))
        return environment

    return make


@pytest.fixture(scope="session")
def program(install, tmp_path_factory):
    """A program as one who has only the front door makes it: its README's example saves one."""
    directory = tmp_path_factory.mktemp("program")
    done = install("exir").run(example("exir"), directory)
    assert done.returncode == 0, done.stderr
    return directory / "model.pte"


def test_every_library_is_here():
    assert list(WHEELS) == LIBRARIES


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wheel_alone(library, install, tmp_path, request):
    if library in NEEDS_A_PROGRAM:
        (tmp_path / "model.pte").write_bytes(request.getfixturevalue("program").read_bytes())
    environment = install(library)
    modules = WHEELS[library].modules()
    assert modules, "an empty wheel proves nothing"
    if library in BESIDE:
        done = environment.run("", tmp_path, modules)
        assert done.returncode == 0, done.stderr
        environment, modules = install(library, *BESIDE[library]), []
    done = environment.run(example(library), tmp_path, modules)
    assert done.returncode == 0, done.stderr


def test_the_distribution_of_all(tmp_path):
    directory = ROOT / "bazel" / "distribution"
    (path,) = (directory / "wheel").glob("*.whl")
    front = Wheel.read(path)
    assert front.files == ()
    siblings = {wheel.name: wheel for wheel in WHEELS.values()}
    wheels, third_party = closure(front, siblings)
    assert {wheel.name for wheel in wheels} == {front.name, *siblings}
    environment = Environment.create(tmp_path / "environment")
    environment.install(wheels, installed_directories(requirement for requirement in third_party))
    readme = re.search(r"```python\n(.*?)```", (directory / "README.md").read_text(), re.DOTALL)
    assert readme
    done = environment.run(readme[1] + example("exir"), tmp_path, [])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.pte").exists()
