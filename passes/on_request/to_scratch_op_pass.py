"""Work space of kernels, planned with the program's other memory."""

from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from executorch.dialects import meta_keys
from executorch.dialects.out_variants import find_scratch_variant, is_scratch
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassResult
from executorch.passes.to_execution.to_out_var_pass import allocate


def to_scratch_op_pass(graph_module: GraphModule) -> PassResult:
    """Gives kernels that ask for work space tensors of it, one ``memory.alloc`` each (in place).

    A call of ``op.out`` becomes one of the overload that takes the arguments of ``op.out`` and tensors named
    ``_scratch_...``, where there is such an overload and ``op.out`` has a function ``get_scratch_metas``. The function
    takes the arguments of the call, example values in place of nodes, and returns the type (``dtype``) and sizes
    (``shape``) of each scratch tensor by name (``exir.operator.manip.attach_get_scratch_metas_fn``). Other calls stay.

    Comes after ``ToOutVarPass`` and before memory planning.

    Raises:
        ValueError: the function does not speak of exactly the scratch arguments of the overload.
    """
    modified = False
    for module in graph_modules(graph_module):
        changed = False
        for node in list(module.graph.nodes):
            changed |= _take_scratch(node)
        if changed:
            module.recompile()
        modified |= changed
    return PassResult(graph_module, modified)


def _take_scratch(node: Node) -> bool:
    op = node.target
    if node.op != "call_function" or not isinstance(op, OpOverload) or not hasattr(op, "get_scratch_metas"):
        return False
    scratch_op = find_scratch_variant(op)
    if scratch_op is None:
        return False
    args, kwargs = map_arg((node.args, dict(node.kwargs)), lambda arg: arg.meta.get(meta_keys.VAL))
    metas = op.get_scratch_metas(*args, **kwargs)
    names = [arg.name for arg in scratch_op._schema.arguments if is_scratch(arg.name)]
    if sorted(metas) != sorted(names):
        raise ValueError(
            f"{node.name}: get_scratch_metas of {op} speaks of {sorted(metas)}; {scratch_op} takes {names}"
        )
    allocations = {}
    with node.graph.inserting_before(node):
        for name in names:
            allocations[name] = allocate(node, TensorSpec(metas[name].dtype, tuple(metas[name].shape)), None)
    node.target = scratch_op
    node.kwargs = {**node.kwargs, **allocations}
    return True
