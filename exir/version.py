"""Version of the program's schema that this compiler writes."""

EXECUTORCH_SCHEMA_VERSION = 0

__all__ = ["EXECUTORCH_SCHEMA_VERSION"]
