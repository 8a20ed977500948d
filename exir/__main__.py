"""``python -m executorch.exir``; see :mod:`executorch.exir.command_line`."""

from executorch.exir.command_line import run

if __name__ == "__main__":
    run()
