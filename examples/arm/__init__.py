"""Example models for Arm's processors, by the documented command ``python -m examples.arm.aot_arm_compiler``."""
