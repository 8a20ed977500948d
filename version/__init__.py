"""Which published system the libraries stand in for: ``from executorch import version``.

Scripts print it, and choose by it what to call. The libraries themselves have versions of their own, one each, which
``importlib.metadata`` tells: ``importlib.metadata.version("executorch_exir")``.
"""

from __future__ import annotations

#: The release of ExecuTorch whose documented interface and file formats these libraries have.
__version__ = "1.5.1"

#: The commit that the published package was built from, there; nothing here was.
git_version: str | None = None

__all__ = ["__version__", "git_version"]
