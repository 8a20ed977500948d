"""Delegated programs of both packages in both runtimes: the same file gives the same, and what eager PyTorch gives."""

import pytest
import torch

from executorch.runtime import Runtime
from executorch.tests.interop import compiled, programs
from executorch.tests.interop.published_jobs import Job, run_jobs, why_not, write_programs
from executorch.tests.interop.specimen import check

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))

#: Two releases of XNNPACK may add in another order, and round a sum of products to another neighbour.
_SAME = {"rtol": 1e-4, "atol": 1e-5}
_SAME_HALF = {"rtol": 2e-3, "atol": 1e-3}


def _calls(name):
    return [
        (method, list(torch.utils._pytree.tree_leaves(inputs)))
        for method, inputs in programs.make(name).calls
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """(name, compiler) -> bytes, or the text of an error."""
    directory = tmp_path_factory.mktemp("theirs")
    write_programs(list(programs.DELEGATED), directory)
    found = {}
    for name in programs.DELEGATED:
        error, written = directory / f"{name}.error", directory / f"{name}.pte"
        found[name, "theirs"] = error.read_text() if error.exists() else written.read_bytes()
        found[name, "ours"] = compiled.compile_specimen(programs.make(name)).pte
    return found


@pytest.fixture(scope="module")
def run_by_published(files, tmp_path_factory):
    """NAME.COMPILER -> outputs of all calls, or the text of an error."""
    jobs = {
        f"{name}.{compiler}": Job(pte, _calls(name))
        for (name, compiler), pte in files.items()
        if isinstance(pte, bytes)
    }
    return run_jobs(jobs, tmp_path_factory.mktemp("jobs"))


@pytest.mark.parametrize("compiler", ["ours", "theirs"])
@pytest.mark.parametrize("name", programs.DELEGATED)
def test_both_runtimes_agree(name, compiler, files, run_by_published):
    pte = files[name, compiler]
    assert isinstance(pte, bytes), pte
    published = run_by_published[f"{name}.{compiler}"]
    assert not isinstance(published, str), published
    specimen = programs.make(name)
    method = Runtime.get().load_program(pte).load_method("forward")
    assert method.metadata.backend_names() == ["XnnpackBackend"]
    for call, expected in enumerate(specimen.expected()):
        ours = method.execute(_calls(name)[call][1])
        check(specimen, call, ours, expected)
        check(specimen, call, published[call], expected)
        tolerance = _SAME_HALF if ours[0].dtype is torch.float16 else _SAME
        torch.testing.assert_close(ours, published[call], **tolerance)


@pytest.mark.parametrize("name", programs.DELEGATED)
def test_our_files_are_not_larger(name, files):
    assert len(files[name, "ours"]) <= 1.02 * len(files[name, "theirs"])
