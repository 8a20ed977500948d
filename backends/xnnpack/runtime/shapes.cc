#include <string>

#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::Span;

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

/// The shape of a value that a node reads, or if it is gone, the one that it would have. Nodes
/// stand in an order in which they can run, so that each is passed once.
Shape shape_read(xnn_runtime_t runtime, uint32_t id, const std::vector<Bypass>& bypasses) {
  Shape shape = shape_of(runtime, id);
  size_t added[XNN_MAX_TENSOR_DIMS] = {};
  for (size_t i = bypasses.size(); i > 0 && shape.rank == 0; --i) {
    const Bypass& bypass = bypasses[i - 1];
    if (bypass.output == id) {
      id = bypass.input;
      shape = shape_of(runtime, id);
      for (size_t dim = 0; dim < bypass.added.size(); ++dim) {
        added[dim] += bypass.added[dim];
      }
    }
  }
  for (size_t dim = 0; dim < shape.rank; ++dim) {
    shape.dims[dim] += added[dim];
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

bool are_same_but(const Shape& shape, const Shape& other, size_t axis) {
  for (size_t i = 0; i < shape.rank; ++i) {
    if (i != axis && shape.dims[i] != other.dims[i]) {
      return false;
    }
  }
  return shape.rank == other.rank;
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
    case ShapeRule::Kind::kLeastHeight:
      return shape.rank == 4 && shape.dims[1] >= rule.size;
    case ShapeRule::Kind::kLeastWidth:
      return shape.rank == 4 && shape.dims[2] >= rule.size;
    default:
      break;
  }
  if (rule.kind == ShapeRule::Kind::kSameElements) {
    const Shape written = shape_written(runtime, rule.other, bypasses);
    return written.rank > 0 && shape.last(shape.rank) == written.last(written.rank);
  }
  if (rule.kind == ShapeRule::Kind::kSameBut) {
    return are_same_but(shape, shape_written(runtime, rule.other, bypasses), rule.size);
  }
  const Shape other = shape_read(runtime, rule.other, bypasses);
  if (other.rank < 2 || shape.rank < 2) {
    return false;
  }
  const bool is_transposed = rule.kind == ShapeRule::Kind::kInnerTransposed;
  return shape.last() == other.dims[other.rank - (is_transposed ? 1 : 2)];
}

std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.rank; ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape.dims[i]);
  }
  return text + ")";
}

/// What a rule asks for, in words.
std::string wanted_by(xnn_runtime_t runtime, const ShapeRule& rule,
                      const std::vector<Bypass>& bypasses) {
  const std::string size = std::to_string(rule.size);
  const std::string inner = rule.num_nonbatch_dims < 2
                                ? "a last dimension of " + size
                                : size + " elements in the last " +
                                      std::to_string(rule.num_nonbatch_dims) + " dimensions";
  switch (rule.kind) {
    case ShapeRule::Kind::kLastDimension:
      return inner;
    case ShapeRule::Kind::kMultiple:
      return rule.num_nonbatch_dims == 0 ? "a multiple of " + size + " elements" : inner;
    case ShapeRule::Kind::kChannels:
      return "four dimensions, the last of " + size;
    case ShapeRule::Kind::kLeastHeight:
      return "a height of at least " + size;
    case ShapeRule::Kind::kLeastWidth:
      return "a width of at least " + size;
    case ShapeRule::Kind::kSameElements:
      return "as many elements as in its result " +
             text_of(shape_written(runtime, rule.other, bypasses));
    case ShapeRule::Kind::kSameBut:
      return "the dimensions of its result " +
             text_of(shape_written(runtime, rule.other, bypasses)) + " but for number " + size;
    default:
      break;
  }
  return std::string("a last dimension as the ") +
         (rule.kind == ShapeRule::Kind::kInnerTransposed ? "last" : "second to last") + " of " +
         text_of(shape_read(runtime, rule.other, bypasses)) + ", by which it is multiplied";
}

/// Which value it is: an input by its number; of what is made within, all inputs with their shapes.
std::string name_of(xnn_runtime_t runtime, uint32_t value, Span<const External> inputs) {
  std::string all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].id == value) {
      return "input " + std::to_string(i);
    }
    all += (i > 0 ? ", " : "") + text_of(shape_of(runtime, inputs[i].id));
  }
  return "what the delegate makes of inputs " + all;
}

}  // namespace

Error check_shapes(xnn_runtime_t runtime, const ShapeRules& rules, Span<const External> inputs) {
  for (const ShapeRule& rule : rules.rules) {
    if (!fits(runtime, rule, rules.bypasses)) {
      ET_LOG(Error, "XNNPACK: %s is %s, but the node that reads it works on %s",
             name_of(runtime, rule.value, inputs).c_str(),
             text_of(shape_read(runtime, rule.value, rules.bypasses)).c_str(),
             wanted_by(runtime, rule, rules.bypasses).c_str());
      return Error::InvalidArgument;
    }
  }
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
