"""Command lines of the documented selective build: from programs and yaml files to lists of operators."""
