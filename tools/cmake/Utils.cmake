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
