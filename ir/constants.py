"""Constants and state of a program: added, changed and removed with graph and signature in step."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, TensorArgument
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import FakeTensorMode
from executorch.ir.graph import fake_mode_of
from executorch.ir.signature import STATE_KINDS, state_inputs
from executorch.ir.torch_internals import rename

#: Where the inputs of a kind stand: tokens, then state, then what the caller gives.
_ORDER: Final = {kind: rank for rank, kind in enumerate((InputKind.TOKEN, *STATE_KINDS))}


def add_constant(
    program: ExportedProgram,
    value: torch.Tensor,
    name: str,
    kind: InputKind = InputKind.CONSTANT_TENSOR,
    persistent: "bool | None" = None,
) -> Node:
    """A new placeholder with a value behind it, the last of its kind.

    Args:
        program: its graph, signature and state are changed in place.
        value: of the constant; a parameter that is made of it is not trained.
        name: of placeholder and constant; one that is taken, or no identifier, is changed alike for both.
        kind: ``PARAMETER``, ``BUFFER`` or ``CONSTANT_TENSOR``.
        persistent: of a buffer: whether it belongs to the state dict.
    """
    spec = InputSpec(kind, TensorArgument(name), name, persistent)
    return _add(program, value, spec, _place_for(program, kind), _names(program))


def order_inputs(program: ExportedProgram) -> bool:
    """Brings inputs into the order in which torch traces a program anew: tokens, parameters, buffers, constants, and
    what the caller gives (in place). ``torch.export`` in its strict mode puts tensors that are no buffers first.

    Returns:
        whether any stood elsewhere.
    """
    specs = program.graph_signature.input_specs
    ranks = [_ORDER.get(spec.kind, len(_ORDER)) for spec in specs]
    order = sorted(range(len(specs)), key=ranks.__getitem__)
    for spec in specs:
        if spec.kind is InputKind.CONSTANT_TENSOR:
            spec.persistent = None  # Says something of buffers only; strict mode leaves it behind.
    if order == list(range(len(specs))):
        return False
    placeholders = list(itertools.islice(program.graph.nodes, len(specs)))
    anchor = placeholders[-1].next
    for index in order:
        anchor.prepend(placeholders[index])
    specs[:] = [specs[index] for index in order]
    program.graph_module.recompile()
    return True


def _names(program: ExportedProgram) -> set[str]:
    nodes = {node.name for node in program.graph.nodes}
    return nodes | program.state_dict.keys() | program.constants.keys()


#: Where an input goes: its position in the signature, and the node that it stands before.
_Place: TypeAlias = tuple[int, Node]


def _place_for(program: ExportedProgram, kind: InputKind) -> _Place:
    specs, last = program.graph_signature.input_specs, len(_ORDER)
    ranks = (_ORDER.get(spec.kind, last) for spec in specs)
    position = next((index for index, rank in enumerate(ranks) if rank > _ORDER[kind]), len(specs))
    return position, next(itertools.islice(program.graph.nodes, position, None))


def _add(
    program: ExportedProgram,
    value: torch.Tensor,
    spec: InputSpec,
    place: _Place,
    taken: set[str],
    example: "torch.Tensor | None" = None,
) -> Node:
    position, anchor = place
    node = _insert_placeholder(anchor, spec.arg.name, taken)
    node.meta[meta_keys.VAL] = fake_value(program.graph, value) if example is None else example
    spec.arg.name = spec.target = node.name
    program.graph_signature.input_specs.insert(position, spec)
    is_parameter = spec.kind is InputKind.PARAMETER and not isinstance(value, torch.nn.Parameter)
    home_of(program, spec)[node.name] = (
        torch.nn.Parameter(value, requires_grad=False) if is_parameter else value
    )
    return node


def _insert_placeholder(anchor: Node, name: str, taken: set[str]) -> Node:
    with anchor.graph.inserting_before(anchor):
        node = anchor.graph.placeholder(next(one for one in numbered(name) if one not in taken))
    if node.name in taken:  # by a node that was renamed behind the graph's back, as torch.export does
        rename(node, next(one for one in numbered(name) if one not in taken))
    node.target = node.name
    taken.add(node.name)
    return node


def numbered(name: str) -> Iterator[str]:
    """``name``, ``name_1``, ``name_2`` and so on, to find one that is free."""
    return itertools.chain([name], (f"{name}_{number}" for number in itertools.count(1)))


def fake_value(graph: Graph, value: torch.Tensor) -> torch.Tensor:
    """An example value for ``value`` in the fake mode of the graph's; its sizes are fixed."""
    return (fake_mode_of(graph.nodes) or FakeTensorMode()).from_tensor(value, static_shapes=True)


def home_of(program: ExportedProgram, spec: InputSpec) -> dict[str, Any]:
    """The table of the program that holds the value of a state input."""
    if spec.target in program.state_dict or spec.target in program.constants:
        return program.state_dict if spec.target in program.state_dict else program.constants
    outside = spec.kind is InputKind.CONSTANT_TENSOR or (
        spec.kind is InputKind.BUFFER and spec.persistent is False
    )
    return program.constants if outside else program.state_dict


