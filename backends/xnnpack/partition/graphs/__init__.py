"""Operators as edge programs spell them, for matchers that look for them in a graph."""
