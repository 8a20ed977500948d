# Android, 64-bit Arm.
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BAZEL_CONFIG android)
set_overridable_option(EXECUTORCH_BUILD_XNNPACK ON)
