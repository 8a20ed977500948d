# Every documented option, and what it means here: one row each. docs/cmake.md has the same rows.
#
#   executorch_option(NAME always|flag|target|value|absent DEFAULT "what it maps to, or why not")
#
# always: part of the libraries below, of which a linker takes what is used; OFF is told so. flag: a flag of Bazel's. target: a
# target or a library that is built. value: is read where it is used. absent: ON stops with the reason.
include_guard()
include("${CMAKE_CURRENT_LIST_DIR}/Utils.cmake")

set(EXECUTORCH_OPTION_NAMES "" CACHE INTERNAL "")

function(executorch_option name kind default meaning)
  if(kind STREQUAL "value")
    set(${name} "${default}" CACHE STRING "${meaning}")
  else()
    option(${name} "${meaning}" ${default})
  endif()
  set(EXECUTORCH_OPTION_NAMES ${EXECUTORCH_OPTION_NAMES} ${name} CACHE INTERNAL "")
  if(kind STREQUAL "absent" AND NOT "${${name}}" MATCHES "^(OFF|0|FALSE|NO|N|)$")
    message(FATAL_ERROR "${name}=${${name}}: ${meaning}. docs/cmake.md says what there is.")
  elseif(kind STREQUAL "always" AND NOT ${name})
    message(STATUS "${name}=OFF: ${meaning}; it is there in any case and costs a program that does not use it nothing")
  endif()
endfunction()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(_logging ON)
else()
  set(_logging OFF)
endif()

# Backends
executorch_option(EXECUTORCH_BUILD_XNNPACK target ON "//backends/xnnpack:dist, the target xnnpack_backend")
executorch_option(EXECUTORCH_BUILD_CADENCE absent OFF "there is no Cadence backend; --config=xtensa builds runtime and kernels")
executorch_option(EXECUTORCH_FUSION_G3_OPT absent OFF "there is no Cadence backend")
executorch_option(EXECUTORCH_NNLIB_OPT absent OFF "there is no Cadence backend")
executorch_option(EXECUTORCH_VISION_OPT absent OFF "there is no Cadence backend")
executorch_option(EXECUTORCH_BUILD_COREML absent OFF "Core ML's delegate is built on a Mac, by backends/apple/coreml/runtime/mac/check.sh")
executorch_option(EXECUTORCH_BUILD_CORTEX_M absent OFF "the kernels of cortex_m are built by Bazel only; the preset arm-baremetal builds the portable ones")
executorch_option(EXECUTORCH_BUILD_EXYNOS absent OFF "there is no Exynos backend")
executorch_option(EXECUTORCH_BUILD_MPS absent OFF "MPS is here ahead of time only")
executorch_option(EXECUTORCH_BUILD_NEURON absent OFF "there is no MediaTek backend")
executorch_option(EXECUTORCH_BUILD_OPENVINO absent OFF "the OpenVINO backend is built by Bazel only")
executorch_option(EXECUTORCH_BUILD_QNN absent OFF "there is no Qualcomm backend")
executorch_option(EXECUTORCH_BUILD_VGF absent OFF "there is no VGF backend in C++")
executorch_option(EXECUTORCH_BUILD_VULKAN absent OFF "the Vulkan backend is built by Bazel only")
executorch_option(EXECUTORCH_BUILD_ARM_ETDUMP absent OFF "it belongs to the original's runner for Ethos-U, which is not there")

# Extensions
executorch_option(EXECUTORCH_BUILD_EXTENSION_DATA_LOADER always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_EVALUE_UTIL always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_FLAT_TENSOR always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_LLM always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_LLM_RUNNER always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_MODULE always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_NAMED_DATA_MAP always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_RUNNER_UTIL always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_TENSOR always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_EXTENSION_TRAINING always ON "//extension:dist")
executorch_option(EXECUTORCH_BUILD_PTHREADPOOL always ON "//backends/xnnpack:dist carries it; the other libraries run on the calling thread")
executorch_option(EXECUTORCH_BUILD_CPUINFO always ON "//backends/xnnpack:dist carries it; nothing else asks the processor")
executorch_option(EXECUTORCH_BUILD_EXTENSION_APPLE absent OFF "Bazel builds the frameworks (`extension/apple`); the preset ios builds the C++ libraries")
executorch_option(EXECUTORCH_BUILD_EXTENSION_LLM_APPLE absent OFF "Bazel builds the frameworks (`extension/apple`); the preset ios builds the C++ libraries")
executorch_option(EXECUTORCH_BUILD_LLAMA_JNI absent OFF "the natives of Java are built by Bazel, in an AAR: //extension/android:aar")

# Kernels
executorch_option(EXECUTORCH_BUILD_KERNELS_QUANTIZED always ON "//kernels:dist")
executorch_option(EXECUTORCH_SELECT_ALL_OPS always ON "executorch::kernels registers all kernels")
executorch_option(EXECUTORCH_SELECT_OPS_YAML value "" "executorch_kernels registers the operators of this yaml only")
executorch_option(EXECUTORCH_SELECT_OPS_LIST value "" "executorch_kernels registers these operators only")
executorch_option(EXECUTORCH_SELECT_OPS_MODEL value "" "executorch_kernels registers the operators of this program only")
executorch_option(EXECUTORCH_SELECT_OPS_FROM_MODEL value "" "as EXECUTORCH_SELECT_OPS_MODEL")
executorch_option(EXECUTORCH_ENABLE_DTYPE_SELECTIVE_BUILD value OFF "with EXECUTORCH_SELECT_OPS_MODEL: selected_op_variants.h")
executorch_option(EXECUTORCH_DTYPE_SELECTIVE_BUILD value OFF "as EXECUTORCH_ENABLE_DTYPE_SELECTIVE_BUILD")

# Programs and tools
executorch_option(EXECUTORCH_BUILD_EXECUTOR_RUNNER target OFF "//extension/executor_runner, copied beside the build's cache")
executorch_option(EXECUTORCH_BUILD_DEVTOOLS target OFF "//devtools:dist, the targets etdump and bundled_program")
executorch_option(EXECUTORCH_BUILD_TESTS absent OFF "the tests are Bazel's: ./bazelw test //...")
executorch_option(ENABLE_XNNPACK_PROFILING absent OFF "the XNNPACK backend records its operators wherever the event tracer is on")

# How it is compiled
executorch_option(EXECUTORCH_ENABLE_LOGGING flag ${_logging} "OFF: --//runtime/platform:min_log_level=none")
executorch_option(EXECUTORCH_LOG_LEVEL value info "--//runtime/platform:min_log_level=debug, info, error or fatal")
executorch_option(EXECUTORCH_ENABLE_EVENT_TRACER flag OFF "--//runtime/core:enable_event_tracer")
executorch_option(ET_EVENT_TRACER_ENABLED flag OFF "as EXECUTORCH_ENABLE_EVENT_TRACER")
executorch_option(EXECUTORCH_OPTIMIZE_SIZE flag OFF "--config=size")
executorch_option(EXECUTORCH_PAL_DEFAULT value posix "--//runtime/platform:pal=//runtime/platform/default:posix or minimal")
