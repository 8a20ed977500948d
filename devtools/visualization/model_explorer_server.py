"""A server of the viewer Model Explorer in a process of its own, which shows what is visualized while it runs.

with ModelExplorerServer():
    visualize(exported_program)
    visualize(edge_manager)
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request
from typing import ClassVar

#: Where the viewer looks for a server that runs.
_HOST, _PORTS = "localhost", range(8080, 8100)

_PROGRAM = (
    "import sys, model_explorer as viewer; viewer.visualize_from_config("
    "config=viewer.config(), host=sys.argv[1], port=int(sys.argv[2]), no_open_in_browser=sys.argv[3] == 'False')"
)


class ModelExplorerServer:
    """Runs a server within a ``with``; :func:`~executorch.devtools.visualization.visualize` finds it.

    Args:
        open_in_browser: Whether a tab is opened, in which the graphs then are.
        port: Where it listens; the first free one of those where the viewer looks by default.
        timeout: How many seconds it may take to start.

    Raises:
        RuntimeError: On entry: it does not start, the viewer is not installed, no port is free, or the one that was given is taken.
    """

    def __init__(self, open_in_browser: bool = True, port: int | None = None, timeout: float = 60) -> None:
        self.open_in_browser, self.port, self.timeout = open_in_browser, port, timeout
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ModelExplorerServer:
        if self.port is None:
            self.port = _free_port()
        elif not _is_free(self.port):
            raise RuntimeError(f"port {self.port} is taken: give another one, or none")
        arguments = [_HOST, str(self.port), str(self.open_in_browser)]
        self._process = subprocess.Popen([sys.executable, "-c", _PROGRAM, *arguments])
        try:
            self._wait(self._process, time.monotonic() + self.timeout)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        self._stop()

    def _wait(self, process: subprocess.Popen[bytes], until: float) -> None:
        while time.monotonic() < until:
            if process.poll() is not None:
                raise RuntimeError(
                    f"the server of Model Explorer ended with status {process.returncode}; what it printed says why "
                    "(pip install ai-edge-model-explorer, if it is not installed)"
                )
            with contextlib.suppress(urllib.error.URLError, OSError):
                urllib.request.urlopen(f"http://{_HOST}:{self.port}/", timeout=1).close()
                return
            time.sleep(0.1)
        raise RuntimeError(
            f"the server of Model Explorer does not answer at port {self.port} after {self.timeout} seconds"
        )

    def _stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None


class SingletonModelExplorerServer:
    """As :class:`ModelExplorerServer`, but within another one it is that one: there is one server at a time, which ends with the outermost.

    Args:
        open_in_browser, port, timeout: Of the server, if this is the outermost.
    """

    _server: ClassVar[ModelExplorerServer | None] = None
    _depth: ClassVar[int] = 0

    def __init__(self, open_in_browser: bool = True, port: int | None = None, timeout: float = 60) -> None:
        self._own = ModelExplorerServer(open_in_browser, port, timeout)

    def __enter__(self) -> ModelExplorerServer:
        kind = SingletonModelExplorerServer
        if kind._server is None:
            kind._server = self._own.__enter__()
        kind._depth += 1
        return kind._server

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        singleton = SingletonModelExplorerServer
        singleton._depth -= 1
        if singleton._depth == 0 and singleton._server is not None:
            server, singleton._server = singleton._server, None
            server.__exit__(kind, error, trace)


def _is_free(port: int) -> bool:
    """Whether nobody answers there."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        return one.connect_ex((_HOST, port)) != 0


def _free_port() -> int:
    for port in _PORTS:
        if _is_free(port):
            return port
    raise RuntimeError(f"no port from {_PORTS.start} to {_PORTS.stop - 1} is free: give another one")


__all__ = ["ModelExplorerServer", "SingletonModelExplorerServer"]
