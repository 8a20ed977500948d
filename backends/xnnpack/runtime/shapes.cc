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

/// The shape of a value that a node reads, or if it is gone, of what is read in its place. Nodes
/// stand in an order in which they can run, so that each is passed once.
Shape shape_read(xnn_runtime_t runtime, uint32_t id, const std::vector<Bypass>& bypasses) {
  Shape shape = shape_of(runtime, id);
  for (size_t i = bypasses.size(); i > 0 && shape.rank == 0; --i) {
    if (bypasses[i - 1].output == id) {
      id = bypasses[i - 1].input;
      shape = shape_of(runtime, id);
    }
  }
  return shape;
}

/// Same, of a value that a node writes.
Shape shape_written(xnn_runtime_t runtime, uint32_t id, const std::vector<Bypass>& bypasses) {
  Shape shape = shape_of(runtime, id);
  for (size_t i = 0; i < bypasses.size() && shape.rank == 0; ++i) {
    if (bypasses[i].input == id) {
      id = bypasses[i].output;
      shape = shape_of(runtime, id);
    }
  }
  return shape;
}

bool fits(xnn_runtime_t runtime, const ShapeRule& rule, const std::vector<Bypass>& bypasses) {
  const Shape shape = shape_read(runtime, rule.value, bypasses);
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
  if (rule.kind == ShapeRule::Kind::kSameElements) {
    const Shape written = shape_written(runtime, rule.other, bypasses);
    return written.rank > 0 && shape.last(shape.rank) == written.last(written.rank);
  }
  const Shape other = shape_read(runtime, rule.other, bypasses);
  if (other.rank < 2 || shape.rank < 2) {
    return false;
  }
  const bool is_transposed = rule.kind == ShapeRule::Kind::kInnerTransposed;
  return shape.last() == other.dims[other.rank - (is_transposed ? 1 : 2)];
}

}  // namespace

Error check_shapes(xnn_runtime_t runtime, const ShapeRules& rules) {
  for (const ShapeRule& rule : rules.rules) {
    ET_CHECK_OR_RETURN_ERROR(fits(runtime, rule, rules.bypasses), InvalidArgument,
                             "XNNPACK: value %" PRIu32
                             " has a shape that the node which reads it does not work on",
                             rule.value);
  }
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
