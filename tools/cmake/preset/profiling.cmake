# The event tracer and what writes its records.
include("${CMAKE_CURRENT_LIST_DIR}/../Utils.cmake")
set_overridable_option(EXECUTORCH_BUILD_DEVTOOLS ON)
set_overridable_option(EXECUTORCH_BUILD_EXECUTOR_RUNNER ON)
set_overridable_option(EXECUTORCH_ENABLE_EVENT_TRACER ON)
