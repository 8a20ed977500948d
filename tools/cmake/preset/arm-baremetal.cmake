# A Cortex-M55 without a system; EXECUTORCH_BAZEL_CONFIG has another (.bazelrc).
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BAZEL_CONFIG cortex_m55)
set_overridable_option(EXECUTORCH_BUILD_XNNPACK OFF)
set_overridable_option(EXECUTORCH_PAL_DEFAULT minimal)
