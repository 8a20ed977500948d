#include <cinttypes>

#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;

namespace {

struct Shape {
  size_t rank = 0;
  size_t dims[XNN_MAX_TENSOR_DIMS] = {};

  size_t last(size_t count = 1) const {
    size_t elements = 1;
    for (size_t i = rank - (count < rank ? count : rank); i < rank; ++i) {
      elements *= dims[i];
    }
    return elements;
  }
};

Shape shape_of(xnn_runtime_t runtime, uint32_t id) {
  Shape shape;
  if (xnn_get_runtime_value_shape(runtime, id, &shape.rank, shape.dims) != xnn_status_success) {
    shape.rank = 0;
  }
  return shape;
}

bool fits(xnn_runtime_t runtime, const ShapeRule& rule) {
  const Shape shape = shape_of(runtime, rule.value);
  if (shape.rank == 0) {
    return false;
  }
  switch (rule.kind) {
    case ShapeRule::Kind::kLastDimension:
      return shape.last() == rule.size &&
             (rule.num_nonbatch_dims == 0 || shape.last(rule.num_nonbatch_dims) == rule.size);
    case ShapeRule::Kind::kMultiple:
      return rule.size > 0 && shape.last(shape.rank) % rule.size == 0 &&
             (rule.num_nonbatch_dims == 0 || shape.last(rule.num_nonbatch_dims) == rule.size);
    case ShapeRule::Kind::kChannels:
      return shape.rank == 4 && shape.last() == rule.size;
    default:
      break;
  }
  const Shape other = shape_of(runtime, rule.other);
  if (rule.kind == ShapeRule::Kind::kSameElements) {
    return other.rank > 0 && shape.last(shape.rank) == other.last(other.rank);
  }
  if (other.rank < 2 || shape.rank < 2) {
    return false;
  }
  const bool is_transposed = rule.kind == ShapeRule::Kind::kInnerTransposed;
  return shape.last() == other.dims[other.rank - (is_transposed ? 1 : 2)];
}

}  // namespace

Error check_shapes(xnn_runtime_t runtime, const std::vector<ShapeRule>& rules) {
  for (const ShapeRule& rule : rules) {
    ET_CHECK_OR_RETURN_ERROR(fits(runtime, rule), InvalidArgument,
                             "XNNPACK: value %" PRIu32
                             " has a shape that the node which reads it does not work on",
                             rule.value);
  }
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
