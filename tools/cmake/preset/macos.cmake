# macOS on Arm; cross-compiled elsewhere.
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BAZEL_CONFIG macos)
set_overridable_option(EXECUTORCH_BUILD_XNNPACK OFF)
