"""Checkpoints, quantized or not, into models that have no memory yet (``torch.device("meta")``), one weight at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import nn

from executorch.extension.llm.export.gguf import iter_gguf
from executorch.extension.llm.export.quant.convert import maybe_cast, to_default

_Pairs = Iterable[tuple[str, torch.Tensor]]
_Convert = Callable[[str, torch.Tensor], torch.Tensor]

#: Of a file's metadata: names of the weights that torchao took apart.
_TAKEN_APART = "tensor_names"


def iter_checkpoint(
    path: str,
    *,
    key_map: Callable[[str], str | None] | None = None,
    convert: _Convert = to_default,
    tie_map: dict[str, tuple[str, bool]] | None = None,
    dtype: torch.dtype | None = None,
    raw_iter: Callable[[str], _Pairs] | None = None,
) -> Iterator[tuple[str, torch.Tensor]]:
    """Names and weights of a checkpoint, one at a time.

    Args:
        path: a ``.gguf`` or ``.safetensors`` file, or a directory with ``model.safetensors`` or its index of several files.
        key_map: a name in the file to the model's, or None to leave it out.
        convert: called with the model's name and the weight as it was read.
        tie_map: a name to a second one that gets the same weight, if the checkpoint has none of it, and whether that is a copy.
        dtype: of the values, after ``convert``.
        raw_iter: reads the path instead.

    Raises:
        ValueError: the path is none of these.
        FileNotFoundError: there is no such file.
    """
    read = raw_iter or (_iter_gguf if path.endswith(".gguf") else _iter_safetensors)
    ties = dict(tie_map or {})
    waiting: dict[str, torch.Tensor] = {}
    for raw_name, raw in read(path):
        fqn = raw_name if key_map is None else key_map(raw_name)
        if fqn is None:
            continue
        value = maybe_cast(convert(fqn, raw), dtype)
        yield fqn, value
        waiting.pop(fqn, None)
        ties = {source: tie for source, tie in ties.items() if tie[0] != fqn}
        if fqn in ties:
            second, is_copy = ties[fqn]
            waiting[second] = value.clone() if is_copy else value
    # Last, since the checkpoint may have a weight of that name behind the one it is tied to.
    yield from waiting.items()


def _iter_gguf(path: str) -> _Pairs:
    return iter_gguf(path)


def _iter_safetensors(path: str) -> Iterator[tuple[str, torch.Tensor]]:
    from safetensors import safe_open

    with ExitStack() as stack:
        shards = [
            stack.enter_context(safe_open(shard, framework="pt")) for shard in _resolve_shard_paths(path)
        ]
        where = {key: shard for shard in shards for key in shard.keys()}  # noqa: SIM118
        metadata: dict[str, Any] = {}
        whole: list[str] = []
        for shard in shards:
            said = shard.metadata() or {}
            whole += json.loads(said.get(_TAKEN_APART, "[]"))
            metadata |= said
        for name in dict.fromkeys(whole):
            yield name, _put_together(name, where, metadata)
        if not whole:
            for key, shard in where.items():
                yield key, shard.get_tensor(key)


def _put_together(name: str, where: dict[str, Any], metadata: dict[str, Any]) -> torch.Tensor:
    """One of torchao's tensors, of its parts in whichever files they are."""
    from torchao.prototype.safetensors.safetensors_support import unflatten_tensor_state_dict

    if name in where:  # A plain tensor, which has no parts.
        plain: torch.Tensor = where[name].get_tensor(name)
        return plain
    module, _, leaf = name.rpartition(".")
    start = f"{module}._{leaf}_" if module else f"_{leaf}_"
    parts = {
        key: shard.get_tensor(key) for key, shard in where.items() if key == name or key.startswith(start)
    }
    made, _ = unflatten_tensor_state_dict(parts, metadata | {_TAKEN_APART: json.dumps([name])})
    found: torch.Tensor = made[name]
    return found


def _resolve_shard_paths(path: str) -> list[str]:
    if Path(path).is_file():
        if not path.endswith(".safetensors"):
            raise ValueError(
                f"{path} is no checkpoint that is read here: give a .gguf or .safetensors file, or a directory"
            )
        return [path]
    directory = Path(path)
    index = directory / "model.safetensors.index.json"
    if index.is_file():
        names = json.loads(index.read_text())["weight_map"].values()
        return [str(directory / name) for name in dict.fromkeys(names)]
    single = directory / "model.safetensors"
    if not single.is_file():
        raise FileNotFoundError(f"no {single.name} and no {index.name} in {path}")
    return [str(single)]


def load_checkpoint(
    path: str,
    model: nn.Module,
    *,
    key_map: Callable[[str], str | None] | None = None,
    convert: _Convert = to_default,
    tie_map: dict[str, tuple[str, bool]] | None = None,
    dtype: torch.dtype | None = None,
    raw_iter: Callable[[str], _Pairs] | None = None,
) -> None:
    """A checkpoint into a model, in place; arguments are those of :func:`iter_checkpoint`.

    Buffers that the checkpoint does not have stay without memory, for the caller to fill.

    Raises:
        RuntimeError: a parameter is left without memory.
    """
    pairs = iter_checkpoint(
        path, key_map=key_map, convert=convert, tie_map=tie_map, dtype=dtype, raw_iter=raw_iter
    )
    for fqn, value in pairs:
        assign_one(model, fqn, value)
    assert_all_materialized(model)


def assign_state_dict(
    model: nn.Module, state_dict: dict[str, torch.Tensor], convert: _Convert = to_default
) -> None:
    """Weights into a model, in place, each after ``convert``.

    Raises:
        RuntimeError: a parameter is left without memory.
    """
    for fqn, value in state_dict.items():
        assign_one(model, fqn, convert(fqn, value))
    assert_all_materialized(model)


def assign_one(model: nn.Module, fqn: str, value: torch.Tensor) -> None:
    """A weight into a model, in place: a parameter without gradient where the model has a parameter, a buffer elsewhere.

    Raises:
        AttributeError: the model has no module that the name is in.
    """
    path, _, name = fqn.rpartition(".")
    parent = model.get_submodule(path)
    if name in parent._parameters:
        parent._parameters[name] = nn.Parameter(value, requires_grad=False)
    else:
        parent.register_buffer(name, value, persistent=name not in parent._non_persistent_buffers_set)


def assert_all_materialized(model: nn.Module) -> None:
    """Refuses a model that is not whole.

    Raises:
        RuntimeError: a parameter has no memory.
    """
    missing = [name for name, parameter in model.named_parameters() if parameter.is_meta]
    if missing:
        raise RuntimeError(
            f"the checkpoint has nothing for {len(missing)} parameters of the model: {', '.join(missing[:10])}"
        )
