"""A CMake project finds the unpacked distributions, builds against them, and runs the quickstart's program."""

import os
import pathlib

import pytest
import torch

from executorch.examples.quickstart.export import export
from executorch.examples.quickstart.train import load_data, train
from executorch.tests.consume.cmake.native_tools import build_with_cmake, compiler, install, run

HERE = pathlib.Path(__file__).absolute().parent

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A trained network, one image, and its program as a file."""
    data = load_data()
    model = train(data, epochs=2, progress=False)
    image = data.test_images[:1]
    path = tmp_path_factory.mktemp("digits") / "digits.pte"
    path.write_bytes(export(model, image).pte)
    return model, image, path


def test_the_consumer_builds_and_agrees_with_eager(digits, tmp_path):
    model, image, pte = digits
    prefix = install(("runtime", "kernels", "extension"), tmp_path / "prefix")
    build_with_cmake(HERE, tmp_path / "build", compiler(tmp_path), prefix)
    (tmp_path / "image.bin").write_bytes(image.numpy().tobytes())
    said = run([tmp_path / "build" / "run_program", pte, tmp_path / "image.bin"])
    scores = torch.tensor([[float(line) for line in said.split()]])
    torch.testing.assert_close(scores, model(image).detach(), rtol=1e-4, atol=1e-5)
