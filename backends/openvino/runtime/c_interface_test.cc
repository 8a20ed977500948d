#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>
#include <openvino/c/openvino.h>

#include <executorch/backends/openvino/runtime/c_interface.h>

namespace executorch {
namespace backends {
namespace openvino {
namespace {

// Ours for a type of the package.
template <typename T>
struct Ours {
  using Type = T;
};
#define EXECUTORCH_SAME(theirs, ours) \
  template <>                         \
  struct Ours<theirs> {               \
    using Type = ours;                \
  };
EXECUTORCH_SAME(ov_core_t, c::Core)
EXECUTORCH_SAME(ov_compiled_model_t, c::CompiledModel)
EXECUTORCH_SAME(ov_model_t, c::Model)
EXECUTORCH_SAME(ov_infer_request_t, c::InferRequest)
EXECUTORCH_SAME(ov_output_const_port_t, c::Port)
EXECUTORCH_SAME(ov_tensor_t, c::Tensor)
EXECUTORCH_SAME(ov_status_e, c::Status)
EXECUTORCH_SAME(ov_element_type_e, c::ElementType)
EXECUTORCH_SAME(ov_shape_t, c::Shape)
EXECUTORCH_SAME(ov_partial_shape_t, c::PartialShape)
EXECUTORCH_SAME(ov_version_t, c::Version)
EXECUTORCH_SAME(ov_available_devices_t, c::Names)
EXECUTORCH_SAME(ov_profiling_info_list_t, c::NodeTimes)
#undef EXECUTORCH_SAME
template <typename T>
struct Ours<const T> {
  using Type = const typename Ours<T>::Type;
};
template <typename T>
struct Ours<T*> {
  using Type = typename Ours<T>::Type*;
};
template <typename Result, typename... Parameters>
struct Ours<Result(Parameters...)> {
  using Type = typename Ours<Result>::Type(typename Ours<Parameters>::Type...);
};
template <typename Result, typename... Parameters>
struct Ours<Result(Parameters..., ...)> {
  using Type = typename Ours<Result>::Type(typename Ours<Parameters>::Type..., ...);
};

#define EXECUTORCH_COMPARE(result, name, parameters)                                 \
  static_assert(std::is_same_v<result(*) parameters, Ours<decltype(&::name)>::Type>, \
                #name " has another signature in the package");
EXECUTORCH_OPENVINO_FUNCTIONS(EXECUTORCH_COMPARE)
#undef EXECUTORCH_COMPARE

static_assert(sizeof(c::Shape) == sizeof(ov_shape_t) &&
              offsetof(c::Shape, dims) == offsetof(ov_shape_t, dims));
static_assert(sizeof(c::Dimension) == sizeof(ov_dimension_t) &&
              offsetof(c::Dimension, max) == offsetof(ov_dimension_t, max));
static_assert(sizeof(c::PartialShape) == sizeof(ov_partial_shape_t) &&
              offsetof(c::PartialShape, dims) == offsetof(ov_partial_shape_t, dims));
static_assert(sizeof(c::Version) == sizeof(ov_version_t));
static_assert(sizeof(c::Names) == sizeof(ov_available_devices_t) &&
              offsetof(c::Names, size) == offsetof(ov_available_devices_t, size));
static_assert(sizeof(c::NodeTime) == sizeof(ov_profiling_info_t) &&
              offsetof(c::NodeTime, real_time) == offsetof(ov_profiling_info_t, real_time) &&
              offsetof(c::NodeTime, node_name) == offsetof(ov_profiling_info_t, node_name) &&
              offsetof(c::NodeTime, exec_type) == offsetof(ov_profiling_info_t, exec_type));

TEST(CInterface, ElementTypesHaveThePackagesNumbers) {
  EXPECT_EQ(int(c::kBoolean), int(BOOLEAN));
  EXPECT_EQ(int(c::kBfloat16), int(BF16));
  EXPECT_EQ(int(c::kFloat16), int(F16));
  EXPECT_EQ(int(c::kFloat32), int(F32));
  EXPECT_EQ(int(c::kFloat64), int(F64));
  EXPECT_EQ(int(c::kInt8), int(I8));
  EXPECT_EQ(int(c::kInt16), int(I16));
  EXPECT_EQ(int(c::kInt32), int(I32));
  EXPECT_EQ(int(c::kInt64), int(I64));
  EXPECT_EQ(int(c::kUint8), int(U8));
  EXPECT_EQ(int(c::kOk), int(OK));
}

}  // namespace
}  // namespace openvino
}  // namespace backends
}  // namespace executorch
