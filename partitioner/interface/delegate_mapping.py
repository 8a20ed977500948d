"""Builds the map from what a backend reports at run time to the nodes of the model: the debug handle map."""

from __future__ import annotations

import torch

from executorch.dialects import meta_keys
from executorch.partitioner.interface.errors import DelegationError

Identifier = int | str


class DelegateMappingBuilder:
    """Collects delegate debug identifiers and the debug handles behind each.

    Args:
        generated_identifiers: whether the builder numbers the entries itself, from 0. Otherwise the backend
            names each entry, with numbers or with texts.
    """

    def __init__(self, generated_identifiers: bool = False) -> None:
        self._generated = generated_identifiers
        self._mapping: dict[Identifier, tuple[int, ...]] = {}

    def get_delegate_mapping(self) -> dict[Identifier, tuple[int, ...]]:
        """Identifier -> debug handles, for ``PreprocessResult.debug_handle_map``."""
        return self._mapping

    def insert_delegate_mapping_entry(
        self,
        nodes: torch.fx.Node | list[torch.fx.Node] | None = None,
        handles: int | list[int | None] | None = None,
        identifier: Identifier | None = None,
    ) -> Identifier:
        """Adds one entry.

        Args:
            nodes: what the identifier stands for; their debug handles are taken.
            handles: the debug handles themselves, in place of ``nodes``; None among them is skipped.
            identifier: what the backend will report; only for builders that do not number themselves.

        Returns:
            the identifier.

        Raises:
            DelegationError: both or neither of ``nodes`` and ``handles``, an identifier that is missing, taken
                or not asked for, or nothing with a debug handle.
        """
        if identifier is not None and self._generated:
            raise DelegationError(
                f"Builders using generated identifiers can't manually add identifiers: {identifier}. Way out: "
                "leave the identifier out, or use DelegateMappingBuilder(generated_identifiers=False)."
            )
        if identifier is None and not self._generated:
            raise DelegationError(
                "No identifier provided. Way out: give one, or use "
                "DelegateMappingBuilder(generated_identifiers=True)."
            )
        if identifier is not None and identifier in self._mapping:
            raise DelegationError(
                "This delegate debug identifier was already inserted. Duplicate delegate debug identifiers are "
                f"not allowed: {identifier!r}."
            )
        if (nodes is None) == (handles is None):
            raise DelegationError(
                "Only one of nodes or handles must be provided. Either both were provided or neither were "
                "provided."
            )
        found = _handles_of_nodes(nodes) if nodes is not None else _plain_handles(handles)
        if not found:
            raise DelegationError(
                "No valid debug handles found. Way out: the nodes need meta['debug_handle'], which to_edge sets."
            )
        key = len(self._mapping) if identifier is None else identifier
        self._mapping[key] = found
        return key


def _handles_of_nodes(nodes: torch.fx.Node | list[torch.fx.Node]) -> tuple[int, ...]:
    listed = [nodes] if isinstance(nodes, torch.fx.Node) else nodes
    return _distinct([node.meta.get(meta_keys.DEBUG_HANDLE) for node in listed])


def _plain_handles(handles: int | list[int | None] | None) -> tuple[int, ...]:
    return _distinct([handles] if isinstance(handles, int) or handles is None else handles)


def _distinct(handles: list[int | None]) -> tuple[int, ...]:
    return tuple(sorted({handle for handle in handles if handle is not None}))
