"""Every documented import path resolves, names one object, and importing them is cheap."""

import importlib
import os
import subprocess
import sys

import pytest

PATHS = {
    "executorch.exir": "CaptureConfig EdgeCompileConfig EdgeProgramManager ExecutorchBackendConfig"
    " ExecutorchProgramManager ExportError ExportPass to_edge to_edge_transform_and_lower to_edge_with_preserved_ops",
    "executorch.exir._serialize": "PTEFile deserialize_pte_binary serialize_pte_binary",
    "executorch.exir.backend.backend_api": "LoweredBackendModule MethodProgramsPartitionerSpec to_backend",
    "executorch.exir.backend.backend_details": "BackendDetails CompileSpec PreprocessResult",
    "executorch.exir.backend.compile_spec_schema": "CompileSpec",
    "executorch.exir.backend.partitioner": "DelegationSpec PartitionResult Partitioner",
    "executorch.exir.backend.utils": "format_delegated_graph print_delegated_graph tag_constant_data",
    "executorch.exir.capture": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig",
    "executorch.exir.capture._config": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig",
    "executorch.exir.delegate": "executorch_call_delegate",
    "executorch.exir.dialects._ops": "ops",
    "executorch.exir.dialects.edge._ops": "EdgeOpOverload EdgeOpOverloadPacket",
    "executorch.exir.dim_order_utils": "dim_order_from_stride",
    "executorch.exir.emit": "EmitterOutput emit_program",
    "executorch.exir.error": "ExportError ExportErrorType InternalError internal_assert",
    "executorch.exir.lowered_backend_module": "LoweredBackendModule get_lowered_backend_modules",
    "executorch.exir.memory": "alloc free view",
    "executorch.exir.memory_planning": "greedy naive",
    "executorch.exir.pass_base": "ExportPass NodeMetadata PassBase PassResult ProxyValue",
    "executorch.exir.pass_manager": "PassManager",
    "executorch.exir.passes": "ConstraintBasedSymShapeEvalPass DebugHandleGeneratorPass HintBasedSymShapeEvalPass"
    " MemoryPlanningPass SpecPropPass ToOutVarPass",
    "executorch.exir.passes.constant_prop_pass": "constant_prop_pass",
    "executorch.exir.passes.external_constants_pass": "delegate_external_constants_pass_unlifted"
    " external_constants_pass",
    "executorch.exir.passes.memory_planning_pass": "MemoryPlanningPass",
    "executorch.exir.passes.replace_edge_with_backend_pass": "EdgeToBackendOpsPass",
    "executorch.exir.passes.spec_prop_pass": "SpecPropPass",
    "executorch.exir.passes.sym_shape_eval_pass": "HintBasedSymShapeEval ValueRangeBasedSymShapeEval",
    "executorch.exir.passes.to_out_var_pass": "ToOutVarPass",
    "executorch.exir.print_program": "add_cursor_to_graph inspect_node pretty_print print_program",
    "executorch.exir.program": "EdgeProgramManager ExecutorchProgramManager to_edge to_edge_transform_and_lower",
    "executorch.exir.program._program": "EdgeProgramManager ExecutorchProgramManager to_edge",
    "executorch.exir.schema": "ExecutionPlan KernelCall Program ScalarType Tensor TensorShapeDynamism",
    "executorch.exir.tensor": "TensorSpec dim_order_from_stride stride_from_dim_order",
    "executorch.exir.verification.verifier": "EdgeVerifier verify_edge_graph",
}


@pytest.mark.parametrize("path", PATHS)
def test_documented_paths(path):
    module = importlib.import_module(path)
    missing = [name for name in PATHS[path].split() if not hasattr(module, name)]
    assert not missing
    assert set(PATHS[path].split()) <= set(module.__all__)


def test_an_object_is_the_same_by_every_path():
    from executorch.dialects import memory
    from executorch.exir import ExportPass, program
    from executorch.exir.memory import alloc
    from executorch.exir.pass_base import ExportPass as FromPassBase

    assert alloc is memory.alloc and ExportPass is FromPassBase
    assert importlib.import_module("executorch.exir").to_edge is program.to_edge


_PROBE = """
import sys, time, torch
before, start = set(sys.modules), time.process_time()
import executorch.exir
print(time.process_time() - start)
print(*sorted({"torch._dynamo", "torch._inductor", "sympy", "yaml"} & (set(sys.modules) - before)))
"""


def test_importing_is_cheap():
    runs = []
    for _ in range(3):  # the first may compile bytecode
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", _PROBE]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        seconds, heavy = [*done.stdout.splitlines(), ""][:2]
        assert not heavy, f"importing executorch.exir imports {heavy}"
        runs.append(float(seconds))
    assert min(runs) < 0.3
