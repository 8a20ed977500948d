"""Backends are found by name: by definition, by registration, by an installed package's entry point."""

import logging
import sys

import pytest

from executorch.partitioner import (
    BackendDetails,
    PreprocessResult,
    find_backend,
    register_backend,
    registered_backends,
)
from executorch.partitioner.interface.errors import BackendNotFoundError


def define(name, module=__name__):
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(b"")

    return type(name, (BackendDetails,), {"preprocess": staticmethod(preprocess), "__module__": module})


def test_defining_and_registering():
    backend = define("LookupA")
    assert find_backend("LookupA") is backend
    register_backend(backend, "AnotherName")
    assert find_backend("AnotherName") is backend
    assert {"LookupA", "AnotherName"} <= set(registered_backends())


def test_the_newest_of_a_name_wins_and_says_so(caplog):
    define("LookupB", "first.module")
    with caplog.at_level(logging.WARNING):
        second = define("LookupB", "second.module")
    assert find_backend("LookupB") is second
    assert "second.module.LookupB takes the place of first.module.LookupB" in caplog.text


def test_an_installed_package_is_found_without_an_import(tmp_path, monkeypatch):
    (tmp_path / "vendor_backend.py").write_text(
        "from executorch.partitioner import BackendDetails, PreprocessResult\n"
        "class VendorBackend(BackendDetails):\n"
        "    @staticmethod\n"
        "    def preprocess(edge_program, compile_specs):\n"
        "        return PreprocessResult(b'vendor')\n"
    )
    info = tmp_path / "vendor_backend-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vendor-backend\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[executorch.backends]\nVendorBackend = vendor_backend:VendorBackend\n"
    )
    with pytest.raises(BackendNotFoundError):
        find_backend("VendorBackend")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "VendorBackend" in registered_backends()
    assert "vendor_backend" not in sys.modules
    assert find_backend("VendorBackend").__module__ == "vendor_backend"


def test_unknown_names_list_the_known_ones():
    define("LookupC")
    with pytest.raises(NotImplementedError, match=r"Backend Missing was not found.*LookupC.*Way out"):
        find_backend("Missing")
