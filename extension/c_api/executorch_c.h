/// @file
/// The runtime and Module for languages that call C: opaque handles, plain structs, error numbers
/// with a message. Nothing here throws, and nothing ends the process on bad input.
///
/// A module and what it hands out belong to one thread at a time; modules are independent of each
/// other. Structs and numbers stay as they are within one EXECUTORCH_C_ABI_VERSION.
#ifndef EXECUTORCH_EXTENSION_C_API_EXECUTORCH_C_H_
#define EXECUTORCH_EXTENSION_C_API_EXECUTORCH_C_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXECUTORCH_C_ABI_VERSION 1

// A shared library exports these and nothing else, wherever symbols have a visibility.
#if defined(_WIN32)
#define EXECUTORCH_C_API
#else
#define EXECUTORCH_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// EXECUTORCH_C_ABI_VERSION of the library that is linked or loaded.
EXECUTORCH_C_API uint32_t executorch_c_abi_version(void);

/// 0 is success; the other numbers are those of executorch::runtime::Error.
typedef uint32_t executorch_error;

/// The name of an error, such as "InvalidArgument". Never null.
EXECUTORCH_C_API const char* executorch_error_name(executorch_error error);

/// What the last call on this thread that failed had to say: what was expected and what came. Never
/// null; valid until the next call on this thread that fails.
EXECUTORCH_C_API const char* executorch_last_message(void);

/// What a value is.
typedef enum executorch_kind {
  EXECUTORCH_KIND_NONE = 0,
  EXECUTORCH_KIND_INT = 1,
  EXECUTORCH_KIND_DOUBLE = 2,
  EXECUTORCH_KIND_BOOL = 3,
  EXECUTORCH_KIND_STRING = 4,
  EXECUTORCH_KIND_TENSOR = 5,
  EXECUTORCH_KIND_OTHER = 6  ///< A list; it can be seen but not read here.
} executorch_kind;

/// Element types, with the numbers of executorch::aten::ScalarType; those that are common.
typedef enum executorch_dtype {
  EXECUTORCH_DTYPE_UINT8 = 0,
  EXECUTORCH_DTYPE_INT8 = 1,
  EXECUTORCH_DTYPE_INT16 = 2,
  EXECUTORCH_DTYPE_INT32 = 3,
  EXECUTORCH_DTYPE_INT64 = 4,
  EXECUTORCH_DTYPE_FLOAT16 = 5,
  EXECUTORCH_DTYPE_FLOAT32 = 6,
  EXECUTORCH_DTYPE_FLOAT64 = 7,
  EXECUTORCH_DTYPE_COMPLEX64 = 9,
  EXECUTORCH_DTYPE_COMPLEX128 = 10,
  EXECUTORCH_DTYPE_BOOL = 11,
  EXECUTORCH_DTYPE_BFLOAT16 = 15,
  EXECUTORCH_DTYPE_UINT16 = 27,
  EXECUTORCH_DTYPE_UINT32 = 28,
  EXECUTORCH_DTYPE_UINT64 = 29
} executorch_dtype;

/// Bytes of an element; 0 for numbers that are no type.
EXECUTORCH_C_API size_t executorch_dtype_size(int32_t dtype);

/// A dense tensor. As an input it borrows the caller's memory for the call; as an output it borrows
/// the module's, which stays valid until the method runs again, is unloaded, or the module goes.
typedef struct executorch_tensor {
  void* data;                ///< Aligned to the size of an element.
  const int32_t* sizes;      ///< `rank` of them; may be null for rank 0.
  const uint8_t* dim_order;  ///< Dimensions from outermost to innermost; null: contiguous.
  size_t rank;
  size_t nbytes;  ///< Of the memory at `data`. An input's must be at least what its sizes ask for.
  int32_t dtype;
} executorch_tensor;

typedef struct executorch_string {
  const char* data;  ///< Not zero-terminated.
  size_t size;
} executorch_string;

typedef struct executorch_value {
  int32_t kind;  ///< An executorch_kind, which says what of `as` is valid.
  union {
    int64_t int_value;
    double double_value;
    bool bool_value;
    executorch_string string_value;
    executorch_tensor tensor;
  } as;
} executorch_value;

/// A program and its loaded methods.
typedef struct executorch_module executorch_module;

typedef enum executorch_load_mode {
  EXECUTORCH_LOAD_FILE = 0,
  EXECUTORCH_LOAD_MMAP = 1,
  EXECUTORCH_LOAD_MMAP_MLOCK = 2,
  EXECUTORCH_LOAD_MMAP_MLOCK_IGNORE_ERRORS = 3
} executorch_load_mode;

