# CMake package `executorch`: all libraries that lie in this prefix, by their documented names.
#
#   find_package(executorch CONFIG REQUIRED COMPONENTS executorch_backends)
#   target_link_libraries(my_target PRIVATE executorch executorch::backends executorch::extensions executorch::kernels)
#
# or by the names of the published wheel's package:
#
#   find_package(executorch CONFIG REQUIRED COMPONENTS kernels_optimized backend_xnnpack)
#   target_link_libraries(my_target PRIVATE executorch::runtime executorch::kernels_optimized executorch::backend_xnnpack)
#
# Each library is a package of its own (`executorch_runtime`, ...), whose target does the work: kernels and backends are linked whole, so
# that they register. The names here are further names of those targets. A component is any of them.
cmake_minimum_required(VERSION 3.19)

set(_executorch_names_runtime executorch executorch_core executorch_no_prim_ops)
set(_executorch_names_kernels
    portable_kernels_bindings portable_ops_lib optimized_kernels optimized_ops_lib
    optimized_native_cpu_ops_lib optimized_portable_kernels quantized_kernels quantized_ops_lib
    cpublas eigen_blas kernels_util_all_deps
    executorch_kernels executorch::kernels_optimized executorch::kernels_quantized)
set(_executorch_names_extension
    extension_asr_runner extension_data_loader extension_evalue_util extension_flat_tensor extension_llm_runner
    extension_memory_allocator
    extension_module extension_module_static extension_named_data_map extension_runner_util extension_tensor
    extension_threadpool extension_training tokenizers tokenizers::tokenizers
    executorch_extensions executorch::extensions)
# The thread pool ships with the backend that needs its third-party library; without that, kernels run on the calling thread.
# Projects name what a backend stands on as well: here it is in the backend.
set(_executorch_names_backends_xnnpack
    xnnpack_backend executorch_backends executorch::backends
    XNNPACK xnnpack-microkernels-prod kleidiai pthreadpool cpuinfo
    executorch::backend_xnnpack extension_threadpool executorch::threadpool)
# The operators `llama::...` of exported language models.
set(_executorch_names_llm_custom_ops custom_ops extension_llm_custom_ops)
# Int8 models for microcontrollers: the operators `cortex_m::...`.
set(_executorch_names_cortex_m_ops cortex_m_ops_lib cortex_m_kernels)
set(_executorch_names_devtools etdump executorch::etdump bundled_program bundled_module flatccrt)

foreach(_executorch_library IN ITEMS runtime kernels llm_custom_ops cortex_m_ops backends_xnnpack extension devtools)
  find_package(executorch_${_executorch_library} CONFIG QUIET
               PATHS "${CMAKE_CURRENT_LIST_DIR}/../executorch_${_executorch_library}" NO_DEFAULT_PATH)
  if(NOT TARGET executorch::${_executorch_library})
    continue()
  endif()
  foreach(_executorch_name IN LISTS _executorch_names_${_executorch_library})
    if(NOT TARGET ${_executorch_name})
      add_library(${_executorch_name} INTERFACE IMPORTED)
      target_link_libraries(${_executorch_name} INTERFACE executorch::${_executorch_library})
    endif()
  endforeach()
endforeach()

# Asked for, they are among executorch::kernels.
if(EXECUTORCH_BUILD_KERNELS_LLM AND TARGET executorch::llm_custom_ops)
  set_property(TARGET executorch::kernels APPEND PROPERTY INTERFACE_LINK_LIBRARIES executorch::llm_custom_ops)
endif()

