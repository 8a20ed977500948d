/// @file
/// Functions of single elements.

#include <cmath>
#include <cstring>

#include <executorch/backends/apple/mps/runtime/values.h>

namespace executorch {
namespace backends {
namespace mps {

using mpsgraph::MPSNodeUnion;

namespace {

/// The node of a member of the union, whose type the verifier has checked.
template <typename T>
const T& as(const mpsgraph::MPSNode& node) {
  return *static_cast<const T*>(node.mpsnode_union());
}

#define FUNCTION(NAME, SELECTOR) \
  case MPSNodeUnion::MPS##NAME:  \
    return [graph SELECTOR:x name:nil]

/// A function of floating-point numbers; nil where the node is none.
MPSGraphTensor* function_of(MPSGraph* graph, MPSNodeUnion kind, MPSGraphTensor* x) {
  switch (kind) {
    FUNCTION(Acos, acosWithTensor);
    FUNCTION(Acosh, acoshWithTensor);
    FUNCTION(Asin, asinWithTensor);
    FUNCTION(Asinh, asinhWithTensor);
    FUNCTION(Atan, atanWithTensor);
    FUNCTION(Atanh, atanhWithTensor);
    FUNCTION(Ceil, ceilWithTensor);
    FUNCTION(Cos, cosWithTensor);
    FUNCTION(Cosh, coshWithTensor);
    FUNCTION(Erf, erfWithTensor);
    FUNCTION(Exp, exponentWithTensor);
    FUNCTION(Exp2, exponentBase2WithTensor);
    FUNCTION(Floor, floorWithTensor);
    FUNCTION(Log, logarithmWithTensor);
    FUNCTION(Log10, logarithmBase10WithTensor);
    FUNCTION(Log2, logarithmBase2WithTensor);
    FUNCTION(Reciprocal, reciprocalWithTensor);
    // Half to even, as PyTorch does.
    FUNCTION(Round, rintWithTensor);
    FUNCTION(Rsqrt, reverseSquareRootWithTensor);
    FUNCTION(Sigmoid, sigmoidWithTensor);
    FUNCTION(Sin, sinWithTensor);
    FUNCTION(Sinh, sinhWithTensor);
    FUNCTION(Sqrt, squareRootWithTensor);
    FUNCTION(Tan, tanWithTensor);
    FUNCTION(Tanh, tanhWithTensor);
    default:
      return nil;
  }
}

/// A function that integers have too, or that answers yes or no; nil where the node is none.
MPSGraphTensor* other_function_of(MPSGraph* graph, MPSNodeUnion kind, MPSGraphTensor* x) {
  switch (kind) {
    FUNCTION(Abs, absoluteWithTensor);
    FUNCTION(BitwiseNot, bitwiseNOTWithTensor);
    FUNCTION(Isinf, isInfiniteWithTensor);
    FUNCTION(Isnan, isNaNWithTensor);
    FUNCTION(LogicalNot, notWithTensor);
    FUNCTION(Neg, negativeWithTensor);
    FUNCTION(Sign, signWithTensor);
    default:
      return nil;
  }
}

#undef FUNCTION

void check_other_function(MPSNodeUnion kind, MPSDataType type) {
  bool is_right = type != MPSDataTypeBool;
  if (kind == MPSNodeUnion::MPSBitwiseNot) {
    is_right = is_integer(type);
  } else if (kind == MPSNodeUnion::MPSLogicalNot) {
    is_right = type == MPSDataTypeBool;
  } else if (kind == MPSNodeUnion::MPSIsinf || kind == MPSNodeUnion::MPSIsnan) {
    is_right = is_float(type);
  }
  require(is_right, @"a function of another type");
}

#define FUNCTION(NAME, SELECTOR) \
  case MPSNodeUnion::MPS##NAME:  \
    return [graph SELECTOR##WithPrimaryTensor:x secondaryTensor:y name:nil]

/// nil where the node is no comparison.
MPSGraphTensor* comparison_of(MPSGraph* graph, MPSNodeUnion kind, MPSGraphTensor* x,
                              MPSGraphTensor* y) {
  switch (kind) {
    FUNCTION(Eq, equal);
    FUNCTION(Ge, greaterThanOrEqualTo);
    FUNCTION(Gt, greaterThan);
    FUNCTION(Le, lessThanOrEqualTo);
    FUNCTION(Lt, lessThan);
    FUNCTION(Ne, notEqual);
    default:
      return nil;
  }
}

MPSGraphTensor* bits_of(MPSGraph* graph, MPSNodeUnion kind, MPSGraphTensor* x, MPSGraphTensor* y) {
  switch (kind) {
    FUNCTION(BitwiseAnd, bitwiseAND);
    FUNCTION(BitwiseOr, bitwiseOR);
    FUNCTION(BitwiseXor, bitwiseXOR);
    default:
      return nil;
  }
}

MPSGraphTensor* arithmetic_of(MPSGraph* graph, MPSNodeUnion kind, MPSGraphTensor* x,
                              MPSGraphTensor* y, bool has_nan) {
  switch (kind) {
    FUNCTION(Add, addition);
    FUNCTION(Atan2, atan2);
    FUNCTION(Mul, multiplication);
    FUNCTION(Pow, power);
    FUNCTION(Sub, subtraction);
    case MPSNodeUnion::MPSMin:
    case MPSNodeUnion::MPSMinimum:
      return has_nan
                 ? [graph minimumWithNaNPropagationWithPrimaryTensor:x secondaryTensor:y name:nil]
                 : [graph minimumWithPrimaryTensor:x secondaryTensor:y name:nil];
    case MPSNodeUnion::MPSMax:
      return has_nan
                 ? [graph maximumWithNaNPropagationWithPrimaryTensor:x secondaryTensor:y name:nil]
                 : [graph maximumWithPrimaryTensor:x secondaryTensor:y name:nil];
    default:
      return nil;
  }
}

#undef FUNCTION

/// A quotient, rounded as `mode` says: "floor", "trunc", or not.
MPSGraphTensor* quotient_of(MPSGraph* graph, MPSGraphTensor* x, MPSGraphTensor* y,
                            const char* mode) {
  MPSGraphTensor* made = [graph divisionWithPrimaryTensor:x secondaryTensor:y name:nil];
  if (std::strcmp(mode, "floor") == 0) {
    return [graph floorWithTensor:made name:nil];
  }
  if (std::strcmp(mode, "trunc") == 0) {
    return [graph truncateWithTensor:made name:nil];
  }
  require(mode[0] == 0, @"a rounding of quotients that there is not");
  return made;
}

/// What is left of `x` after whole `y`: with the sign of `y` (floor) or of `x` (trunc).
MPSGraphTensor* rest_of(MPSGraph* graph, MPSGraphTensor* x, MPSGraphTensor* y, const char* mode) {
  MPSGraphTensor* whole = [graph multiplicationWithPrimaryTensor:quotient_of(graph, x, y, mode)
                                                 secondaryTensor:y
                                                            name:nil];
  return [graph subtractionWithPrimaryTensor:x secondaryTensor:whole name:nil];
}

MPSGraphTensor* division_of(MPSGraph* graph, const mpsgraph::MPSNode& node, MPSGraphTensor* x,
                            MPSGraphTensor* y) {
  switch (node.mpsnode_union_type()) {
    case MPSNodeUnion::MPSFmod:
      return rest_of(graph, x, y, "trunc");
    case MPSNodeUnion::MPSRemainder:
      return rest_of(graph, x, y, "floor");
    case MPSNodeUnion::MPSDiv: {
      const auto* const mode = as<mpsgraph::_MPSDivNode2x1>(node).rounding_mode();
      return quotient_of(graph, x, y, mode == nullptr ? "" : mode->c_str());
    }
    default:
      return nil;
  }
}

/// The second operand of a sum or difference, multiplied by what the node says.
Value scaled(Values& values, const mpsgraph::MPSNode& node, const Value& second) {
  const MPSNodeUnion kind = node.mpsnode_union_type();
  if (kind != MPSNodeUnion::MPSAdd && kind != MPSNodeUnion::MPSSub) {
    return second;
  }
  const float alpha = as<mpsgraph::_MPSNodeWithAlpha2x1>(node).alpha();
  if (alpha == 1) {
    return second;
  }
  const Value factor = values.number(double(alpha), second.type);
  return {[values.graph() multiplicationWithPrimaryTensor:second.tensor
                                          secondaryTensor:factor.tensor
                                                     name:nil],
          second.sizes, second.type};
}

/// Between two bounds; an infinite one is none.
Value bounded(Values& values, const Value& value, float low, float high) {
  require(value.type != MPSDataTypeBool && !std::isnan(low) && !std::isnan(high),
          @"bounds that are no numbers");
  const bool has_nan = is_float(value.type);
  MPSGraphTensor* made = value.tensor;
  MPSGraph* graph = values.graph();
  if (std::isfinite(low)) {
    made = arithmetic_of(graph, MPSNodeUnion::MPSMax, made,
                         values.number(double(low), value.type).tensor, has_nan);
  }
  if (std::isfinite(high)) {
    made = arithmetic_of(graph, MPSNodeUnion::MPSMin, made,
                         values.number(double(high), value.type).tensor, has_nan);
  }
  if (made == value.tensor) {
    made = [graph identityWithTensor:made name:nil];
  }
  return {made, value.sizes, value.type};
}

/// x times the share of a normal distribution below it, exactly or by a hyperbolic tangent.
Value gelu(Values& values, const Value& x, const char* approximate) {
  MPSGraph* graph = values.graph();
  const auto times = [&](MPSGraphTensor* one, double factor) {
    return [graph multiplicationWithPrimaryTensor:one
                                  secondaryTensor:values.number(factor, x.type).tensor
                                             name:nil];
  };
  const auto product = [&](MPSGraphTensor* one, MPSGraphTensor* other) {
    return [graph multiplicationWithPrimaryTensor:one secondaryTensor:other name:nil];
  };
  MPSGraphTensor* share = nil;
  if (std::strcmp(approximate, "tanh") == 0) {
    MPSGraphTensor* cube = times(product(product(x.tensor, x.tensor), x.tensor), 0.044715);
    MPSGraphTensor* sum = [graph additionWithPrimaryTensor:x.tensor secondaryTensor:cube name:nil];
    share = [graph tanhWithTensor:times(sum, std::sqrt(2 / M_PI)) name:nil];
  } else {
    require(std::strcmp(approximate, "none") == 0, @"a GELU of another kind");
    share = [graph erfWithTensor:times(x.tensor, std::sqrt(0.5)) name:nil];
  }
  MPSGraphTensor* more = [graph additionWithPrimaryTensor:share
                                          secondaryTensor:values.number(1, x.type).tensor
                                                     name:nil];
  return {product(times(x.tensor, 0.5), more), x.sizes, x.type};
}

const Value& floats(const Values& values, int32_t index) {
  require(is_float(values.at(index).type), @"a function of another type");
  return values.at(index);
}

void add_where(Values& values, const mpsgraph::_MPSNode3x1& held) {
  const Value& condition = values.at(held.input1_id());
  const Value& first = values.at(held.input2_id());
  const Value& second = values.at(held.input3_id());
  require(condition.type == MPSDataTypeBool && first.type == second.type,
          @"a choice between values of two types, or by no booleans");
  values.set(
      held.output_id(),
      {[values.graph() selectWithPredicateTensor:condition.tensor
                             truePredicateTensor:first.tensor
                            falsePredicateTensor:second.tensor
                                            name:nil],
       broadcast_sizes(condition.sizes, broadcast_sizes(first.sizes, second.sizes)), first.type});
}

}  // namespace

bool add_unary(Values& values, const mpsgraph::MPSNode& node) {
  const MPSNodeUnion kind = node.mpsnode_union_type();
  if (kind < MPSNodeUnion::MPSExp || kind > MPSNodeUnion::MPSLogicalNot) {
    return false;
  }
  const auto& held = as<mpsgraph::_MPSNode1x1>(node);
  const Value& x = values.at(held.input1_id());
  Value made = {other_function_of(values.graph(), kind, x.tensor), x.sizes, x.type};
  if (made.tensor != nil) {
    check_other_function(kind, x.type);
  } else {
    require(is_float(x.type), @"a function of another type");
    made.tensor = function_of(values.graph(), kind, x.tensor);
  }
  if (kind == MPSNodeUnion::MPSIsinf || kind == MPSNodeUnion::MPSIsnan) {
    made.type = MPSDataTypeBool;
  }
  values.set(held.output_id(), made);
  return true;
}

bool add_binary(Values& values, const mpsgraph::MPSNode& node) {
  const MPSNodeUnion kind = node.mpsnode_union_type();
  const bool is_comparison = kind >= MPSNodeUnion::MPSEq && kind <= MPSNodeUnion::MPSLt;
  if (!is_comparison && (kind < MPSNodeUnion::MPSAdd || kind > MPSNodeUnion::MPSMinimum)) {
    return false;
  }
  // Tables of two operands and a result begin alike.
  const auto& held = as<mpsgraph::_MPSNode2x1>(node);
  const Value& x = values.at(held.input1_id());
  const Value& y = values.at(held.input2_id());
  require(x.type == y.type, @"operands of two types");
  Value made = {nil, broadcast_sizes(x.sizes, y.sizes), x.type};
  MPSGraph* graph = values.graph();
  if (is_comparison) {
    made.tensor = comparison_of(graph, kind, x.tensor, y.tensor);
    made.type = MPSDataTypeBool;
  } else if (kind >= MPSNodeUnion::MPSBitwiseAnd && kind <= MPSNodeUnion::MPSBitwiseXor) {
    require(is_integer(x.type), @"bits of another type");
    made.tensor = bits_of(graph, kind, x.tensor, y.tensor);
  } else {
    require(x.type != MPSDataTypeBool, @"calculations with booleans");
    made.tensor =
        arithmetic_of(graph, kind, x.tensor, scaled(values, node, y).tensor, is_float(x.type));
    if (made.tensor == nil) {
      require(is_float(x.type), @"quotients of another type");
      made.tensor = division_of(graph, node, x.tensor, y.tensor);
    }
  }
  values.set(held.output_id(), made);
  return true;
}

bool add_activation(Values& values, const mpsgraph::MPSNode& node) {
  MPSGraph* graph = values.graph();
  if (const auto* const held = node.mpsnode_union_as_MPSHardTanh()) {
    values.set(held->output_id(),
               bounded(values, values.at(held->input1_id()), held->min_value(), held->max_value()));
  } else if (const auto* const clamp = node.mpsnode_union_as_MPSClamp()) {
    require(node.min_max() != nullptr, @"a clamp without bounds");
    values.set(clamp->output_id(),
               bounded(values, values.at(clamp->input1_id()), node.min_max()->min_value(),
                       node.min_max()->max_value()));
  } else if (const auto* const relu = node.mpsnode_union_as_MPSReLU()) {
    const Value& x = floats(values, relu->input1_id());
    values.set(relu->output_id(), {[graph reLUWithTensor:x.tensor name:nil], x.sizes, x.type});
  } else if (const auto* const leaky = node.mpsnode_union_as_MPSLeakyReLU()) {
    const Value& x = floats(values, leaky->input1_id());
    values.set(leaky->output_id(), {[graph leakyReLUWithTensor:x.tensor
                                                         alpha:double(leaky->negative_slope())
                                                          name:nil],
                                    x.sizes, x.type});
  } else if (const auto* const one = node.mpsnode_union_as_MPSGELU()) {
    const char* const kind = one->approximate() == nullptr ? "none" : one->approximate()->c_str();
    values.set(one->output_id(), gelu(values, floats(values, one->input1_id()), kind));
  } else if (const auto* const cast = node.mpsnode_union_as_MPSCast()) {
    values.set(cast->output_id(),
               values.cast(values.at(cast->input1_id()), type_of(cast->dtype())));
  } else if (const auto* const where = node.mpsnode_union_as_MPSWhere()) {
    add_where(values, *where);
  } else {
    return false;
  }
  return true;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch
