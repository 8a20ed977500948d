"""Which tensors share memory: those that are never alive together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from executorch.backends.vulkan.serialization import schema

#: Calls whose result has the elements of its first argument, in their order.
RENAMING = frozenset(
    {"aten.clone.default", "aten.squeeze_copy.dims", "aten.unsqueeze_copy.default", "aten.view_copy.default"}
)
_BYTES = {
    schema.VkDataType.BOOL: 4,
    schema.VkDataType.UINT8: 1,
    schema.VkDataType.INT8: 1,
    schema.VkDataType.FLOAT16: 2,
}
_ALIGNMENT = 16
#: Names the memory of state, which lasts from run to run.
STATE = "et_vk.state.default"


def nbytes(tensor: schema.VkTensor) -> int:
    """Bytes of a tensor of the largest sizes, rounded up to whole vectors."""
    count = _BYTES.get(tensor.datatype, 4)
    for size in tensor.dims:
        count *= size
    return -(-count // _ALIGNMENT) * _ALIGNMENT


def plan_memory(graph: schema.VkGraph) -> None:
    """Gives every tensor that is no constant the number of its memory (in place).

    A renamed tensor gets the memory of what it renames. The largest tensors choose first, so that memory never grows: each takes
    the smallest that is free for all of its life, or a new one. Numbers are in the order in which memory is first used.
    """
    owners = _owners(graph)
    first, last = _lifetimes(graph, owners)
    sizes = dict.fromkeys(first, 0)
    for value, owner in owners.items():
        if owner in sizes:
            sizes[owner] = max(sizes[owner], nbytes(_tensor(graph, value)))
    objects: list[list[int]] = []
    for owner in sorted(first, key=lambda one: (-sizes[one], first[one], one)):
        free = (
            held for held in reversed(objects) if all(_are_apart(owner, one, first, last) for one in held)
        )
        held = next(free, None)
        if held is None:
            objects.append([owner])
        else:
            held.append(owner)
    objects.sort(key=lambda held: min((first[one], one) for one in held))
    given = {owner: number for number, held in enumerate(objects) for owner in held}
    for value, owner in owners.items():
        if owner in given:
            _tensor(graph, value).mem_obj_id = given[owner]


def _are_apart(one: int, other: int, first: dict[int, int], last: dict[int, int]) -> bool:
    return last[one] < first[other] or last[other] < first[one]


def _tensor(graph: schema.VkGraph, value: int) -> schema.VkTensor:
    held = graph.values[value].value
    assert isinstance(held, schema.VkTensor)
    return held


def _is_planned(graph: schema.VkGraph, value: int) -> bool:
    held = graph.values[value].value
    return isinstance(held, schema.VkTensor) and held.constant_id < 0


def _owners(graph: schema.VkGraph) -> dict[int, int]:
    """Tensor -> the one whose memory it has, itself unless it is a renamed one."""
    states = {call.args[-1] for call in graph.chain if call.name == STATE}
    # Copies that a call writes into have to leave their source as it is.
    written = {call.args[-1] for call in graph.chain if call.args[-1] in call.args[:-1]}
    owners = {one: one for one in range(len(graph.values)) if _is_planned(graph, one) and one not in states}
    for call in graph.chain:
        source, result = call.args[0], call.args[-1]
        if call.name in RENAMING and source in owners and result in owners and result not in written:
            before, after = (_tensor(graph, one) for one in (source, result))
            if before.datatype == after.datatype:
                owners[result] = owners[source]
    return owners


def _lifetimes(graph: schema.VkGraph, owners: dict[int, int]) -> tuple[dict[int, int], dict[int, int]]:
    """Owner of memory -> the step that makes it first, and the last that uses it; inputs are made in step -1."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}

    def use(values: Iterable[int], step: int) -> None:
        for value in values:
            if value in owners:
                first.setdefault(owners[value], step)
                last[owners[value]] = step

    use(graph.input_ids, -1)
    for step, call in enumerate(graph.chain):
        use(flat(graph, call.args), step)
    use(graph.output_ids, len(graph.chain))
    return first, last


def flat(graph: schema.VkGraph, values: Sequence[int]) -> list[int]:
    """Values, and for lists those that they hold."""
    found: list[int] = []
    for value in values:
        held = graph.values[value].value
        found += held.items if isinstance(held, schema.ValueList) else [value]
    return found
