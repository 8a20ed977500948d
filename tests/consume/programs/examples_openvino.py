"""The documented command says what is missing; the suites of models are packages that the wheel does not require."""

from executorch.examples.openvino.aot_optimize_and_infer import main

assert main(["--infer", "--suite", "torchvision", "--model", "resnet50"]) == 1  # nothing was exported
