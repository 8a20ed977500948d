# Selective build and registration of kernels, by the documented names. The generators are the library codegen's
# (`python -m executorch.codegen...`), which PYTHON_EXECUTABLE has to find: installed, or in EXECUTORCH_PYTHONPATH.
#
#   gen_selected_ops(LIB_NAME ops ROOT_OPS "aten::add.out,aten::mm.out")
#   generate_bindings_for_kernels(LIB_NAME ops FUNCTIONS_YAML ${EXECUTORCH_ROOT}/kernels/portable/functions.yaml)
#   gen_operators_lib(LIB_NAME ops KERNEL_LIBS portable_kernels DEPS executorch)
#   target_link_libraries(my_target PRIVATE ops)
include_guard()

# OUT: a command line that runs a module of executorch.codegen. Python is looked for when the first one is needed.
function(_executorch_codegen_command out module)
  if(NOT PYTHON_EXECUTABLE)
    find_program(PYTHON_EXECUTABLE NAMES python3 python REQUIRED)
  endif()
  set(environment PYTHONDONTWRITEBYTECODE=1)
  if(EXECUTORCH_PYTHONPATH)
    list(APPEND environment "PYTHONPATH=${EXECUTORCH_PYTHONPATH}")
  endif()
  set(${out} "${CMAKE_COMMAND}" -E env ${environment} "${PYTHON_EXECUTABLE}" -m executorch.codegen.${module}
      PARENT_SCOPE)
endfunction()

# OUT: where the files of a library are; those of calls without a name lie in a directory of their own.
function(_executorch_codegen_directory out library)
  if(library STREQUAL "")
    set(library executorch_selected)
  endif()
  set(${out} "${CMAKE_CURRENT_BINARY_DIR}/${library}" PARENT_SCOPE)
endfunction()

