"""A program that Python encrypted, run by C++."""

import subprocess

import pytest
import torch

from executorch.examples.encrypted.encrypt import encrypt
from executorch.exir import to_edge

RUN = "examples/encrypted/run"
KEY = bytes(range(32))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x)


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def program(net):
    exported = torch.export.export(net, (torch.ones(2, 4),), strict=True)
    return to_edge(exported).to_executorch().buffer


def run(path, key):
    return subprocess.run([RUN, path, key.hex()], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("chunk_size", [100, 1 << 16])
def test_cpp_runs_what_python_encrypted(net, program, chunk_size, tmp_path):
    path = tmp_path / "model.ete"
    path.write_bytes(encrypt(program, KEY, chunk_size))
    done = run(path, KEY)
    assert done.returncode == 0, done.stderr
    values = torch.tensor([float(line) for line in done.stdout.split()]).reshape(2, 3)
    torch.testing.assert_close(values, net(torch.ones(2, 4)).detach(), rtol=0, atol=1e-5)


def test_another_key_is_refused(program, tmp_path):
    path = tmp_path / "model.ete"
    path.write_bytes(encrypt(program, KEY))
    done = run(path, KEY[::-1])
    assert done.returncode == 1
    assert "was changed, or is of another key" in done.stderr


def test_nothing_of_the_program_is_in_the_file(program):
    file = encrypt(program, KEY)
    assert len(file) == 40 + len(program) + 16 * -(-len(program) // (1 << 16))
    assert b"ET12" not in file and b"aten::" not in file
    assert file != encrypt(program, KEY)


def test_a_key_of_another_length_is_refused(program):
    with pytest.raises(ValueError, match="a key has 32 bytes, this one 16"):
        encrypt(program, KEY[:16])
