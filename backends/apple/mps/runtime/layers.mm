/// @file
/// Products of matrices, normalizations, means and softmax.

#include <executorch/backends/apple/mps/runtime/values.h>

namespace executorch {
namespace backends {
namespace mps {

namespace {

Value product(Values& values, const Value& first, const Value& second) {
  require(is_float(first.type) && first.type == second.type && first.sizes.size() >= 2 &&
              second.sizes.size() >= 2,
          @"a product of what are no matrices");
  const auto last = [](const Value& value, size_t place) {
    return value.sizes[value.sizes.size() - place];
  };
  require(last(first, 1) == last(second, 2), @"a product of matrices of other sizes");
  Sizes sizes = broadcast_sizes(Sizes(first.sizes.begin(), first.sizes.end() - 2),
                                Sizes(second.sizes.begin(), second.sizes.end() - 2));
  sizes.push_back(last(first, 2));
  sizes.push_back(last(second, 1));
  return {[values.graph() matrixMultiplicationWithPrimaryTensor:first.tensor
                                                secondaryTensor:second.tensor
                                                           name:nil],
          sizes, first.type};
}

Value times(Values& values, const Value& value, float factor) {
  if (factor == 1) {
    return value;
  }
  const Value number = values.number(double(factor), value.type);
  return {[values.graph() multiplicationWithPrimaryTensor:value.tensor
                                          secondaryTensor:number.tensor
                                                     name:nil],
          value.sizes, value.type};
}

Value plus(Values& values, const Value& first, const Value& second) {
  require(first.type == second.type, @"operands of two types");
  return {[values.graph() additionWithPrimaryTensor:first.tensor
                                    secondaryTensor:second.tensor
                                               name:nil],
          broadcast_sizes(first.sizes, second.sizes), first.type};
}

void add_addmm(Values& values, const mpsgraph::MPSAddmm& held) {
  const Value made = product(values, values.at(held.input2_id()), values.at(held.input3_id()));
  values.set(held.output_id(), plus(values, times(values, values.at(held.input1_id()), held.beta()),
                                    times(values, made, held.alpha())));
}

void add_mean(Values& values, const mpsgraph::MPSMean& held) {
  const Value& x = values.at(held.input1_id());
  require(is_float(x.type) && held.dims() != nullptr, @"a mean of another type");
  Sizes sizes = x.sizes;
  std::vector<bool> is_gone(sizes.size(), false);
  Sizes axes;
  for (const int32_t dim : *held.dims()) {
    const size_t axis = dimension_of(dim, sizes.size());
    require(!is_gone[axis], @"a mean over a dimension twice");
    is_gone[axis] = true;
    sizes[axis] = 1;
    axes.push_back(static_cast<int64_t>(axis));
  }
  Value made = {x.tensor, sizes, x.type};
  if (!axes.empty()) {
    made.tensor = [values.graph() meanOfTensor:x.tensor axes:array_of(axes) name:nil];
  }
  if (!held.keep_dims()) {
    Sizes left;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!is_gone[i]) {
        left.push_back(sizes[i]);
      }
    }
    made = values.reshape(made, left);
  }
  values.set(held.output_id(), made);
}

/// @param is_logarithm Without a small share becoming zero on the way.
void add_softmax(Values& values, const mpsgraph::MPSSoftmax& held, bool is_logarithm) {
  const Value& x = values.at(held.input1_id());
  require(is_float(x.type), @"a softmax of another type");
  const auto axis =
      static_cast<NSInteger>(x.sizes.empty() ? 0 : dimension_of(held.dim(), x.sizes.size()));
  MPSGraph* graph = values.graph();
  if (!is_logarithm) {
    values.set(held.output_id(),
               {[graph softMaxWithTensor:x.tensor axis:axis name:nil], x.sizes, x.type});
    return;
  }
  MPSGraphTensor* most = [graph reductionMaximumWithTensor:x.tensor axis:axis name:nil];
  MPSGraphTensor* below = [graph subtractionWithPrimaryTensor:x.tensor
                                              secondaryTensor:most
                                                         name:nil];
  MPSGraphTensor* sum = [graph reductionSumWithTensor:[graph exponentWithTensor:below name:nil]
                                                 axis:axis
                                                 name:nil];
  values.set(held.output_id(), {[graph subtractionWithPrimaryTensor:below
                                                    secondaryTensor:[graph logarithmWithTensor:sum
                                                                                          name:nil]
                                                               name:nil],
                                x.sizes, x.type});
}

/// An operand of a normalization, of the sizes that it must have, broadcast to `shape`; nil where
/// there is none.
MPSGraphTensor* operand(Values& values, int32_t index, const Value& source, const Sizes& sizes,
                        const Sizes& shape) {
  const Value* const found = values.find(index);
  if (found == nullptr) {
    return nil;
  }
  require(found->sizes == sizes && found->type == source.type,
          @"a normalization by other sizes or another type");
  return values.reshape(*found, shape).tensor;
}

void add_batch_norm(Values& values, const mpsgraph::MPSBatchNorm& held) {
  const Value& x = values.at(held.input_id());
  require(is_float(x.type) && x.sizes.size() >= 2, @"a batch norm of what has no channels");
  const Sizes channels = {x.sizes[1]};
  Sizes shape(x.sizes.size(), 1);
  shape[1] = x.sizes[1];
  const auto named = [&](int32_t index) { return operand(values, index, x, channels, shape); };
  MPSGraphTensor* mean = named(held.mean_id());
  MPSGraphTensor* variance = named(held.var_id());
  require(mean != nil && variance != nil, @"a batch norm without statistics");
  values.set(held.output1_id(), {[values.graph() normalizationWithTensor:x.tensor
                                                              meanTensor:mean
                                                          varianceTensor:variance
                                                             gammaTensor:named(held.weight_id())
                                                              betaTensor:named(held.bias_id())
                                                                 epsilon:held.epsilon()
                                                                    name:nil],
                                 x.sizes, x.type});
}

void add_layer_norm(Values& values, const mpsgraph::MPSLayerNorm& held) {
  const Value& x = values.at(held.input1_id());
  const auto* const given = held.normalized_shape();
  const size_t inner = given == nullptr ? 0 : given->size();
  require(is_float(x.type) && inner > 0 && inner <= x.sizes.size(),
          @"a layer norm over dimensions that there are not");
  const size_t outer = x.sizes.size() - inner;
  const Sizes shape(x.sizes.begin() + static_cast<std::ptrdiff_t>(outer), x.sizes.end());
  require(shape == Sizes(given->begin(), given->end()), @"a layer norm over other sizes");
  Sizes axes;
  for (size_t axis = outer; axis < x.sizes.size(); ++axis) {
    axes.push_back(static_cast<int64_t>(axis));
  }
  MPSGraph* graph = values.graph();
  MPSGraphTensor* mean = [graph meanOfTensor:x.tensor axes:array_of(axes) name:nil];
  MPSGraphTensor* variance = [graph varianceOfTensor:x.tensor
                                          meanTensor:mean
                                                axes:array_of(axes)
                                                name:nil];
  Sizes whole(outer, 1);
  whole.insert(whole.end(), shape.begin(), shape.end());
  values.set(held.output1_id(),
             {[graph normalizationWithTensor:x.tensor
                                  meanTensor:mean
                              varianceTensor:variance
                                 gammaTensor:operand(values, held.weight_id(), x, shape, whole)
                                  betaTensor:operand(values, held.bias_id(), x, shape, whole)
                                     epsilon:held.eps()
                                        name:nil],
              x.sizes, x.type});
}

}  // namespace

bool add_layer(Values& values, const mpsgraph::MPSNode& node) {
  if (const auto* const matmul = node.mpsnode_union_as_MPSMatMul()) {
    values.set(matmul->output_id(),
               product(values, values.at(matmul->input1_id()), values.at(matmul->input2_id())));
  } else if (const auto* const addmm = node.mpsnode_union_as_MPSAddmm()) {
    add_addmm(values, *addmm);
  } else if (const auto* const mean = node.mpsnode_union_as_MPSMean()) {
    add_mean(values, *mean);
  } else if (const auto* const softmax = node.mpsnode_union_as_MPSSoftmax()) {
    add_softmax(values, *softmax, false);
  } else if (const auto* const logarithm = node.mpsnode_union_as_MPSLogSoftmax()) {
    add_softmax(values, *logarithm, true);
  } else if (const auto* const batch = node.mpsnode_union_as_MPSBatchNorm()) {
    add_batch_norm(values, *batch);
  } else if (const auto* const layer = node.mpsnode_union_as_MPSLayerNorm()) {
    add_layer_norm(values, *layer);
  } else {
    return false;
  }
  return true;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch
