/// @file
/// What JavaScript calls: a module and its methods behind pointers, values in the structs of the C
/// interface (`executorch_value`), error numbers with a message.
///
/// There is one thread and no file system, so this is less than `executorch_c.h`: a program comes
/// as bytes, and a method is looked up once instead of by name in every call.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/extension/c_api/executorch_c.h>

// The linker keeps these and exports them from the WebAssembly module, by their own names.
#if defined(__wasm__)
#define EXECUTORCH_WASM_EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXECUTORCH_WASM_EXPORT(name)
#endif

struct et_module;
struct et_method;

extern "C" {

/// What the last call that failed had to say, zero-terminated. Never null.
EXECUTORCH_WASM_EXPORT(et_last_message) const char* et_last_message(void);

/// The name of an error, such as "InvalidArgument". Never null.
EXECUTORCH_WASM_EXPORT(et_error_name) const char* et_error_name(uint32_t error);

/// Loads a program, and weights of a `.ptd` file if there are any (null and 0 otherwise). Both have
/// to be aligned to 16 bytes and to outlive the module.
EXECUTORCH_WASM_EXPORT(et_module_load)
uint32_t et_module_load(const void* program, size_t program_size, const void* weights,
                        size_t weights_size, et_module** out);

/// Frees a module with its methods. Null is allowed.
EXECUTORCH_WASM_EXPORT(et_module_destroy) void et_module_destroy(et_module* module);

EXECUTORCH_WASM_EXPORT(et_module_num_methods) size_t et_module_num_methods(et_module* module);

/// Null for an index that is not below the count.
EXECUTORCH_WASM_EXPORT(et_module_method_name)
const char* et_module_method_name(et_module* module, size_t index);

/// The loaded method of a name, which is loaded the first time. It lives as long as the module.
EXECUTORCH_WASM_EXPORT(et_module_method)
uint32_t et_module_method(et_module* module, const char* name, et_method** out);

/// What a program says of a method, which is not loaded for that.
enum et_count {
  ET_COUNT_INPUTS = 0,
  ET_COUNT_OUTPUTS = 1,
  ET_COUNT_BACKENDS = 2,
  ET_COUNT_INSTRUCTIONS = 3,
  ET_COUNT_PLANNED_BUFFERS = 4
};
EXECUTORCH_WASM_EXPORT(et_meta_count)
uint32_t et_meta_count(et_module* module, const char* name, int32_t count, size_t* out);
EXECUTORCH_WASM_EXPORT(et_meta_backend)
uint32_t et_meta_backend(et_module* module, const char* name, size_t index, const char** out);
EXECUTORCH_WASM_EXPORT(et_meta_planned_bytes)
uint32_t et_meta_planned_bytes(et_module* module, const char* name, size_t index, size_t* out);

/// Kind of an input or output (`outputs` is 1) and, for a tensor, its dtype, sizes (upper bounds of
/// dynamic ones), dim order and bytes, without data; `planned` says whether its memory is planned.
EXECUTORCH_WASM_EXPORT(et_meta_value)
uint32_t et_meta_value(et_module* module, const char* name, int32_t outputs, size_t index,
                       executorch_value* out, int32_t* planned);

/// Runs a method. `inputs` has all inputs in order, `outputs` room for all outputs; those borrow
/// the module's memory until it runs again.
EXECUTORCH_WASM_EXPORT(et_method_execute)
uint32_t et_method_execute(et_method* method, const executorch_value* inputs, size_t num_inputs,
                           executorch_value* outputs, size_t num_outputs);

/// The operators of this build. Null for an index that is not below the count.
EXECUTORCH_WASM_EXPORT(et_num_operators) size_t et_num_operators(void);
EXECUTORCH_WASM_EXPORT(et_operator_name) const char* et_operator_name(size_t index);

/// Memory for what is passed, aligned to 16 bytes; null if there is none.
EXECUTORCH_WASM_EXPORT(et_allocate) void* et_allocate(size_t size);
EXECUTORCH_WASM_EXPORT(et_free) void et_free(void* memory);

}  // extern "C"
