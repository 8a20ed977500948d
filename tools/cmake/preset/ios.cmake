# iOS on Arm, for devices.
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BAZEL_CONFIG ios)
set_overridable_option(EXECUTORCH_BUILD_XNNPACK OFF)
