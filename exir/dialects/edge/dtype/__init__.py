"""Documented paths of the element types of the edge dialect."""
