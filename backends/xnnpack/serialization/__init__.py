"""The format of delegate blobs; `schema` is generated from `schema.fbs` at build time."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)
