"""Whole models against eager PyTorch, in both precisions."""

import pytest

from executorch.backends.apple.mps.test.harness import FULL, largest_difference, lower, only
from executorch.backends.test.models_for_tests import SMALL, trained

#: Model -> nodes of its one delegate: batch norms are gone, weights are transposed ahead of time.
NODES = {"mobilenet_v2": 100, "resnet18": 49, "keyword_net": 21, "encoder": 35}


@pytest.mark.parametrize("name", NODES)
def test_models_are_one_delegate(name):
    model, inputs = trained(SMALL[name])
    delegate = only(lower(model, inputs, FULL))
    assert largest_difference(delegate, model, inputs) < 1e-5
    assert len(delegate.names()) == NODES[name] and "BatchNorm" not in delegate.names()


@pytest.mark.parametrize("name", NODES)
def test_models_in_half_precision(name):
    model, inputs = trained(SMALL[name])
    delegate = only(lower(model, inputs, None))
    assert largest_difference(delegate, model, inputs, 5e-2) < 1e-2
