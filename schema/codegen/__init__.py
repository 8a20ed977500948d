"""Build-time generator of the Python modules; not part of the installed library."""