/// How to load. Zero everything but `struct_size` for the defaults.
typedef struct executorch_module_options {
  size_t struct_size;  ///< sizeof(executorch_module_options) where the caller was compiled.
  const char* const* data_paths;  ///< `.ptd` files with weights, `num_data_paths` of them.
  size_t num_data_paths;
  int32_t load_mode;         ///< An executorch_load_mode; only for paths.
  bool check_integrity;      ///< Check all of the program, not only what memory safety needs.
  bool share_memory_arenas;  ///< One set of arenas for all methods, which then run in turn.
} executorch_module_options;

/// Loads the program of a `.pte` file. `options` may be null. On success `*out` is to be given to
/// executorch_module_destroy().
EXECUTORCH_C_API executorch_error executorch_module_load(const char* path,
                                                         const executorch_module_options* options,
                                                         executorch_module** out);

/// The same from memory, which must be aligned to 16 bytes and outlive the module.
EXECUTORCH_C_API executorch_error executorch_module_load_from_memory(
    const void* data, size_t size, const executorch_module_options* options,
    executorch_module** out);

/// Frees a module and everything that it handed out. Null is allowed.
EXECUTORCH_C_API void executorch_module_destroy(executorch_module* module);

EXECUTORCH_C_API executorch_error executorch_module_num_methods(executorch_module* module,
                                                                size_t* out);

/// The name lives as long as the module.
EXECUTORCH_C_API executorch_error executorch_module_method_name(executorch_module* module,
                                                                size_t index, const char** out);

/// How many different backends parts of a method were lowered to, and their names, which live as
/// long as the module. The method is not loaded for that.
EXECUTORCH_C_API executorch_error executorch_module_method_num_backends(executorch_module* module,
                                                                        const char* method,
                                                                        size_t* out);
EXECUTORCH_C_API executorch_error executorch_module_method_backend_name(executorch_module* module,
                                                                        const char* method,
                                                                        size_t index,
                                                                        const char** out);

/// Loads a method, which executing it does as well. Loading twice does nothing.
EXECUTORCH_C_API executorch_error executorch_module_load_method(executorch_module* module,
                                                                const char* method);

/// Frees a loaded method. NotFound if it is not loaded.
EXECUTORCH_C_API executorch_error executorch_module_unload_method(executorch_module* module,
                                                                  const char* method);

EXECUTORCH_C_API executorch_error executorch_module_num_inputs(executorch_module* module,
                                                               const char* method, size_t* out);
EXECUTORCH_C_API executorch_error executorch_module_num_outputs(executorch_module* module,
                                                                const char* method, size_t* out);

/// Kind of an input or output and, for a tensor, its dtype, sizes (upper bounds of dynamic ones),
/// dim order and bytes; there is no data. The pointers live as long as the module.
EXECUTORCH_C_API executorch_error executorch_module_input_info(executorch_module* module,
                                                               const char* method, size_t index,
                                                               executorch_value* out);
EXECUTORCH_C_API executorch_error executorch_module_output_info(executorch_module* module,
                                                                const char* method, size_t index,
                                                                executorch_value* out);

/// Gives an output whose memory is not planned a place of `size` bytes, which must outlive its use.
EXECUTORCH_C_API executorch_error executorch_module_set_output_data(executorch_module* module,
                                                                    const char* method,
                                                                    size_t index, void* data,
                                                                    size_t size);

/// Runs a method. `inputs` has all inputs in order; `outputs` has room for all outputs, or is null
/// with `num_outputs` 0, and executorch_module_get_output() reads them.
EXECUTORCH_C_API executorch_error executorch_module_execute(
    executorch_module* module, const char* method, const executorch_value* inputs,
    size_t num_inputs, executorch_value* outputs, size_t num_outputs);

/// An output of the last run.
EXECUTORCH_C_API executorch_error executorch_module_get_output(executorch_module* module,
                                                               const char* method, size_t index,
                                                               executorch_value* out);

/// How many operators and backends this process has, and their names, which live as long as it.
/// Null for an index that is not below the count.
EXECUTORCH_C_API size_t executorch_num_operators(void);
EXECUTORCH_C_API const char* executorch_operator_name(size_t index);
EXECUTORCH_C_API size_t executorch_num_backends(void);
EXECUTORCH_C_API const char* executorch_backend_name(size_t index);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // EXECUTORCH_EXTENSION_C_API_EXECUTORCH_C_H_
