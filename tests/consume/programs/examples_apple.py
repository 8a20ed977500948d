"""The commands say what they take; exporting needs coremltools, which the wheels do not require."""

from executorch.examples.apple.coreml.scripts import extract_coreml_models

assert extract_coreml_models.main(["-m", "none.pte"]) == 1
