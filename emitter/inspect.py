"""`python -m executorch.emitter.inspect model.pte`; the code is `executorch.emitter.inspection`.

A directory of its own holds it, because a program started from this one would see this file as Python's `inspect`.
"""

from absl import app

from executorch.emitter.inspection.main import main

if __name__ == "__main__":
    app.run(main)
