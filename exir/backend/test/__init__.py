"""The documented demonstration backends, ahead of time. What they make is run by ``//backends/compiler_demo/runtime``."""
