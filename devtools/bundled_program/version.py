"""The version of the bundled program's schema."""

BUNDLED_PROGRAM_SCHEMA_VERSION = 2
