"""What a target asks of the platform that it is built for, for `target_compatible_with`.

A wildcard builds what the platform has and skips the rest, with everything that depends on it: only what asks itself says so.
The macros of `defs.bzl` say it for programs, tests and Python.
"""

#: Where this build runs, and with it Python.
HOST = [
    Label("@platforms//os:linux"),
    Label("@platforms//cpu:x86_64"),
    Label("//toolchains:libc_glibc"),
]

#: A linker and the system's libraries; without an SDK there are objects and archives only.
PROGRAMS = [Label("//toolchains:programs_linked")]

_NO = [Label("@platforms//:incompatible")]

#: An extension module of Python: CPython's stable interface, and the C library that manylinux tags are about.
EXTENSION_MODULES = [
    Label("@platforms//os:linux"),
    Label("//toolchains:libc_glibc"),
] + select({
    Label("@platforms//cpu:aarch64"): [],
    Label("@platforms//cpu:x86_64"): [],
    "//conditions:default": _NO,
})

#: A library that an application loads.
ANDROID = [Label("@platforms//os:android")]

#: A hosted C++ library (streams, locales, clocks) and what lies below it.
SYSTEM = select({
    Label("@platforms//os:none"): _NO,
    "//conditions:default": [],
})

#: Threads and memory maps, which WASI has neither of.
THREADS = select({
    Label("@platforms//os:none"): _NO,
    Label("@platforms//os:wasi"): _NO,
    "//conditions:default": [],
})

#: The system calls that Linux, Android and Apple's systems share.
POSIX = select({
    Label("@platforms//os:none"): _NO,
    Label("@platforms//os:wasi"): _NO,
    Label("@platforms//os:windows"): _NO,
    "//conditions:default": [],
})

#: Definitions that yield to those of a program function by function, which COFF has not: there `register_pal` is the way.
WEAK_SYMBOLS = select({
    Label("@platforms//os:windows"): _NO,
    "//conditions:default": [],
})
