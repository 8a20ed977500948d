"""Models to try things with, by the names that the documented commands take."""

from executorch.examples.models.registry import MODEL_NAME_TO_MODEL

__all__ = ["MODEL_NAME_TO_MODEL"]
