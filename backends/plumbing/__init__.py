"""A demo backend that computes next to nothing and checks everything around it. See README.md."""

from executorch.backends.plumbing.plumbing_backend import (
    PlumbingBackend,
    PlumbingPartitioner,
    fail_execute,
    fail_init,
)

__all__ = ["PlumbingBackend", "PlumbingPartitioner", "fail_execute", "fail_init"]
