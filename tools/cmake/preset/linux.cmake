# Linux on this processor.
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BUILD_EXECUTOR_RUNNER ON)
set_overridable_option(EXECUTORCH_BUILD_XNNPACK ON)
