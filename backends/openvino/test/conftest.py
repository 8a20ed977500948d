"""OpenVINO's package is imported first: pytest imports packages by their last name, and ours would stand in its place."""

import contextlib

with contextlib.suppress(ImportError):
    import openvino  # noqa: F401
