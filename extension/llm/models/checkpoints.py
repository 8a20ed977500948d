"""Decoders with the weights of files: Meta's checkpoints, Hugging Face's directories, GGUF, or safetensors.

=========================================================  ============================================================
``checkpoint``                                             what is read
=========================================================  ============================================================
a directory with ``config.json``                           Hugging Face's: its safetensors, and the sizes of the configuration
a directory with ``consolidated.*.pth``                    Meta's, in one part or several, and ``params.json`` beside them
a file ``*.gguf``                                          :mod:`executorch.extension.llm.models.gguf_files`
a file ``*.safetensors``                                   by either's names of weights
any other file                                             what ``torch.save`` wrote: a state dict, or one below ``model``
=========================================================  ============================================================

Files are mapped, not read: a weight takes memory once something changes it. The model is made without memory of its own first.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook

from executorch.extension.llm.models import gguf_files, hugging_face
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.transformer import Transformer, construct_transformer

Weights = dict[str, torch.Tensor]


def read_params(path: str | Path) -> dict[str, Any]:
    """The sizes in a file of parameters, as keywords of :class:`~executorch.extension.llm.models.model_args.ModelArgs`.

    Raises:
        ValueError: the file is no JSON object, or has a key that is none of them.
    """
    params = _json_object(Path(path))
    known = {one.name for one in dataclasses.fields(ModelArgs)}
    unknown = sorted(params.keys() - known)
    if unknown:
        raise RefusalError(
            f"{path}: there is no size {', '.join(unknown)}; a decoder has {', '.join(sorted(known))}"
        )
    return params


def _json_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise RefusalError(f"{path} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise RefusalError(f"{path} is no JSON object of sizes")
    return found


def load_decoder(
    checkpoint: str | Path | None,
    params: str | Path | Mapping[str, Any] | None = None,
    convert: Callable[[Weights], Weights] | None = None,
    is_lazy: bool = False,
    **options: Any,
) -> Transformer:
    """A decoder for export, with weights mapped from files.

    Args:
        checkpoint: see above; None: random weights.
        params: file of the sizes, or themselves; may be left out where the checkpoint says them.
        convert: called with the weights of a checkpoint by Meta's names, for what it gives in their place.
        is_lazy: weights that are quantized in a GGUF file have shapes only, until :func:`fill_pending` makes floats of them.
        options: further keywords of ``ModelArgs``, of caches and lengths; they win.

    Raises:
        ValueError: sizes are missing, or weights do not fit the decoder.
        FileNotFoundError: there is no such file.
    """
    path = None if checkpoint is None else _existing(checkpoint)
    if path is not None and path.suffix == ".gguf":
        found, floats, rows = gguf_files.read(path)
        model = fill(_without_memory(ModelArgs(**{**found, **options})), floats, str(path))
        _note_rows(model, rows)
        if not is_lazy:
            fill_pending(model)
        return model
    sizes = dict(params) if isinstance(params, Mapping) else _sizes(path, params)
    weights = None if path is None else _weights(path)
    args = _args(sizes, weights, options)
    if weights is None:
        return construct_transformer(args).eval()
    if hugging_face.is_theirs(weights):
        weights = hugging_face.state_dict(weights, args)
    elif convert is not None:
        weights = convert(weights)
    model = fill(_without_memory(args), weights, str(path))
    model.is_mapped = convert is None
    return model


def read_weights(checkpoint: str | Path) -> Weights:
    """The weights of a checkpoint that is not a GGUF file, by the names that they have there.

    Raises:
        ValueError: there are none.
        FileNotFoundError: there is no such file.
    """
    return _weights(_existing(checkpoint))


def _existing(path: str | Path) -> Path:
    path = Path(path).expanduser()
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    return path


def _sizes(checkpoint: Path | None, params: str | Path | None) -> dict[str, Any]:
    if params is not None:
        return read_params(params)
    if checkpoint is not None:
        directory = checkpoint if checkpoint.is_dir() else checkpoint.parent
        if (directory / "config.json").exists():
            return {"config": _json_object(directory / "config.json")}
        if (directory / "params.json").exists():
            return read_params(directory / "params.json")
    raise RefusalError(
        "the sizes of the model are missing: give params, a JSON file with dim, n_layers, n_heads, ..., or a checkpoint "
        "beside which config.json or params.json lies"
    )


def _args(sizes: dict[str, Any], weights: Weights | None, options: Mapping[str, Any]) -> ModelArgs:
    if "config" in sizes:
        return hugging_face.model_args(sizes["config"], **options)
    sizes = {**sizes, **options}
    if sizes.get("vocab_size", 0) < 0:
        # Llama 2's files leave it to the tokenizer; the embedding has it too.
        embedding = None if weights is None else weights.get("tok_embeddings.weight")
        if embedding is None:
            raise RefusalError(f"vocab_size is {sizes['vocab_size']}: give the number of tokens in params")
        sizes["vocab_size"] = embedding.shape[0]
    return ModelArgs(**sizes)


def _weights(path: Path) -> Weights:
    if not path.is_dir():
        return _mapped(path)
    files = sorted(path.glob("*.safetensors")) or sorted(path.glob("pytorch_model*.bin"))
    if files:
        return {name: value for file in files for name, value in _mapped(file).items()}
    parts = [_mapped(file) for file in sorted(path.glob("consolidated.*.pth"))]
    if not parts:
        raise RefusalError(f"{path} has neither *.safetensors nor pytorch_model*.bin nor consolidated.*.pth")
    return parts[0] if len(parts) == 1 else {name: _joined(name, parts) for name in parts[0]}


def _mapped(file: Path) -> Weights:
    if file.suffix == ".safetensors":
        from safetensors import safe_open

        with safe_open(file, framework="pt") as opened:
            return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
    found = torch.load(file, map_location="cpu", mmap=_can_be_mapped(file), weights_only=True)
    found = found.get("model", found) if isinstance(found, dict) else found
    if not isinstance(found, dict) or not all(isinstance(one, torch.Tensor) for one in found.values()):
        raise RefusalError(f"{file} is no state dict: save model.state_dict()")
    return found


def _can_be_mapped(file: Path) -> bool:
    """Whether a file is of torch's format of today, an archive."""
    with file.open("rb") as opened:
        return opened.read(2) == b"PK"


