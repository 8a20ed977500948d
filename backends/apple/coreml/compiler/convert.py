"""What is asked of coremltools: a model of a program, with the targets that the compile specs name."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import warnings
from collections.abc import Iterator
from typing import Any

from torch.export import ExportedProgram

from executorch.backends.apple.coreml.compiler.compile_specs import Settings
from executorch.backends.apple.coreml.compiler.own_operators import register
from executorch.backends.apple.coreml.compiler.restate import convertible
from executorch.backends.apple.coreml.compiler.targets import IOS18, least_target, system_name
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.dialects.errors import ExportError
from executorch.ir.mutations import state_mutations

_log = logging.getLogger(__name__)


def model_of(program: ExportedProgram, settings: Settings) -> Any:
    """The subgraph as a model of Core ML (a ``coremltools.models.MLModel``, not loaded).

    Raises:
        ExportError: coremltools is not installed or cannot convert the subgraph.
    """
    ct = coremltools()
    register()
    try:
        with _quietly():
            ready = convertible(program)
            target = settings.minimum_deployment_target
            if target is None:
                has_state = any(state_mutations(program.graph_signature))
                target = ct.target(IOS18 if has_state else max(map(least_target, program.graph.nodes)))
            model = ct.convert(
                ready,
                source="pytorch",
                convert_to="mlprogram",
                inputs=settings.inputs_of(ready),
                pass_pipeline=settings.pass_pipeline,
                skip_model_load=True,
                compute_precision=settings.compute_precision,
                minimum_deployment_target=target,
                compute_units=settings.compute_unit,
            )
            if settings.linear_quantizer is not None:
                model = ct.optimize.coreml.linear_quantize_weights(model, config=settings.linear_quantizer)
    except ExportError:
        raise
    except Exception as error:
        calls = ", ".join(str(node.target) for node in program.graph.nodes if node.op == "call_function")
        raise ExportError(
            f"coremltools cannot convert a subgraph: {error}\nThe subgraph: {calls}\nWay out: leave an operator outside with "
            "CoreMLPartitioner(skip_ops_for_coreml_delegation=[...])"
        ) from error
    if settings.minimum_deployment_target is None:
        _log.warning(
            "Core ML specification version %d was used, which %s and later have. generate_compile_specs(minimum_deployment_target=...) "
            "asks for another",
            model.get_spec().specificationVersion,
            system_name(int(target)),
        )
    return model


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Without bars of progress for each of a hundred passes and words on versions of torch that it was not tested with.

    The converter collects garbage as it ends, among all that torch and the exporter hold (a second a delegate, where the model took a
    tenth): what is there before it begins is left out of that.
    """
    logger = logging.getLogger("coremltools")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    freezes = gc.get_freeze_count() == 0
    if freezes:
        gc.freeze()
    try:
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if freezes:
            gc.unfreeze()
        logger.setLevel(level)
