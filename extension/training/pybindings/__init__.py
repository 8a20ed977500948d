"""The documented place of the parts of :mod:`executorch.extension.training`."""