# The kernels alone, of which a library of gen_operators_lib registers what it selects; and what every program needs besides,
# which is taken when gen_operators_lib's source refers to it, once, whoever else links it whole.
if(TARGET executorch::kernels AND NOT TARGET portable_kernels)
  get_filename_component(_executorch_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  add_library(portable_kernels STATIC IMPORTED)
  set_target_properties(
    portable_kernels PROPERTIES IMPORTED_LOCATION "${_executorch_lib}/libportable_kernels.a"
                                INTERFACE_LINK_LIBRARIES executorch::runtime)
  add_library(executorch_prim_ops STATIC IMPORTED)
  set_target_properties(
    executorch_prim_ops PROPERTIES IMPORTED_LOCATION "${_executorch_lib}/libexecutorch.a"
                                   INTERFACE_LINK_LIBRARIES portable_kernels)
endif()

# Without a backend in the prefix there is nothing to link by these names, and nothing wrong.
foreach(_executorch_name IN ITEMS executorch_backends executorch::backends)
  if(NOT TARGET ${_executorch_name})
    add_library(${_executorch_name} INTERFACE IMPORTED)
  endif()
endforeach()

get_filename_component(EXECUTORCH_INCLUDE_DIRS "${CMAKE_CURRENT_LIST_DIR}/../../../include" ABSOLUTE)
get_filename_component(EXECUTORCH_RUNTIME_LIBRARY_DIR "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(EXECUTORCH_LIBRARIES executorch executorch::kernels executorch::extensions executorch::backends)
# The headers want nothing but this standard: there is no generated one to turn off.
set(EXECUTORCH_COMPILE_DEFINITIONS "")
set(EXECUTORCH_CXX_STANDARD 17)

# However the caller spells it: find_package(ExecuTorch) finds this file too.
set(_executorch_package ${CMAKE_FIND_PACKAGE_NAME})
set(${_executorch_package}_FOUND TRUE)
if(NOT TARGET executorch)
  set(${_executorch_package}_FOUND FALSE)
  set(${_executorch_package}_NOT_FOUND_MESSAGE "executorch_runtime is not in this prefix: unpack //runtime:dist over it")
endif()
foreach(_executorch_name IN LISTS ${_executorch_package}_FIND_COMPONENTS)
  if(TARGET ${_executorch_name} OR TARGET executorch::${_executorch_name})
    set(${_executorch_package}_${_executorch_name}_FOUND TRUE)
  else()
    set(${_executorch_package}_${_executorch_name}_FOUND FALSE)
    if(${_executorch_package}_FIND_REQUIRED_${_executorch_name})
      set(${_executorch_package}_FOUND FALSE)
      set(${_executorch_package}_NOT_FOUND_MESSAGE
          "no library in ${CMAKE_CURRENT_LIST_DIR}/.. has the component ${_executorch_name}: it is not built here, or its distribution \
is not unpacked over this prefix")
    endif()
  endif()
endforeach()
set(EXECUTORCH_FOUND ${${_executorch_package}_FOUND})

# The documented functions, and files by their documented places: ${EXECUTORCH_ROOT}/kernels/portable/functions.yaml.
if(NOT EXECUTORCH_ROOT)
  get_filename_component(EXECUTORCH_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../../share/executorch" ABSOLUTE)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/../../../share/executorch/tools/cmake/Utils.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../../../share/executorch/tools/cmake/Codegen.cmake")

# Objects of the extensions and of XNNPACK's delegate have strings, vectors and functions in their interfaces.
executorch_has_libstdcxx(_executorch_libstdcxx)
if(CMAKE_CXX_COMPILER_LOADED AND (TARGET executorch::extension OR TARGET executorch::backends_xnnpack))
  if(_executorch_libstdcxx AND EXECUTORCH_STANDARD_LIBRARY STREQUAL "libc++")
    message(WARNING "executorch: this prefix was built against LLVM's libc++, and ${CMAKE_CXX_COMPILER} has GCC's libstdc++: executorch::extensions \
and executorch::backends will not link. Build it for that: ./bazelw build --config=libstdcxx //bazel/distribution:dist; or compile with \
clang++ -stdlib=libc++")
  elseif(EXECUTORCH_STANDARD_LIBRARY STREQUAL "libstdc++" AND NOT _executorch_libstdcxx)
    message(WARNING "executorch: this prefix was built against GCC's libstdc++, which ${CMAKE_CXX_COMPILER} has not: executorch::extensions and \
executorch::backends will not link. Build it for LLVM's libc++: ./bazelw build //bazel/distribution:dist")
  endif()
endif()