def set_constant(program: ExportedProgram, node: Node, value: torch.Tensor) -> None:
    """Gives a parameter, buffer or constant another value, of any shape; its example value follows (in place).

    A parameter stays one, trained or not as before.

    Raises:
        KeyError: ``node`` is no placeholder of such.
    """
    spec = state_inputs(program.graph_signature)[node.name]
    assert spec.target is not None
    home = home_of(program, spec)
    home[spec.target] = like_parameter(home[spec.target], value)
    node.meta[meta_keys.VAL] = fake_value(node.graph, value)


def like_parameter(old: Any, value: torch.Tensor) -> torch.Tensor:
    """``value`` as a parameter where ``old`` is one, trained or not as that one."""
    if not isinstance(old, torch.nn.Parameter):
        return value
    return torch.nn.Parameter(value, requires_grad=old.requires_grad and value.is_floating_point())


def remove_constants(program: ExportedProgram, nodes: Iterable[Any]) -> bool:
    """Takes those constants out that nothing reads any more, with signature entry and value (in place).

    Args:
        program: of which the nodes are a part.
        nodes: anything else than placeholders of state without users is left alone.

    Returns:
        whether there were any.
    """
    signature = program.graph_signature
    state = state_inputs(signature)
    unread = [node for node in dict.fromkeys(nodes) if isinstance(node, Node) and not node.users]
    gone = [node for node in unread if node.op == "placeholder" and node.name in state]
    if not gone:
        return False
    removed = {id(state[node.name]) for node in gone}
    homes = [(home_of(program, state[node.name]), state[node.name].target) for node in gone]
    signature.input_specs[:] = [spec for spec in signature.input_specs if id(spec) not in removed]
    shared = {spec.target for spec in signature.input_specs}
    for home, target in homes:
        if target not in shared:
            home.pop(target, None)  # type: ignore[arg-type]
    for node in gone:
        node.graph.erase_node(node)
    program.graph_module.recompile()
    return True


def add_attribute(graph: Graph, value: torch.Tensor, name: str) -> Node:
    """A node at the graph's insertion point that reads a tensor of the graph's module, for passes without a program.

    Args:
        graph: of a module, which gets the tensor as a buffer.
        value: the tensor.
        name: of the buffer; it gets a number where the module has an attribute of this name.
    """
    module = graph.owning_module
    assert module is not None
    free = next(one for one in numbered(name) if not hasattr(module, one))
    module.register_buffer(free, value)
    node = graph.get_attr(free)
    node.meta[meta_keys.VAL] = fake_value(graph, value)
    return node


_LIFTED: Final = "_lifted_tensor_constant"
#: What ``torch.export`` calls tensors that the code of a model writes down.
_LIFTED_BY_TORCH: Final = "lifted_tensor_"


def is_written_inline(spec: InputSpec) -> bool:
    """Whether an input is a constant out of the model's code (``x + 1``, ``torch.tensor([1.0])``), not an attribute."""
    if spec.kind is not InputKind.CONSTANT_TENSOR or spec.target is None:
        return False
    return spec.target.rpartition(".")[2].startswith((_LIFTED, _LIFTED_BY_TORCH))


class ConstantLifter:
    """Adds tensor constants to a program as lifted placeholders, one per distinct value.

    Args:
        program: to add to (in place).
        prefix: of the names; a number follows.
        persistent: what the signature says of them.
    """

    def __init__(
        self,
        program: ExportedProgram,
        prefix: str = _LIFTED,
        persistent: "bool | None" = None,
    ) -> None:
        self._program = program
        self._prefix = prefix
        self._persistent = persistent
        self._known: dict[tuple[Any, ...], Node] = {}
        self._taken: set[str] = set()
        self._place: _Place | None = None

    def lift(
        self,
        value: torch.Tensor,
        key: "tuple[Any, ...] | None" = None,
        example: "torch.Tensor | None" = None,
    ) -> Node:
        """The placeholder of ``value``.

        Args:
            value: of the constant.
            key: equal ones mean equal values, so that the placeholder is used again.
            example: its example value where there is one already; making one takes longer than all else.
        """
        if key is not None and key in self._known:
            return self._known[key]
        self._taken = self._taken or _names(self._program)
        name = f"{self._prefix}{len(self._program.constants)}"
        spec = InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(name), name, self._persistent)
        position, anchor = self._next_place()
        node = _add(self._program, value, spec, (position, anchor), self._taken, example)
        self._place = position + 1, anchor
        if key is not None:
            self._known[key] = node
        return node

    def _next_place(self) -> _Place:
        """Behind the last one, while the input that stood behind that is still where it was."""
        specs = self._program.graph_signature.input_specs
        if self._place is not None and self._place[0] < len(specs):
            position, anchor = self._place
            if specs[position].arg.name == anchor.name and specs[position].kind not in STATE_KINDS:
                return self._place
        return _place_for(self._program, InputKind.CONSTANT_TENSOR)
