"""Documented paths of the partitioners that backends build on."""
