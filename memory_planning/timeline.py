"""From graphs to intervals: which storage must be kept from when to when.

The graph and the bodies of its control-flow operators are laid out on one line of steps, in the order in which
the runtime executes them; both branches of a condition lie one after the other, although only one runs. A
storage is live from the first to the last step that touches it. Several specs share one storage:

* a view and what it views;
* a body's placeholder and the operand that is bound to it;
* the results of a condition's branches and the result of the condition itself, because the runtime redirects
  the latter to the former. They get one place, which both branches write;
* the result of a loop that carries a value and the placeholder that shows the value to the loop's bodies.

The bodies of a loop lie on the line once. What they only read (rows, shared values, the places of results) is
live from the loop's first to its last step, because the next round reads it again; what a round makes for
itself is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import torch
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.control_flow import CONTROL_FLOW, Loop, body_module, body_results, loop_of
from executorch.dialects.errors import describe_node, describe_target
from executorch.dialects.execution import (
    flatten_specs,
    is_alloc,
    is_delegate_call,
    is_getitem,
    is_higher_order,
    reads_sizes_only,
)
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.collect import mutable_placeholders
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.storage_bases import owner_of


class Role(Enum):
    """What a storage is to the method."""

    INTERMEDIATE = "intermediate"
    INPUT = "input"
    OUTPUT = "output"
    MUTABLE_BUFFER = "mutable buffer"
    CONSTANT = "constant"


@dataclass(eq=False)
class Storage:
    """Bytes that one or more specs share, with the interval of steps in which they matter.

    Attributes:
        specs: the specs that own the bytes, the largest first; views are not listed.
        node: the operator that writes the bytes, or the input that holds them; None if there is neither.
        role: see `Role`.
        born: step of the producer.
        first, last: both included; None while nothing touched it.
    """

    specs: list[TensorSpec]
    node: Node | None
    role: Role
    born: int
    first: int | None = None
    last: int | None = None
    merged_into: Storage | None = None

    @property
    def leader(self) -> TensorSpec:
        """The spec that stands for the storage."""
        return self.specs[0]

    def touch(self, step: int | None) -> None:
        """Extends the interval to `step`."""
        if step is not None:
            self.first = step if self.first is None else min(self.first, step)
            self.last = step if self.last is None else max(self.last, step)

    def absorb(self, other: Storage) -> None:
        """Takes over the specs and the interval of `other`."""
        self.specs = sorted([*self.specs, *other.specs], key=lambda spec: -spec.nbytes())
        self.born = min(self.born, other.born)
        self.touch(other.first)
        self.touch(other.last)
        other.merged_into = self


@dataclass
class Timeline:
    """The steps of a method and the storages that they touch, in the order of their first appearance."""

    steps: list[Node] = field(default_factory=list)
    storages: list[Storage] = field(default_factory=list)

    def planned(
        self, inputs: bool = True, outputs: bool = True, mutable_buffers: bool = True
    ) -> Iterator[Storage]:
        """The storages that get a place, with the flags of `MemoryPlanningPass`.

        Constants live in the program and values of unbounded size are allocated while running. The result of a
        condition always gets a place, because its branches write it before the caller could supply memory.
        """
        wanted = {
            Role.INTERMEDIATE: True,
            Role.INPUT: inputs,
            Role.OUTPUT: outputs,
            Role.MUTABLE_BUFFER: mutable_buffers,
            Role.CONSTANT: False,
        }
        for storage in self.storages:
            is_shared_result = storage.role is Role.OUTPUT and len(storage.specs) > 1
            if (wanted[storage.role] or is_shared_result) and not storage.leader.is_dynamic_unbound_tensor:
                yield storage


def _spec(node: Node) -> Any:
    return node.meta.get(meta_keys.SPEC)


def _nodes_in(arguments: Any) -> list[Node]:
    nodes: list[Node] = []
    torch.fx.node.map_arg(arguments, nodes.append)
    return nodes


def _specs_of(arguments: Any) -> list[TensorSpec]:
    """The tensor specs of all nodes in an argument list, in order."""
    return [spec for node in _nodes_in(arguments) for spec in flatten_specs(_spec(node))]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _is_control_flow(node: Node) -> bool:
    return is_higher_order(node) and not is_delegate_call(node)


class _Walker:
    def __init__(self, signature: ExportGraphSignature | None) -> None:
        self.timeline = Timeline()
        self.mutated = mutable_placeholders(signature)
        self.storage_of: dict[TensorSpec, Storage] = {}
        self.redirected: list[tuple[Storage, list[Storage]]] = []
        """(result of a condition, values that it may stand for) where the two could not share one place."""

    def step(self, node: Node) -> int:
        self.timeline.steps.append(node)
        return len(self.timeline.steps) - 1

    def storage(self, spec: TensorSpec, node: Node | None = None, role: Role = Role.INTERMEDIATE) -> Storage:
        """The storage behind a spec, made when it is seen for the first time."""
        root = spec.root
        found = self.storage_of.get(root)
        if found is None:
            if root.const:
                role = Role.CONSTANT
            elif root.storage_base is not None:
                return self._part_of(root, node, role)
            found = Storage([root], node, role, len(self.timeline.steps) - 1)
            self.storage_of[root] = found
            self.timeline.storages.append(found)
        while found.merged_into is not None:
            found = found.merged_into
        return found

    def _part_of(self, spec: TensorSpec, node: Node | None, role: Role) -> Storage:
        """A value within the bytes of another one counts as that one; what is smaller is never the leader."""
        owner, _ = owner_of(spec)
        found = self.storage(owner, node, role)
        found.specs.append(spec)
        self.storage_of[spec] = found
        return found

    # The main graph.

    def walk(self, graph_module: GraphModule) -> Timeline:
        nodes = list(graph_module.graph.nodes)
        for node in nodes:
            if node.op == "placeholder":
                self._input(node)
        self._body(graph_module, nodes)
        output = graph_module.graph.output_node()
        last = self.step(output)
        for spec in _specs_of(output.args):
            storage = self.storage(spec)
            storage.touch(last)
            if storage.role is Role.INTERMEDIATE and spec is storage.leader:
                storage.role = Role.OUTPUT
        self._finish(last)
        return self.timeline

    def _finish(self, last: int) -> None:
        # Backwards, because the result of a condition may be redirected once more by an outer or a later one.
        for result, sources in reversed(self.redirected):
            for source in sources:
                source.touch(result.last)
        storages = [storage for storage in self.timeline.storages if storage.merged_into is None]
        self.timeline.storages = storages
        for storage in storages:
            if storage.role is Role.MUTABLE_BUFFER:
                storage.touch(last)
            for spec in storage.specs:
                spec.lifetime = [storage.first, storage.last]

    def _input(self, node: Node) -> None:
        """All inputs are set before the first step runs, so they are live from step 0."""
        self.step(node)
        role = Role.MUTABLE_BUFFER if node.name in self.mutated else Role.INPUT
        for spec in flatten_specs(_spec(node)):
            self.storage(spec, node, role).touch(0)

    def _body(self, graph_module: GraphModule, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.op in ("placeholder", "get_attr", "output"):
                continue
            if node.op != "call_function":
                raise MemoryPlanningError(
                    f"{describe_node(node)}: a {node.op} node has no place in execution form"
                )
            if _is_control_flow(node):
                self._control_flow(graph_module, node)
                continue
            step = self.step(node)
            for spec in flatten_specs(_spec(node)):
                storage = self.storage(spec, node)
                storage.touch(step)
                # Who writes a value says more about it than its allocation does.
                storage.node = node if is_alloc(storage.node) else storage.node
            # A getitem touches the element that it picks, not all results of its argument; a question about sizes
            # needs no bytes (the input of a model with dynamic shapes would live until the last such question).
            reads_bytes = not is_getitem(node) and not reads_sizes_only(node)
            for spec in _specs_of((node.args, node.kwargs)) if reads_bytes else []:
                self.storage(spec).touch(step)

    # Control flow.

    def _control_flow(self, owner: GraphModule, node: Node) -> None:
        name = describe_target(node.target)
        loop = loop_of(node)
        if loop is not None:
            self._loop(owner, loop)
        elif name == "cond":
            self._condition(owner, node)
        else:
            raise MemoryPlanningError(
                f"{describe_node(node)}: memory of the control-flow operator {name!r} cannot be planned. "
                f"Way out: express it with one of {', '.join(sorted(CONTROL_FLOW))}, or unroll it before export."
            )

    def _condition(self, owner: GraphModule, node: Node) -> None:
        predicate, *bodies, operands = node.args
        step = self.step(node)
        for spec in _specs_of(predicate):
            self.storage(spec).touch(step)
        branches = [self._branch(owner, body, operands) for body in bodies]
        step = self.step(node)
        joined: set[Storage] = set()
        for spec, *sources in zip(flatten_specs(_spec(node)), *branches, strict=True):
            self._join(self.storage(spec, node), sources, joined)
            self.storage(spec).touch(step)

    def _loop(self, owner: GraphModule, loop: Loop) -> None:
        """The first step copies the initial values into the results' places, the last one ends the final round."""
        step = self.step(loop.node)
        results = flatten_specs(_spec(loop.node))
        read_by_all_rounds = [*_specs_of(loop.sequences), *_specs_of(loop.shared)]
        for spec in results:
            self.storage(spec, loop.node).touch(step)
        for spec in (*_specs_of(loop.carried), *read_by_all_rounds):
            self.storage(spec).touch(step)
        for body in (loop.condition, loop.body):
            if body is not None:
                self._round(body_module(owner, body), loop)
        step = self.step(loop.node)
        for spec in (*results, *read_by_all_rounds):
            self.storage(spec).touch(step)

    def _round(self, body: GraphModule, loop: Loop) -> None:
        carried, rows, shared = loop.inputs_of_body(body)
        # Results come in the order of the carried values, numbers included.
        for placeholder, spec in zip(carried, _as_list(_spec(loop.node)), strict=False):
            self._bind(placeholder, flatten_specs(spec))
        for placeholder, value in zip(shared, loop.shared, strict=True):
            self._bind(placeholder, _specs_of(value))
        step = self.step(loop.node)
        for row in rows:
            for spec in flatten_specs(_spec(row)):
                self.storage(spec, row).touch(step)
        self._body(body, list(body.graph.nodes))
        step = self.step(body.graph.output_node())
        for spec in _specs_of(body_results(body)):
            self.storage(spec).touch(step)

    def _bind(self, placeholder: Node, sources: Sequence[TensorSpec]) -> None:
        """A placeholder is another name for the value that is bound to it."""
        for spec, source in zip(flatten_specs(_spec(placeholder)), sources, strict=True):
            self.storage_of.setdefault(spec.root, self.storage(source))

    def _branch(self, owner: GraphModule, body: Any, operands: Any) -> list[tuple[TensorSpec, bool]]:
        """Walks a body; returns the spec of each tensor result, and whether the body made the value itself."""
        graph_module = body_module(owner, body)
        start = len(self.timeline.steps)
        nodes = list(graph_module.graph.nodes)
        placeholders = [node for node in nodes if node.op == "placeholder"]
        for placeholder, operand in zip(placeholders, operands, strict=True):
            self._bind(placeholder, _specs_of(operand))
        self._body(graph_module, nodes)
        output = graph_module.graph.output_node()
        step = self.step(output)
        results = _specs_of(output.args)
        for spec in results:
            self.storage(spec).touch(step)
        return [(spec, self.storage(spec).born >= start) for spec in results]

    def _join(
        self, result: Storage, sources: Sequence[tuple[TensorSpec, bool]], joined: set[Storage]
    ) -> None:
        """Gives a condition's result and its sources one place, if each source is the branch's own value.

        `joined` holds the storages that other results of the same condition use already: values that are live
        at the same time must not end up in one place.
        """
        storages = [self.storage(spec) for spec, _ in sources]
        is_own = all(own and self.storage(spec).role is Role.INTERMEDIATE for spec, own in sources)
        is_bounded = not any(storage.leader.is_dynamic_unbound_tensor for storage in (result, *storages))
        if is_own and is_bounded and joined.isdisjoint(storages):
            for storage in storages:
                result.absorb(storage)
            joined.add(result)
        else:
            self.redirected.append((result, storages))


def build_timeline(
    graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
) -> Timeline:
    """Lays a method out on one line of steps and writes `lifetime` into the specs.

    Args:
        graph_module: a graph in execution form (`executorch.dialects.execution`).
        graph_signature: tells mutable buffers, which are live all the time, from inputs.

    Raises:
        MemoryPlanningError: the graph is not in execution form, or has control flow that is not known
            (`executorch.dialects.control_flow`).
    """
    return _Walker(graph_signature).walk(graph_module)


def update_all_tensors_lifetime(
    graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
) -> set[TensorSpec]:
    """Writes `lifetime` into the specs of all values; returns the specs that own bytes."""
    timeline = build_timeline(graph_module, graph_signature)
    return {spec for storage in timeline.storages for spec in storage.specs}
