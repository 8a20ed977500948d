"""Options of the stages: capture, edge lowering, lowering to the program."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from executorch.dialects.errors import ExportError, ExportErrorType
from executorch.dialects.torch_types import OpOverload
from executorch.exir.dynamic_shape import DynamicMemoryPlanningMode
from executorch.exir.stages import Pipeline
from executorch.exir.tracer import ExirDynamoConfig
from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.infrastructure.pass_base import PassType
from executorch.passes.to_execution.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.passes.to_execution.to_out_var_pass import ToOutVarPass


@dataclass
class CaptureConfig:
    """Options of capture by tracing; kept for callers of older releases, ``torch.export`` decides them now."""

    pt2_mode: bool = True
    enable_functionalization: bool = True
    enable_dynamic_shape: bool = False
    enable_aot: bool = False
    _dynamo_config: ExirDynamoConfig = field(default_factory=ExirDynamoConfig)
    _unlift: bool = False
    _use_old_decomp_table: bool = False


@dataclass
class EdgeCompileConfig:
    """Options of the lowering from ATen to the edge dialect.

    Attributes:
        _check_ir_validity: verify the program before and after; off, an invalid program fails later and less
            clearly.
        _use_edge_ops: call targets become edge operators.
        _core_aten_ops_exception_list: operators outside core ATen that pass verification as they are.
        preserve_ops: operators that are neither decomposed nor refused; whoever runs the program has kernels or
            a backend for them.
        _skip_type_promotion: leave mixed element types to the kernels.
        _skip_dim_order: keep operators that name a memory format.
        pipeline: the stages to run in place of :data:`executorch.exir.pipeline.EDGE`, made from that.
    """

    _check_ir_validity: bool = True
    _skip_dim_order: bool = False
    _core_aten_ops_exception_list: list[OpOverload] = field(default_factory=list)
    preserve_ops: list[OpOverload] = field(default_factory=list)
    _use_edge_ops: bool = True
    _skip_type_promotion: bool = False
    pipeline: "Pipeline | None" = None

    def __post_init__(self) -> None:
        # Callers of older releases pass None, or a tuple; what they pass stays theirs.
        self._core_aten_ops_exception_list = list(self._core_aten_ops_exception_list or ())
        self.preserve_ops = list(self.preserve_ops or ())


@dataclass
class PropagateDeviceConfig:
    """Copies that the caller makes instead of the program, for all methods or by method name.

    Attributes:
        skip_h2d_for_method_inputs: the caller passes what a delegate takes in its device's memory already.
        skip_d2h_for_method_outputs: the caller fetches what a delegate returns from its device's memory.
    """

    skip_h2d_for_method_inputs: "bool | dict[str, bool]" = False
    skip_d2h_for_method_outputs: "bool | dict[str, bool]" = False


@dataclass
class ExecutorchBackendConfig:
    """Options of the lowering from the edge dialect to a program.

    Attributes:
        passes: passes of the caller, run on the edge graph before anything else; a list for all methods or a
            dictionary by method name.
        memory_planning_pass: plans every method; or a dictionary by method name (methods that are absent get the
            default).
        propagate_device_config: which copies between the host and devices of delegates are left to whoever runs the
            program; or a dictionary by method name.
        to_out_var_pass: replaces operators by their out variants.
        emit_stacktrace: write the user's source lines into the program.
        extract_delegate_segments: put delegate blobs into segments of their own, which can be freed or mapped
            separately; off, they lie inside the program.
        segment_alignment: alignment in bytes of segments within the file.
        constant_tensor_alignment: alignment in bytes of constants; None for the schema's 16.
        delegate_alignment: alignment in bytes of inline delegate blobs; None for the schema's 16.
        sym_shape_eval_pass: turns symbolic sizes into numbers; or a dictionary by method name.
        remove_view_copy: turn copies that only change the shape into views.
        external_constants: True puts all constants into a ``.ptd`` file; a function of the placeholder gives the
            file's name (None keeps that constant in the program).
        external_mutable_weights: True puts the parameters that a method returns gradients of into a ``.ptd`` file.
        dynamic_memory_planning_mode: dynamic sizes count with their upper bounds; the other mode is refused.
        emit_mutable_buffer_names: write buffers that methods change by name only where memory planning has left them
            out (``alloc_mutable_buffers=False``), for whoever runs the program to give them memory; off, that is an
            error. Buffers with memory have their names in the program anyway.
        do_quant_fusion_and_const_prop: fuse dequantize - operator - quantize into operators on integers, and fold all
            constants, quantized weights among them.
        run_reinplace_pass: let ``index_put`` and ``reinplace_extra_ops`` write over arguments that nobody reads any
            more; updates of buffers are in place wherever that is safe anyway.
        enable_non_cpu_memory_planning: values of delegates that name a ``target_device`` get planned memory there, and
            copies where they enter and leave it; off, they only say where they are expected.
        reinplace_extra_ops: functional edge operators; the runtime needs kernels for their in-place variants.
        legalize_dim_order: copy channels-last inputs of pooling and reductions to contiguous order, as kernels of
            released runtimes ask for; this project's kernels take both.
        warn_missing_kernels: warn of operators that no kernel library of this project implements.
        remove_clones: drop copies that nobody can tell from the original.
        fuse_batch_norm: fold batch normalisation into the convolution before it.
        fuse_linear: put a transposed weight and a matrix product together to one ``aten.linear``, which this project's
            runtime has and released runtimes have with their optimized kernels only. Off, a layer is an ``addmm`` of a
            weight that was transposed ahead of time, or that stays as it is where others read it too; layers of
            several rows are up to a third slower then, very large ones of a few rows up to twice.
        fold_constants: compute ahead of time what depends on constants only, unless that makes the file larger.
        pipeline: the stages to run in place of :data:`executorch.exir.pipeline.EXECUTION`, made from that.
    """

    passes: "list[PassType] | dict[str, list[PassType]]" = field(default_factory=list)
    memory_planning_pass: "MemoryPlanningPass | dict[str, MemoryPlanningPass]" = field(
        default_factory=MemoryPlanningPass
    )
    propagate_device_config: "PropagateDeviceConfig | dict[str, PropagateDeviceConfig]" = field(
        default_factory=PropagateDeviceConfig
    )
    to_out_var_pass: PassType = field(default_factory=lambda: ToOutVarPass(ignore_to_out_var_failure=False))
    dynamic_memory_planning_mode: DynamicMemoryPlanningMode = DynamicMemoryPlanningMode.UPPER_BOUND
    emit_stacktrace: bool = False
    extract_delegate_segments: bool = True
    segment_alignment: int = 128
    constant_tensor_alignment: "int | None" = None
    delegate_alignment: "int | None" = None
    sym_shape_eval_pass: "PassType | dict[str, PassType]" = field(
        default_factory=ConstraintBasedSymShapeEvalPass
    )
    remove_view_copy: bool = True
    external_constants: "bool | Callable[[Any], str | None]" = False
    external_mutable_weights: bool = False
    emit_mutable_buffer_names: bool = False
    do_quant_fusion_and_const_prop: bool = False
    run_reinplace_pass: bool = False
    enable_non_cpu_memory_planning: bool = True
    reinplace_extra_ops: "frozenset[Any] | None" = None
    legalize_dim_order: bool = True
    remove_clones: bool = True
    fuse_batch_norm: bool = True
    fuse_linear: bool = False
    fold_constants: bool = True
    warn_missing_kernels: bool = True
    pipeline: "Pipeline | None" = None

    def check(self) -> None:
        """Raises for options that no program can be made with.

        Raises:
            ExportError: names the option.
        """
        if self.dynamic_memory_planning_mode != DynamicMemoryPlanningMode.UPPER_BOUND:
            raise ExportError(
                ExportErrorType.NOT_SUPPORTED,
                "dynamic_memory_planning_mode=SYMBOLIC: memory is planned ahead of time, which needs numbers\n"
                "Way out: leave the mode at UPPER_BOUND, and leave large inputs and outputs unplanned with "
                "MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)",
            )


__all__ = ["CaptureConfig", "EdgeCompileConfig", "ExecutorchBackendConfig", "PropagateDeviceConfig"]
