/* The interface as a C program uses it; that this compiles as C99 is part of the test. */
#include <stdio.h>
#include <string.h>

#include <executorch/extension/c_api/c_usage.h>
#include <executorch/extension/c_api/executorch_c.h>

static executorch_value float_tensor(float* data, const int32_t* sizes, size_t rank,
                                     size_t nbytes) {
  executorch_value value;
  memset(&value, 0, sizeof(value));
  value.kind = EXECUTORCH_KIND_TENSOR;
  value.as.tensor.data = data;
  value.as.tensor.sizes = sizes;
  value.as.tensor.rank = rank;
  value.as.tensor.nbytes = nbytes;
  value.as.tensor.dtype = EXECUTORCH_DTYPE_FLOAT32;
  return value;
}

static const char* add(executorch_module* module) {
  const int32_t sizes[2] = {2, 3};
  float a[6] = {1, 2, 3, 4, 5, 6};
  float b[6] = {10, 20, 30, 40, 50, 60};
  executorch_value inputs[2];
  executorch_value output;
  const float* sum;
  int i;

  inputs[0] = float_tensor(a, sizes, 2, sizeof(a));
  inputs[1] = float_tensor(b, sizes, 2, sizeof(b));
  if (executorch_module_execute(module, "forward", inputs, 2, &output, 1) != 0) {
    return executorch_last_message();
  }
  if (output.kind != EXECUTORCH_KIND_TENSOR || output.as.tensor.rank != 2 ||
      output.as.tensor.sizes[0] != 2 || output.as.tensor.sizes[1] != 3 ||
      output.as.tensor.dtype != EXECUTORCH_DTYPE_FLOAT32 || output.as.tensor.nbytes != sizeof(a)) {
    return "the output is no float tensor [2, 3]";
  }
  sum = (const float*)output.as.tensor.data;
  for (i = 0; i < 6; ++i) {
    if (sum[i] != a[i] + b[i]) {
      return "a + b is wrong";
    }
  }
  return NULL;
}

const char* c_usage_add(const void* program, size_t size) {
  executorch_module* module = NULL;
  const char* wrong;
  if (executorch_c_abi_version() != EXECUTORCH_C_ABI_VERSION) {
    return "header and library are of different versions";
  }
  if (executorch_module_load_from_memory(program, size, NULL, &module) != 0) {
    return executorch_last_message();
  }
  wrong = add(module);
  executorch_module_destroy(module);
  return wrong;
}

const char* c_usage_add_from_file(const char* path) {
  executorch_module* module = NULL;
  executorch_module_options options;
  const char* wrong;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.load_mode = EXECUTORCH_LOAD_MMAP;
  options.check_integrity = true;
  if (executorch_module_load(path, &options, &module) != 0) {
    return executorch_last_message();
  }
  wrong = add(module);
  executorch_module_destroy(module);
  return wrong;
}

int c_usage_readme(void) {
#include <executorch/extension/c_api/readme_snippet.h>
  return 0;
}