# Paths of a user's are meant from where the call stands.
function(_executorch_absolute_paths)
  foreach(name IN LISTS ARGN)
    if(NOT "${${name}}" STREQUAL "")
      get_filename_component(path "${${name}}" ABSOLUTE)
      set(${name} "${path}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Which operators a library registers: selected_operators.yaml in the library's directory.
#
#   gen_selected_ops(LIB_NAME name OPS_SCHEMA_YAML yaml ROOT_OPS a,b INCLUDE_ALL_OPS bool OPS_FROM_MODEL pte
#                    DTYPE_SELECTIVE_BUILD bool)
#   gen_selected_ops(yaml roots include_all [model [dtype_selective]])
#
# Of several sources the union is taken. With DTYPE_SELECTIVE_BUILD selected_op_variants.h says
# which dtypes the model needs to kernels that are compiled in the user's project; those of a prefix are compiled.
function(gen_selected_ops)
  set(keywords LIB_NAME OPS_SCHEMA_YAML ROOT_OPS INCLUDE_ALL_OPS OPS_FROM_MODEL DTYPE_SELECTIVE_BUILD)
  if(ARGC GREATER 0 AND ARGV0 IN_LIST keywords)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "${keywords}" "")
    if(arg_UNPARSED_ARGUMENTS)
      message(FATAL_ERROR "gen_selected_ops: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
  else()
    foreach(pair IN ITEMS 0:OPS_SCHEMA_YAML 1:ROOT_OPS 2:INCLUDE_ALL_OPS 3:OPS_FROM_MODEL 4:DTYPE_SELECTIVE_BUILD)
      string(REGEX MATCH "^([0-9]):(.*)$" _ "${pair}")
      set(position "${CMAKE_MATCH_1}")
      set(arg_${CMAKE_MATCH_2} "")
      if(ARGC GREATER position)
        set(arg_${CMAKE_MATCH_2} "${ARGV${position}}")
      endif()
    endforeach()
  endif()
  if("${arg_OPS_SCHEMA_YAML}${arg_ROOT_OPS}${arg_OPS_FROM_MODEL}" STREQUAL "" AND NOT arg_INCLUDE_ALL_OPS)
    message(FATAL_ERROR "gen_selected_ops: nothing is selected: give OPS_SCHEMA_YAML, ROOT_OPS, INCLUDE_ALL_OPS or \
OPS_FROM_MODEL")
  endif()
  if(arg_DTYPE_SELECTIVE_BUILD AND "${arg_OPS_FROM_MODEL}" STREQUAL "")
    message(FATAL_ERROR "gen_selected_ops: DTYPE_SELECTIVE_BUILD takes the dtypes of a model: give OPS_FROM_MODEL")
  endif()
  _executorch_absolute_paths(arg_OPS_SCHEMA_YAML arg_OPS_FROM_MODEL)
  _executorch_codegen_directory(directory "${arg_LIB_NAME}")
  _executorch_codegen_command(command tools.gen_oplist)
  set(selection "${directory}/selected_operators.yaml")
  list(APPEND command "--output_path=${selection}")
  foreach(pair IN ITEMS "ops_schema_yaml_path=${arg_OPS_SCHEMA_YAML}" "root_ops=${arg_ROOT_OPS}"
                        "model_file_path=${arg_OPS_FROM_MODEL}")
    if(NOT pair MATCHES "=$")
      list(APPEND command "--${pair}")
    endif()
  endforeach()
  if(arg_INCLUDE_ALL_OPS)
    list(APPEND command --include_all_operators)
  endif()
  file(MAKE_DIRECTORY "${directory}")
  add_custom_command(
    OUTPUT "${selection}" COMMAND ${command} DEPENDS ${arg_OPS_SCHEMA_YAML} ${arg_OPS_FROM_MODEL} VERBATIM
    COMMENT "Selecting operators of ${directory}")
  set(variants "")
  if(arg_DTYPE_SELECTIVE_BUILD)
    set(variants "${directory}/selected_op_variants.h")
    _executorch_codegen_command(command tools.gen_selected_op_variants)
    add_custom_command(
      OUTPUT "${variants}" COMMAND ${command} "--yaml-file-path=${selection}" "--output-dir=${directory}"
      DEPENDS "${selection}" VERBATIM)
  endif()
  set_property(DIRECTORY PROPERTY "executorch_selected:${directory}" "${selection};${variants}")
endfunction()

# Declarations and registration of the selected kernels, in the library's directory.
#
#   generate_bindings_for_kernels(LIB_NAME name FUNCTIONS_YAML yaml CUSTOM_OPS_YAML yaml DTYPE_SELECTIVE_BUILD bool)
function(generate_bindings_for_kernels)
  cmake_parse_arguments(
    PARSE_ARGV 0 arg "ADD_EXCEPTION_BOUNDARY" "LIB_NAME;FUNCTIONS_YAML;CUSTOM_OPS_YAML;DTYPE_SELECTIVE_BUILD" "")
  if("${arg_FUNCTIONS_YAML}${arg_CUSTOM_OPS_YAML}" STREQUAL "" OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "generate_bindings_for_kernels: wants FUNCTIONS_YAML or CUSTOM_OPS_YAML or both, \
got: ${ARGN}")
  endif()
  _executorch_codegen_directory(directory "${arg_LIB_NAME}")
  get_property(selected DIRECTORY PROPERTY "executorch_selected:${directory}")
  if(NOT selected)
    message(FATAL_ERROR "generate_bindings_for_kernels: call gen_selected_ops first, with the same LIB_NAME")
  endif()
  list(GET selected 0 selection)
  _executorch_absolute_paths(arg_FUNCTIONS_YAML arg_CUSTOM_OPS_YAML)
  _executorch_codegen_command(command gen)
  list(APPEND command "--install-dir=${directory}" "--op-selection-yaml-path=${selection}")
  set(outputs "${directory}/RegisterCodegenUnboxedKernelsEverything.cpp" "${directory}/Functions.h"
      "${directory}/NativeFunctions.h")
  if(arg_FUNCTIONS_YAML)
    list(APPEND command "--functions-yaml-path=${arg_FUNCTIONS_YAML}")
  endif()
  if(arg_CUSTOM_OPS_YAML)
    list(APPEND command "--custom-ops-yaml-path=${arg_CUSTOM_OPS_YAML}")
    list(APPEND outputs "${directory}/CustomOpsNativeFunctions.h")
  endif()
  if(arg_ADD_EXCEPTION_BOUNDARY)
    list(APPEND command --add-exception-boundary)
  endif()
  add_custom_command(
    OUTPUT ${outputs} COMMAND ${command} DEPENDS ${selected} ${arg_FUNCTIONS_YAML} ${arg_CUSTOM_OPS_YAML} VERBATIM
    COMMENT "Generating registration in ${directory}")
  set_property(DIRECTORY PROPERTY "executorch_bindings:${directory}" "${outputs}")
endfunction()

# A library that registers the kernels in every program that links it, with no flags from that program.
#
#   gen_operators_lib(LIB_NAME name KERNEL_LIBS libraries... DEPS libraries...)
#   gen_operators_lib(name KERNEL_LIBS ...)
#
# A program links one such library for an operator, and besides it none of the prefix that registers the operator too.
function(gen_operators_lib)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "LIB_NAME;DTYPE_SELECTIVE_BUILD" "KERNEL_LIBS;DEPS")
  if("${arg_LIB_NAME}" STREQUAL "")
    list(POP_FRONT arg_UNPARSED_ARGUMENTS arg_LIB_NAME)
  endif()
  if("${arg_LIB_NAME}" STREQUAL "" OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gen_operators_lib: wants one LIB_NAME, KERNEL_LIBS and DEPS, got: ${ARGN}")
  endif()
  _executorch_codegen_directory(directory "${arg_LIB_NAME}")
  get_property(bindings DIRECTORY PROPERTY "executorch_bindings:${directory}")
  if(NOT bindings)
    _executorch_codegen_directory(directory "")
    get_property(bindings DIRECTORY PROPERTY "executorch_bindings:${directory}")
  endif()
  if(NOT bindings)
    message(FATAL_ERROR "gen_operators_lib: call generate_bindings_for_kernels first, with the same LIB_NAME")
  endif()
  set(needs "")
  if(TARGET executorch_prim_ops)
    set(needs "${directory}/NeedsPrimOps.cpp")
    file(CONFIGURE OUTPUT "${needs}" CONTENT [=[
// Operators on sizes and scalars, which every program needs, are found in the archive by this name.
extern "C" const char executorch_prim_ops_registered;
namespace {
[[gnu::used]] const char* const kNeeds = &executorch_prim_ops_registered;
}
]=] @ONLY)
  endif()
  add_library(${arg_LIB_NAME} STATIC ${bindings} ${needs})
  target_include_directories(${arg_LIB_NAME} PUBLIC "${directory}")
  target_compile_features(${arg_LIB_NAME} PUBLIC cxx_std_17)
  target_link_libraries(${arg_LIB_NAME} PUBLIC ${arg_KERNEL_LIBS} ${arg_DEPS} executorch)
  if(needs)
    target_link_libraries(${arg_LIB_NAME} PUBLIC executorch_prim_ops)
  endif()
  executorch_target_link_options_shared_lib(${arg_LIB_NAME})
endfunction()

# OUTPUT_DIR/merged.yaml, when CMake configures: entries of FUNCTIONS_YAML, and of FALLBACK_YAML for what it has not.
function(merge_yaml)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "FUNCTIONS_YAML;FALLBACK_YAML;OUTPUT_DIR" "")
  if("${arg_FUNCTIONS_YAML}" STREQUAL "" OR "${arg_OUTPUT_DIR}" STREQUAL "" OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "merge_yaml: wants FUNCTIONS_YAML, FALLBACK_YAML and OUTPUT_DIR, got: ${ARGN}")
  endif()
  _executorch_absolute_paths(arg_FUNCTIONS_YAML arg_FALLBACK_YAML)
  get_filename_component(arg_OUTPUT_DIR "${arg_OUTPUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_FUNCTIONS_YAML} ${arg_FALLBACK_YAML})
  _executorch_codegen_command(command tools.merge_yaml)
  list(APPEND command "--functions-yaml-path=${arg_FUNCTIONS_YAML}" "--output-dir=${arg_OUTPUT_DIR}")
  if(arg_FALLBACK_YAML)
    list(APPEND command "--fallback-yaml-path=${arg_FALLBACK_YAML}")
  endif()
  execute_process(COMMAND ${command} RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "merge_yaml: ${said}")
  endif()
endfunction()
