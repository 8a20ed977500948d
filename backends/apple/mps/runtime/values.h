/// @file
/// A graph of MPSGraph while it is made: what its values are, and what several nodes are made of.
///
/// What does not fit together raises an NSException, as MPSGraph itself does; whoever builds a
/// graph catches both.
#pragma once

#include <cstdint>
#include <vector>

#import <MetalPerformanceShadersGraph/MetalPerformanceShadersGraph.h>

#include <executorch/backends/apple/mps/runtime/blob.h>

namespace executorch {
namespace backends {
namespace mps {

using Sizes = std::vector<int64_t>;

/// A tensor of the graph. One without dimensions has one of size 1 for MPSGraph.
struct Value {
  MPSGraphTensor* tensor = nil;
  Sizes sizes;
  MPSDataType type = MPSDataTypeInvalid;
};

/// Raises; the reason is for the log.
[[noreturn]] void refuse(NSString* why);

inline void require(bool is_right, NSString* why) {
  if (!is_right) {
    refuse(why);
  }
}

NSArray<NSNumber*>* array_of(const Sizes& numbers);
/// As MPSGraph has them: at least one dimension.
MPSShape* shape_of(const Sizes& sizes);
Sizes sizes_of(const mpsgraph::MPSTensor& value);
MPSDataType type_of(mpsgraph::MPSDataType type);
bool is_float(MPSDataType type);
bool is_integer(MPSDataType type);
int64_t count_of(const Sizes& sizes);

/// What broadcasting makes of two sizes.
Sizes broadcast_sizes(const Sizes& first, const Sizes& second);
/// A dimension counted from the front, which there is.
size_t dimension_of(int64_t dimension, size_t rank);

/// The values by their ids, and the graph that they are in.
class Values {
 public:
  Values(MPSGraph* graph, const Blob& blob);

  MPSGraph* graph() const { return graph_; }
  /// What the file says of a value.
  const mpsgraph::MPSTensor& declared(int32_t index) const;
  /// A value that something made.
  const Value& at(int32_t index) const;
  /// The same, or nil where there is no operand.
  const Value* find(int32_t index) const { return index < 0 ? nullptr : &at(index); }
  /// What a node makes; it has the sizes that the file says.
  void set(int32_t index, const Value& value);

  Value constant(NSData* data, const Sizes& sizes, MPSDataType type) const;
  Value number(double number, MPSDataType type) const;
  Value cast(const Value& value, MPSDataType type) const;
  Value reshape(const Value& value, const Sizes& sizes) const;
  Value broadcast(const Value& value, const Sizes& sizes) const;
  Value permute(const Value& value, const Sizes& order) const;
  Value concatenate(const std::vector<Value>& parts, size_t dimension) const;
  /// A part of one dimension.
  Value slice(const Value& value, size_t dimension, int64_t start, int64_t end, int64_t step) const;

 private:
  MPSGraph* graph_;
  const mpsgraph::MPSGraph& source_;
  std::vector<Value> values_;
};

/// Each adds a node of its kind, and says whether the node is one.
bool add_unary(Values& values, const mpsgraph::MPSNode& node);
bool add_binary(Values& values, const mpsgraph::MPSNode& node);
bool add_activation(Values& values, const mpsgraph::MPSNode& node);
bool add_layer(Values& values, const mpsgraph::MPSNode& node);
bool add_convolution(Values& values, const mpsgraph::MPSNode& node);
bool add_mover(Values& values, const mpsgraph::MPSNode& node);
bool add_lookup(Values& values, const mpsgraph::MPSNode& node);

}  // namespace mps
}  // namespace backends
}  // namespace executorch