#: Of Meta's layers whose parts are columns; those of others are rows. Llama 2 also cuts its embedding so.
_COLUMNS = ("attention.wo.weight", "feed_forward.w2.weight")


def _joined(name: str, parts: list[Weights]) -> torch.Tensor:
    """A weight of a model that Meta saved in parts, one for each processor."""
    tensors = [one[name] for one in parts]
    if tensors[0].dim() < 2 or name == "rope.freqs":
        return tensors[0]
    if name == "tok_embeddings.weight":
        # Rows if all parts together have those of the output layer, whose parts are always rows.
        output = sum(one["output.weight"].shape[0] for one in parts)
        return torch.cat(tensors, dim=1 if tensors[0].shape[0] == output else 0)
    return torch.cat(tensors, dim=1 if name.endswith(_COLUMNS) else 0)


def random_decoder(params: str | Path, **options: Any) -> Transformer:
    """A decoder whose linear layers and embeddings have shapes only, until :func:`fill_pending` gives them weights.

    Args:
        params, options: as of :func:`load_decoder`.
    """
    return _without_memory(_args(_sizes(None, params), None, options), (torch.nn.Linear, torch.nn.Embedding))


#: Attribute of a layer whose weight is a shape: what gives its rows (:data:`~executorch.extension.llm.models.gguf_files.Rows`).
_ROWS = "rows_of_weight"


def _note_rows(model: Transformer, rows: Mapping[str, gguf_files.Rows]) -> None:
    for name, parameter in model.named_parameters():
        # An output layer that the file has not is the embedding.
        given = rows.get(name) or rows.get("tok_embeddings.weight")
        if parameter.is_meta:
            setattr(model.get_submodule(name.rpartition(".")[0]), _ROWS, given)


def fill_pending(module: torch.nn.Module, first_row: int = 0) -> None:
    """Gives a layer, or all layers of a model, whose weights are shapes only, their own, or random ones as PyTorch does; others stay.

    Args:
        first_row: the layer's weight is a part of one, from this row on.
    """
    made: dict[int, torch.nn.Parameter] = {}
    for one in module.modules():
        if not isinstance(one, torch.nn.Linear | torch.nn.Embedding):
            continue
        rows = getattr(one, _ROWS, None)
        for name, parameter in one._parameters.items():
            if parameter is None or not parameter.is_meta:
                continue
            # What two layers have in common is there once.
            filled = made.get(id(rows)) if rows is not None else None
            if filled is None:
                values = _random(one, parameter) if rows is None else _given(rows, first_row, parameter)
                filled = torch.nn.Parameter(values, requires_grad=False)
                made[id(rows)] = filled
            one._parameters[name] = filled


def _given(rows: gguf_files.Rows, first: int, parameter: torch.Tensor) -> torch.Tensor:
    return rows(first, first + parameter.shape[0]).to(parameter.dtype)


def _random(layer: torch.nn.Module, parameter: torch.Tensor) -> torch.Tensor:
    values = torch.empty(parameter.shape, dtype=parameter.dtype)
    if isinstance(layer, torch.nn.Linear):
        bound = layer.in_features**-0.5
        return values.uniform_(-bound, bound)
    return values.normal_()


def _without_memory(args: ModelArgs, kinds: tuple[type, ...] = (torch.nn.Module,)) -> Transformer:
    """A decoder in which the parameters of layers of some kinds have shapes only; tables and caches are there."""

    def drop(module: Any, name: str, parameter: torch.Tensor) -> torch.nn.Parameter:
        del name
        if not isinstance(module, kinds):
            return parameter  # type: ignore[return-value]
        return torch.nn.Parameter(parameter.to("meta"), requires_grad=False)

    hook = register_module_parameter_registration_hook(drop)  # type: ignore[arg-type]  # torch says None, and uses what is given
    try:
        return construct_transformer(args).eval()
    finally:
        hook.remove()


def fill(model: Transformer, weights: Weights, source: str) -> Transformer:
    """Gives a decoder its weights, without a copy; returns it.

    Raises:
        ValueError: a weight is missing, has no place, or is of another shape.
    """
    weights = {name: value for name, value in weights.items() if name != "rope.freqs"}
    if model.output is not None and "output.weight" not in weights:
        weights["output.weight"] = weights["tok_embeddings.weight"]
    expected = dict(model.named_parameters())
    problems = [f"{name} is missing" for name in expected if name not in weights]
    problems += [
        f"no place for {name} of shape {tuple(weights[name].shape)}"
        for name in weights
        if name not in expected
    ]
    problems += [
        f"{name} has shape {tuple(weights[name].shape)}, not {tuple(value.shape)}"
        for name, value in expected.items()
        if name in weights and weights[name].shape != value.shape
    ]
    if problems:
        more = f" and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise RefusalError(f"{source} does not fit the model's sizes: {'; '.join(problems[:5])}{more}")
    model.load_state_dict(weights, strict=False, assign=True)
    return model.requires_grad_(False)
