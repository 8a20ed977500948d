# Small helpers by their documented names.
include_guard()

# Makes every program that links a static library take all of it, so that what registers itself is not dropped. Libraries of
# the package `executorch` are linked whole already and stay as they are.
function(executorch_target_link_options_shared_lib target_name)
  if(NOT TARGET ${target_name})
    message(FATAL_ERROR "executorch_target_link_options_shared_lib: there is no target ${target_name}")
  endif()
  get_target_property(_type ${target_name} TYPE)
  if(_type STREQUAL "STATIC_LIBRARY" OR _type STREQUAL "SHARED_LIBRARY")
    if(APPLE)
      target_link_options(${target_name} INTERFACE "LINKER:-force_load,$<TARGET_FILE:${target_name}>")
    else()
      target_link_options(
        ${target_name} INTERFACE
        "SHELL:LINKER:--whole-archive \"$<TARGET_FILE:${target_name}>\" LINKER:--no-whole-archive")
    endif()
  endif()
endfunction()

# Its older name.
function(target_link_options_shared_lib target_name)
  executorch_target_link_options_shared_lib(${target_name})
endfunction()

# Sets an option of this package unless the user or a preset has set it.
function(set_overridable_option name value)
  if(NOT DEFINED ${name})
    set(${name} "${value}" CACHE STRING "" FORCE)
  endif()
endfunction()

# OUT: whether this project's C++ is compiled against GCC's libstdc++, as by g++, and by clang++ where a Linux distribution has it. Archives
# of C++ want the library of their compiler. Asked once, without linking; empty where there is no C++.
function(executorch_has_libstdcxx out)
  if(CMAKE_CXX_COMPILER_LOADED AND NOT DEFINED EXECUTORCH_HAS_LIBSTDCXX)
    include(CheckCXXSourceCompiles)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles(
      "#include <cstddef>\n#ifndef __GLIBCXX__\n#error another\n#endif\nint main() { return 0; }" EXECUTORCH_HAS_LIBSTDCXX)
  endif()
  set(${out} "${EXECUTORCH_HAS_LIBSTDCXX}" PARENT_SCOPE)
endfunction()
