"""Calls of tools in what models say."""
