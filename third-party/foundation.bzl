"""GNUstep's Foundation, which Objective-C has on Linux: what tests of it need.

A test has `data = [FOUNDATION]` and `env = FOUNDATION_ENV`. Paths are relative to where tests start.
"""

#: One tree of everything.
FOUNDATION = "//third-party:gnustep"

_TREE = "$(rootpath {})".format(FOUNDATION)

#: A process with these variables finds the libraries that Foundation loads.
FOUNDATION_ENV = {"LD_LIBRARY_PATH": ":".join([_TREE + path for path in ["/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib"]])}
