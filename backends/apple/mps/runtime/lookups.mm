/// @file
/// Elements by numbers that are only known when a graph runs.

#include <executorch/backends/apple/mps/runtime/values.h>

namespace executorch {
namespace backends {
namespace mps {

namespace {

/// Indices in the type that all of MPSGraph's lookups take.
Value indices_of(Values& values, int32_t index) {
  require(is_integer(values.at(index).type), @"indices that are no integers");
  return values.cast(values.at(index), MPSDataTypeInt32);
}

/// Negative ones are counted from the end.
Value counted_from_the_front(Values& values, const Value& indices, int64_t size) {
  MPSGraph* graph = values.graph();
  MPSGraphTensor* is_negative =
      [graph lessThanWithPrimaryTensor:indices.tensor
                       secondaryTensor:values.number(0, indices.type).tensor
                                  name:nil];
  MPSGraphTensor* other =
      [graph additionWithPrimaryTensor:indices.tensor
                       secondaryTensor:values.number(double(size), indices.type).tensor
                                  name:nil];
  return {[graph selectWithPredicateTensor:is_negative
                       truePredicateTensor:other
                      falsePredicateTensor:indices.tensor
                                      name:nil],
          indices.sizes, indices.type};
}

/// Of one dimension those with these numbers; the sizes of the numbers stand for it.
Value gathered(Values& values, const Value& x, const Value& indices, size_t dim) {
  const Value flat = values.reshape(indices, {count_of(indices.sizes)});
  Sizes sizes = x.sizes;
  sizes[dim] = flat.sizes[0];
  const Value made = {[values.graph() gatherWithUpdatesTensor:x.tensor
                                                indicesTensor:flat.tensor
                                                         axis:static_cast<NSUInteger>(dim)
                                              batchDimensions:0
                                                         name:nil],
                      sizes, x.type};
  sizes.assign(x.sizes.begin(), x.sizes.begin() + static_cast<std::ptrdiff_t>(dim));
  sizes.insert(sizes.end(), indices.sizes.begin(), indices.sizes.end());
  sizes.insert(sizes.end(), x.sizes.begin() + static_cast<std::ptrdiff_t>(dim) + 1, x.sizes.end());
  return values.reshape(made, sizes);
}

/// Indices of several dimensions, which broadcast, as rows of coordinates.
///
/// @param sizes What they have in common.
Value coordinates(Values& values, const std::vector<Value>& indices, Sizes& sizes) {
  for (const Value& one : indices) {
    sizes = broadcast_sizes(sizes, one.sizes);
  }
  const int64_t count = count_of(sizes);
  std::vector<Value> columns;
  for (const Value& one : indices) {
    columns.push_back(values.reshape(values.broadcast(one, sizes), {count, 1}));
  }
  return columns.size() == 1 ? columns[0] : values.concatenate(columns, 1);
}

/// The elements at rows of coordinates of the first dimensions.
Value gathered_at(Values& values, const Value& x, const std::vector<Value>& indices) {
  Sizes sizes;
  const Value rows = coordinates(values, indices, sizes);
  Sizes flat = {rows.sizes[0]};
  const auto rest = x.sizes.begin() + static_cast<std::ptrdiff_t>(indices.size());
  flat.insert(flat.end(), rest, x.sizes.end());
  sizes.insert(sizes.end(), rest, x.sizes.end());
  const Value made = {[values.graph() gatherNDWithUpdatesTensor:x.tensor
                                                  indicesTensor:rows.tensor
                                                batchDimensions:0
                                                           name:nil],
                      flat, x.type};
  return values.reshape(made, sizes);
}

void add_index(Values& values, const mpsgraph::MPSIndexTensor& held) {
  const Value x = values.at(held.input1_id());
  require(held.indices_id() != nullptr && held.indices_id()->size() <= x.sizes.size(),
          @"indices of more dimensions than there are");
  std::vector<Value> indices;
  Sizes order, whole;
  size_t first = 0, last = 0;
  for (size_t dim = 0; dim < x.sizes.size(); ++dim) {
    const int32_t index =
        dim < held.indices_id()->size() ? held.indices_id()->Get(uint32_t(dim)) : -1;
    if (index < 0) {
      whole.push_back(static_cast<int64_t>(dim));
      continue;
    }
    first = indices.empty() ? dim : first;
    last = dim;
    order.push_back(static_cast<int64_t>(dim));
    indices.push_back(counted_from_the_front(values, indices_of(values, index), x.sizes[dim]));
  }
  require(!indices.empty(), @"an index of no dimension");
  if (indices.size() == 1) {
    values.set(held.output_id(), gathered(values, x, indices[0], first));
    return;
  }
  order.insert(order.end(), whole.begin(), whole.end());
  Value made = gathered_at(values, values.permute(x, order), indices);
  // Where they are neighbours, what they find stands where they stood; else it comes first.
  if (first > 0 && last - first + 1 == indices.size()) {
    const size_t found = made.sizes.size() - whole.size();
    Sizes back;
    for (size_t i = 0; i < made.sizes.size(); ++i) {
      const size_t from = i < first ? found + i : (i < first + found ? i - first : i);
      back.push_back(static_cast<int64_t>(from));
    }
    made = values.permute(made, back);
  }
  values.set(held.output_id(), made);
}

Value scattered(Values& values, const Value& x, const Value& updates, const Value& rows) {
  require(updates.type == x.type, @"values of another type than the tensor that they go to");
  return {[values.graph() scatterNDWithDataTensor:x.tensor
                                    updatesTensor:updates.tensor
                                    indicesTensor:rows.tensor
                                  batchDimensions:0
                                             mode:MPSGraphScatterModeSet
                                             name:nil],
          x.sizes, x.type};
}

void add_index_put(Values& values, const mpsgraph::MPSIndexPut& held) {
  const Value& x = values.at(held.input1_id());
  require(held.indices_id() != nullptr && held.indices_id()->size() > 0 &&
              held.indices_id()->size() <= x.sizes.size(),
          @"indices of other dimensions than there are");
  std::vector<Value> indices;
  for (uint32_t dim = 0; dim < held.indices_id()->size(); ++dim) {
    indices.push_back(counted_from_the_front(
        values, indices_of(values, held.indices_id()->Get(dim)), x.sizes[dim]));
  }
  Sizes sizes;
  const Value rows = coordinates(values, indices, sizes);
  const auto rest = x.sizes.begin() + static_cast<std::ptrdiff_t>(indices.size());
  Sizes flat = {rows.sizes[0]};
  flat.insert(flat.end(), rest, x.sizes.end());
  sizes.insert(sizes.end(), rest, x.sizes.end());
  const Value updates = values.reshape(values.broadcast(values.at(held.values_id()), sizes), flat);
  values.set(held.output_id(), scattered(values, x, updates, rows));
}

/// Each element goes to its own place, with another number in one dimension.
void add_scatter(Values& values, const mpsgraph::MPSScatter& held) {
  const Value& x = values.at(held.input1_id());
  const Value indices = indices_of(values, held.idx_id());
  Value source = values.at(held.src_id());
  const size_t rank = x.sizes.size();
  const size_t dim = dimension_of(held.dim(), rank);
  require(indices.sizes.size() == rank && source.sizes.size() == rank,
          @"a scatter of other dimensions");
  std::vector<Value> places;
  for (size_t i = 0; i < rank; ++i) {
    require(i == dim || indices.sizes[i] <= x.sizes[i], @"a scatter beyond the tensor");
    source = values.slice(source, i, 0, indices.sizes[i], 1);
    places.push_back(indices);
    if (i != dim) {
      places[i].tensor = [values.graph() coordinateAlongAxis:static_cast<NSInteger>(i)
                                                   withShape:shape_of(indices.sizes)
                                                        name:nil];
    }
  }
  Sizes sizes;
  const Value rows = coordinates(values, places, sizes);
  values.set(held.output_id(), scattered(values, x, values.reshape(source, {rows.sizes[0]}), rows));
}

}  // namespace

bool add_lookup(Values& values, const mpsgraph::MPSNode& node) {
  if (const auto* const select = node.mpsnode_union_as_MPSIndexSelect()) {
    const Value& x = values.at(select->input1_id());
    const Value indices = indices_of(values, select->index_id());
    require(indices.sizes.size() <= 1, @"a selection by indices of several dimensions");
    const Value row = values.reshape(indices, {count_of(indices.sizes)});
    values.set(select->output_id(),
               gathered(values, x, row, dimension_of(select->dim(), x.sizes.size())));
  } else if (const auto* const table = node.mpsnode_union_as_MPSEmbedding()) {
    const Value& x = values.at(table->input1_id());
    require(x.sizes.size() == 2, @"an embedding by what is no table");
    values.set(table->output_id(), gathered(values, x, indices_of(values, table->input2_id()), 0));
  } else if (const auto* const index = node.mpsnode_union_as_MPSIndexTensor()) {
    add_index(values, *index);
  } else if (const auto* const put = node.mpsnode_union_as_MPSIndexPut()) {
    add_index_put(values, *put);
  } else if (const auto* const scatter = node.mpsnode_union_as_MPSScatter()) {
    add_scatter(values, *scatter);
  } else {
    return false;
  }
  return true;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch
