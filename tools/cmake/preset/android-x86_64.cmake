# Android, the emulator's processor.
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BAZEL_CONFIG android_x86_64)
set_overridable_option(EXECUTORCH_BUILD_XNNPACK ON)
