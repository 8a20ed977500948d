"""The passes before annotation, and lists of passes, under their published name."""

from __future__ import annotations

from collections.abc import Sequence

from torch.fx import GraphModule

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.common.pipeline_config import (
    LeakyReLULoweringConfig,
    SDPASafeSoftmaxGuardPolicy,
    SoftmaxDecompositionConfig,
)
from executorch.backends.arm.published._passes.arm_pass import ArmPass as ArmPass
from executorch.backends.arm.published._passes.decompositions import (
    DecomposeLeakyReLUPass,
    DecomposeMaskedFillPass,
)
from executorch.backends.arm.published._passes.guards import RemoveSafeSoftmaxGuardPass
from executorch.backends.arm.quantizer.transform import transform_for_annotation
from executorch.passes.infrastructure.pass_base import PassResult, PassType
from executorch.passes.infrastructure.pass_manager import PassManager, flatten_passes


class ArmPassManager(PassManager):
    """What a quantizer does to a graph before it annotates, and any passes that are added.

    Lowering itself is no list of passes here: it is one walk over the graph.

    Args:
        compile_spec: of the target.
    """

    passes: list[PassType]

    def __init__(self, compile_spec: ArmCompileSpec) -> None:
        super().__init__()
        self.compile_spec = compile_spec
        self.tosa_spec = compile_spec.tosa_spec
        pipeline = compile_spec.get_pass_pipeline_config()
        keeps_guard = pipeline.sdpa_safe_softmax_guard is not SDPASafeSoftmaxGuardPolicy.REMOVE
        skipped = {
            DecomposeMaskedFillPass: pipeline.softmax is SoftmaxDecompositionConfig.STABLE,
            RemoveSafeSoftmaxGuardPass: keeps_guard,
        }
        #: Released passes that the compile spec's pipeline leaves out.
        self._skip_pass_types = tuple(kind for kind, is_skipped in skipped.items() if is_skipped)
        #: Passes that wait for a place: a kind of pass, how far behind it they go, and they.
        self._insertions: list[tuple[type, int, list[PassType]]] = []

    def __call__(self, graph_module: GraphModule) -> PassResult:
        self._apply_pass_insertions()
        return super().__call__(graph_module)

    def insert_passes_before(self, target_pass_type: type, passes: Sequence[PassType]) -> None:
        """``passes`` run right before each pass of the type, behind those that were inserted there earlier.

        They find their place when the manager runs, so the type may be added later.

        Raises:
            ValueError: when it runs, there is no pass of the type.
        """
        self._insertions.append((target_pass_type, 0, flatten_passes(passes)))

    def insert_passes_after(self, target_pass_type: type, passes: Sequence[PassType]) -> None:
        """``passes`` run right after each pass of the type, behind those that were inserted there earlier; else as before it.

        Raises:
            ValueError: when it runs, there is no pass of the type.
        """
        self._insertions.append((target_pass_type, 1, flatten_passes(passes)))

    def _apply_pass_insertions(self) -> None:
        """Puts inserted passes where they go, once."""
        kinds = {type(one) for one in self.passes}
        for target, _, _ in self._insertions:
            if target not in kinds:
                there = ", ".join(type(one).__name__ for one in self.passes) or "none"
                raise ValueError(f"pass {target.__name__} not found; passes that are there: {there}")
        made: list[PassType] = []
        for one in self.passes:
            found = [(side, passes) for kind, side, passes in self._insertions if kind is type(one)]
            before = [new for side, passes in found if not side for new in passes]
            made += [*before, one, *(new for side, passes in found if side for new in passes)]
        self.passes, self._insertions = made, []

    def transform_for_annotation_pipeline(self, graph_module: GraphModule) -> GraphModule:
        """The graph, changed in place, as ``TOSAQuantizer.transform_for_annotation`` leaves it.

        A leaky ReLU is a sum of two parts if the pipeline says so.
        """
        pipeline = self.compile_spec.get_pass_pipeline_config()
        if pipeline.leaky_relu is LeakyReLULoweringConfig.DECOMPOSE:
            DecomposeLeakyReLUPass(tfa_pass=True)(graph_module)
        return transform_for_annotation(graph_module, pipeline)

    def validate_constraints_mandatory(self) -> None:
        """Whether each added pass is followed by those that it requires.

        Raises:
            RuntimeError: one is not; it names all that are missing.
        """
        self._apply_pass_insertions()
        last = {type(one): place for place, one in enumerate(self.passes)}
        missing = [
            f"  - {after.__name__} must run after {kind.__name__}\n"
            for kind, place in last.items()
            for after in sorted(getattr(kind, "_passes_required_after", ()), key=lambda one: one.__name__)
            if last.get(after, -1) < place
        ]
        if missing:
            raise RuntimeError("The following constraints for passes are not met:\n" + "".join(missing))
