#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace backends {
namespace openvino {

/// The part of OpenVINO's C interface that the delegate uses, as it is published. It is restated
/// here because nothing of OpenVINO is needed to build or to link; `c_interface_test` compiles both
/// side by side and compares.
namespace c {

struct Core;
struct CompiledModel;
struct Model;
struct InferRequest;
struct Port;
struct Tensor;

/// Status codes; all but 0 are failures.
enum Status : int { kOk = 0 };

enum ElementType : unsigned {
  kDynamic = 0,
  kBoolean = 1,
  kBfloat16 = 2,
  kFloat16 = 3,
  kFloat32 = 4,
  kFloat64 = 5,
  kInt8 = 7,
  kInt16 = 8,
  kInt32 = 9,
  kInt64 = 10,
  kUint8 = 16,
};

struct Shape {
  int64_t rank;
  int64_t* dims;
};

/// From `min` to `max`, both inclusive; -1 is no bound.
struct Dimension {
  int64_t min;
  int64_t max;
};

struct PartialShape {
  Dimension rank;
  Dimension* dims;
};

struct Version {
  const char* build_number;
  const char* description;
};

struct Names {
  char** names;
  size_t size;
};

/// What one node of a profiled request took, in microseconds.
struct NodeTime {
  int status;
  int64_t real_time;
  int64_t cpu_time;
  const char* node_name;
  const char* exec_type;
  const char* node_type;
};

struct NodeTimes {
  NodeTime* times;
  size_t size;
};

}  // namespace c

// One row for each function: result, name, parameters.
#define EXECUTORCH_OPENVINO_FUNCTIONS(ROW)                                                     \
  ROW(const char*, ov_get_last_err_msg, ())                                                    \
  ROW(c::Status, ov_get_openvino_version, (c::Version*))                                       \
  ROW(void, ov_version_free, (c::Version*))                                                    \
  ROW(void, ov_free, (const char*))                                                            \
  ROW(c::Status, ov_core_create, (c::Core**))                                                  \
  ROW(void, ov_core_free, (c::Core*))                                                          \
  ROW(c::Status, ov_core_set_property, (const c::Core*, const char*, ...))                     \
  ROW(c::Status, ov_core_get_property, (const c::Core*, const char*, const char*, char**))     \
  ROW(c::Status, ov_core_get_available_devices, (const c::Core*, c::Names*))                   \
  ROW(void, ov_available_devices_free, (c::Names*))                                            \
  ROW(c::Status, ov_core_import_model,                                                         \
      (const c::Core*, const char*, const size_t, const char*, c::CompiledModel**))            \
  ROW(c::Status, ov_core_read_model_from_memory_buffer,                                        \
      (const c::Core*, const char*, const size_t, const c::Tensor*, c::Model**))               \
  ROW(c::Status, ov_core_compile_model,                                                        \
      (const c::Core*, const c::Model*, const char*, const size_t, c::CompiledModel**, ...))   \
  ROW(void, ov_model_free, (c::Model*))                                                        \
  ROW(c::Status, ov_compiled_model_inputs_size, (const c::CompiledModel*, size_t*))            \
  ROW(c::Status, ov_compiled_model_outputs_size, (const c::CompiledModel*, size_t*))           \
  ROW(c::Status, ov_compiled_model_input_by_index,                                             \
      (const c::CompiledModel*, const size_t, c::Port**))                                      \
  ROW(c::Status, ov_compiled_model_output_by_index,                                            \
      (const c::CompiledModel*, const size_t, c::Port**))                                      \
  ROW(c::Status, ov_compiled_model_create_infer_request,                                       \
      (const c::CompiledModel*, c::InferRequest**))                                            \
  ROW(void, ov_compiled_model_free, (c::CompiledModel*))                                       \
  ROW(c::Status, ov_port_get_element_type, (const c::Port*, c::ElementType*))                  \
  ROW(c::Status, ov_port_get_partial_shape, (const c::Port*, c::PartialShape*))                \
  ROW(void, ov_partial_shape_free, (c::PartialShape*))                                         \
  ROW(void, ov_output_const_port_free, (c::Port*))                                             \
  ROW(c::Status, ov_tensor_create_from_host_ptr,                                               \
      (const c::ElementType, const c::Shape, void*, c::Tensor**))                              \
  ROW(c::Status, ov_tensor_get_shape, (const c::Tensor*, c::Shape*))                           \
  ROW(c::Status, ov_tensor_get_byte_size, (const c::Tensor*, size_t*))                         \
  ROW(c::Status, ov_tensor_data, (const c::Tensor*, void**))                                   \
  ROW(void, ov_tensor_free, (c::Tensor*))                                                      \
  ROW(c::Status, ov_shape_free, (c::Shape*))                                                   \
  ROW(c::Status, ov_infer_request_set_input_tensor_by_index,                                   \
      (c::InferRequest*, const size_t, const c::Tensor*))                                      \
  ROW(c::Status, ov_infer_request_set_output_tensor_by_index,                                  \
      (c::InferRequest*, const size_t, const c::Tensor*))                                      \
  ROW(c::Status, ov_infer_request_get_output_tensor_by_index,                                  \
      (const c::InferRequest*, const size_t, c::Tensor**))                                     \
  ROW(c::Status, ov_infer_request_infer, (c::InferRequest*))                                   \
  ROW(void, ov_infer_request_free, (c::InferRequest*))                                         \
  ROW(c::Status, ov_infer_request_get_profiling_info, (const c::InferRequest*, c::NodeTimes*)) \
  ROW(void, ov_profiling_info_list_free, (c::NodeTimes*))

/// The functions, as the loaded library has them.
struct Functions {
#define EXECUTORCH_OPENVINO_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  EXECUTORCH_OPENVINO_FUNCTIONS(EXECUTORCH_OPENVINO_MEMBER)
#undef EXECUTORCH_OPENVINO_MEMBER
};

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
