"""Types by which published code describes what is emitted; the emitter is in :mod:`executorch.emitter`."""

#: A backend's own map from its debug identifiers, numbers or names, to debug handles.
_DelegateDebugIdentifierMap = dict[int, tuple[int, ...]] | dict[str, tuple[int, ...]]
