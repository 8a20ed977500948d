# The options EXECUTORCH_SELECT_OPS_...: the target executorch_kernels registers the portable kernels that they select.
include_guard()

# Two names for one option: the page of selective build has both.
if(NOT "${EXECUTORCH_SELECT_OPS_FROM_MODEL}" STREQUAL "")
  set(EXECUTORCH_SELECT_OPS_MODEL "${EXECUTORCH_SELECT_OPS_FROM_MODEL}")
endif()
if(EXECUTORCH_DTYPE_SELECTIVE_BUILD)
  set(EXECUTORCH_ENABLE_DTYPE_SELECTIVE_BUILD ON)
endif()

set(_chosen "")
foreach(_way IN ITEMS YAML LIST MODEL)
  if(NOT "${EXECUTORCH_SELECT_OPS_${_way}}" STREQUAL "")
    list(APPEND _chosen EXECUTORCH_SELECT_OPS_${_way})
  endif()
endforeach()
list(LENGTH _chosen _count)
if(_count GREATER 1)
  message(FATAL_ERROR "one of these only: ${_chosen}")
elseif(EXECUTORCH_ENABLE_DTYPE_SELECTIVE_BUILD AND "${EXECUTORCH_SELECT_OPS_MODEL}" STREQUAL "")
  message(FATAL_ERROR "EXECUTORCH_ENABLE_DTYPE_SELECTIVE_BUILD takes the dtypes of a model: give EXECUTORCH_SELECT_OPS_MODEL")
elseif(_count EQUAL 1 AND PROJECT_IS_TOP_LEVEL)
  message(FATAL_ERROR "${_chosen}: what is installed has all kernels: select in the project that calls add_subdirectory(executorch), \
or by gen_selected_ops() beside find_package(executorch)")
elseif(_count EQUAL 1)
  # Before the package gives this name to all kernels.
  add_library(executorch_kernels INTERFACE)
  target_link_libraries(executorch_kernels INTERFACE executorch_selected_kernels)
endif()

function(executorch_add_selected_kernels)
  if(_chosen)
    gen_selected_ops(
      LIB_NAME executorch_selected_kernels
      OPS_SCHEMA_YAML "${EXECUTORCH_SELECT_OPS_YAML}" ROOT_OPS "${EXECUTORCH_SELECT_OPS_LIST}"
      OPS_FROM_MODEL "${EXECUTORCH_SELECT_OPS_MODEL}" DTYPE_SELECTIVE_BUILD "${EXECUTORCH_ENABLE_DTYPE_SELECTIVE_BUILD}")
    generate_bindings_for_kernels(
      LIB_NAME executorch_selected_kernels FUNCTIONS_YAML "${EXECUTORCH_ROOT}/kernels/portable/functions.yaml")
    gen_operators_lib(LIB_NAME executorch_selected_kernels KERNEL_LIBS portable_kernels DEPS executorch)
  endif()
endfunction()
