"""Servers run as long as they are asked for; a package of the viewer's name stands in for it, in the process that serves."""

import urllib.error
import urllib.request

import pytest

from executorch.devtools.visualization import ModelExplorerServer, SingletonModelExplorerServer

#: Serves an empty page, and refuses to where it is asked to open a browser, which the tests do not want.
_VIEWER = """
import http.server

config = dict

def visualize_from_config(config, host, port, no_open_in_browser):
    assert no_open_in_browser and config == {}
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
    http.server.HTTPServer((host, port), Handler).serve_forever()
"""


@pytest.fixture
def viewer(tmp_path, monkeypatch):
    (tmp_path / "model_explorer.py").write_text(_VIEWER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def answers(port):
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/", timeout=5) as response:
            return response.status == 200
    except urllib.error.URLError:
        return False


def test_a_server_runs_within_its_block(viewer):
    with ModelExplorerServer(open_in_browser=False) as first, ModelExplorerServer(False) as second:
        assert first.port != second.port and {first.port, second.port} <= set(range(8080, 8100))
        assert answers(first.port) and answers(second.port)
    assert not answers(first.port) and not answers(second.port)


def test_a_server_ends_with_an_error_of_the_block(viewer):
    with pytest.raises(KeyError), ModelExplorerServer(False) as server:
        raise KeyError
    assert not answers(server.port)


def test_of_nested_ones_the_outermost_is_the_server(viewer):
    with SingletonModelExplorerServer(False) as outer:
        with SingletonModelExplorerServer(False) as inner:
            assert inner is outer
        assert answers(outer.port)
    assert not answers(outer.port)
    with SingletonModelExplorerServer(False) as another:
        assert another is not outer and answers(another.port)


def test_what_does_not_start_is_an_error(viewer):
    with pytest.raises(RuntimeError, match="ended with status 1"):
        ModelExplorerServer(open_in_browser=True).__enter__()
    with pytest.raises(RuntimeError, match="ended with status 1"):
        SingletonModelExplorerServer(open_in_browser=True).__enter__()
    with SingletonModelExplorerServer(False) as server:
        assert answers(server.port)


def test_a_port_of_somebody_else_is_refused(viewer):
    with ModelExplorerServer(False) as server, pytest.raises(RuntimeError, match="is taken"):
        ModelExplorerServer(False, port=server.port).__enter__()


def test_a_viewer_that_is_not_there_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "model_explorer.py").write_text("raise ModuleNotFoundError('model_explorer')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="pip install ai-edge-model-explorer"):
        ModelExplorerServer(False).__enter__()
