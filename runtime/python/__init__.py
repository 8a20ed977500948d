"""The Python face of the runtime; import :mod:`executorch.runtime` instead of this package."""

from pkgutil import extend_path

# The extension module lies beside this file in a wheel, and below bazel-bin in a checkout.
__path__ = extend_path(__path__, __name__)

from executorch.runtime.python.vendor_libraries import point_at_installed_libraries

point_at_installed_libraries()
