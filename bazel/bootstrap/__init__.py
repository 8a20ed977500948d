"""The private Bazel: installed from Debian packages where no Bazel is on PATH (see README.md)."""
