"""The file formats, written once as FlatBuffer schemas, with generated dataclasses, readers and writers.

`program`, `scalar_type`, `flat_tensor`, `bundled_program` and `etdump` are generated from the `.fbs` files at
build time; they may lie in another directory than this file, which is why the package's path is extended.
"""

import pkgutil

__path__ = pkgutil.extend_path(__path__, __name__)
