"""Version of the program's schema that this compiler writes."""

EXECUTORCH_SCHEMA_VERSION = 0
