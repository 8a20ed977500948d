"""What the two halves of the backend share."""

import pkgutil

# The module that is made of the schema lies under the build's root, not beside this file.
__path__ = pkgutil.extend_path(__path__, __name__)
