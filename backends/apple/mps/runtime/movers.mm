/// @file
/// What puts elements elsewhere and calculates nothing, and tensors of numbers alone.

#include <cmath>

#include <executorch/backends/apple/mps/runtime/values.h>

namespace executorch {
namespace backends {
namespace mps {

namespace {

/// A size or position that may be counted from the end.
int64_t place_of(int64_t place, int64_t size) {
  const int64_t found = place < 0 ? place + size : place;
  return found < 0 ? 0 : (found > size ? size : found);
}

void add_slice(Values& values, const mpsgraph::MPSSlice& held) {
  const Value& x = values.at(held.input1_id());
  const size_t dim = dimension_of(held.dim(), x.sizes.size());
  const int64_t start = place_of(held.start(), x.sizes[dim]);
  values.set(held.output_id(),
             values.slice(x, dim, start, place_of(held.end(), x.sizes[dim]), held.step()));
}

void add_select(Values& values, const mpsgraph::MPSSelect& held) {
  const Value& x = values.at(held.input1_id());
  const size_t dim = dimension_of(held.dim(), x.sizes.size());
  const auto index = static_cast<int64_t>(dimension_of(held.index(), size_t(x.sizes[dim])));
  Sizes sizes = x.sizes;
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
  values.set(held.output_id(), values.reshape(values.slice(x, dim, index, index + 1, 1), sizes));
}

void add_split(Values& values, const mpsgraph::MPSSplitWithSizes& held) {
  const Value x = values.at(held.input1_id());
  const size_t dim = dimension_of(held.dim(), x.sizes.size());
  require(held.output_ids() != nullptr && held.split_sizes() != nullptr &&
              held.output_ids()->size() == held.split_sizes()->size(),
          @"a split into other parts than it has");
  int64_t start = 0;
  for (uint32_t i = 0; i < held.output_ids()->size(); ++i) {
    const int64_t end = start + held.split_sizes()->Get(i);
    values.set(held.output_ids()->Get(i), values.slice(x, dim, start, end, 1));
    start = end;
  }
}

void add_cat(Values& values, const mpsgraph::MPSCat& held) {
  std::vector<Value> parts;
  for (uint32_t i = 0; held.input_ids() != nullptr && i < held.input_ids()->size(); ++i) {
    parts.push_back(values.at(held.input_ids()->Get(i)));
  }
  require(!parts.empty(), @"nothing to put together");
  values.set(held.output_id(),
             values.concatenate(parts, dimension_of(held.dim(), parts[0].sizes.size())));
}

void add_squeeze(Values& values, const mpsgraph::MPSSqueeze& held) {
  const Value& x = values.at(held.input1_id());
  std::vector<bool> is_gone(x.sizes.size(), false);
  for (uint32_t i = 0; held.dims() != nullptr && i < held.dims()->size(); ++i) {
    const size_t dim = dimension_of(held.dims()->Get(i), x.sizes.size());
    is_gone[dim] = x.sizes[dim] == 1;
  }
  Sizes sizes;
  for (size_t i = 0; i < is_gone.size(); ++i) {
    if (!is_gone[i]) {
      sizes.push_back(x.sizes[i]);
    }
  }
  values.set(held.output_id(), values.reshape(x, sizes));
}

void add_unsqueeze(Values& values, const mpsgraph::MPSUnsqueeze& held) {
  const Value& x = values.at(held.input1_id());
  Sizes sizes = x.sizes;
  const size_t dim = dimension_of(held.dim(), sizes.size() + 1);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  values.set(held.output_id(), values.reshape(x, sizes));
}

/// Channels become squares of pixels.
void add_pixel_shuffle(Values& values, const mpsgraph::MPSPixelShuffle& held) {
  const Value& x = values.at(held.input1_id());
  const int64_t factor = held.upscale_factor();
  const size_t rank = x.sizes.size();
  require(rank >= 3 && factor > 0 && factor <= 1024 && x.sizes[rank - 3] % (factor * factor) == 0,
          @"pixels that are not that many channels");
  const int64_t channels = x.sizes[rank - 3] / (factor * factor);
  const int64_t height = x.sizes[rank - 2], width = x.sizes[rank - 1];
  const Sizes outer(x.sizes.begin(), x.sizes.end() - 3);
  Sizes parted = outer, order, sizes = outer;
  parted.insert(parted.end(), {channels, factor, factor, height, width});
  for (size_t i = 0; i < outer.size(); ++i) {
    order.push_back(static_cast<int64_t>(i));
  }
  for (const int64_t one : {0, 3, 1, 4, 2}) {
    order.push_back(static_cast<int64_t>(outer.size()) + one);
  }
  sizes.insert(sizes.end(), {channels, height * factor, width * factor});
  values.set(held.output_id(),
             values.reshape(values.permute(values.reshape(x, parted), order), sizes));
}

void add_pad(Values& values, const mpsgraph::MPSConstantPadND& held) {
  const Value& x = values.at(held.input1_id());
  const uint32_t count = held.pad() == nullptr ? 0 : held.pad()->size();
  require(count % 2 == 0 && count / 2 <= x.sizes.size() && x.type != MPSDataTypeBool,
          @"a padding of other dimensions or another type");
  Sizes before(x.sizes.size(), 0), behind = before, sizes = x.sizes;
  for (uint32_t i = 0; i < count; i += 2) {
    const size_t dim = x.sizes.size() - 1 - i / 2;
    before[dim] = held.pad()->Get(i);
    behind[dim] = held.pad()->Get(i + 1);
    require(before[dim] >= 0 && behind[dim] >= 0, @"a padding that cuts off");
    sizes[dim] += before[dim] + behind[dim];
  }
  values.set(held.output_id(), {[values.graph() padTensor:x.tensor
                                          withPaddingMode:MPSGraphPaddingModeConstant
                                              leftPadding:shape_of(before)
                                             rightPadding:shape_of(behind)
                                            constantValue:double(held.value())
                                                     name:nil],
                                sizes, x.type});
}

void add_full(Values& values, const mpsgraph::_MPSFull& held, const Sizes& sizes) {
  const MPSDataType type = type_of(held.dtype());
  (void)count_of(sizes);
  values.set(held.output_id(), {[values.graph() constantWithScalar:double(held.fill_value())
                                                             shape:shape_of(sizes)
                                                          dataType:type],
                                sizes, type});
}

/// Calculated here, with 64 bits as PyTorch does.
template <typename T>
NSData* row_of(int64_t count, double start, double step) {
  NSMutableData* data = [NSMutableData dataWithLength:static_cast<NSUInteger>(count) * sizeof(T)];
  require(data != nil, @"no memory for a row of numbers");
  T* const numbers = static_cast<T*>([data mutableBytes]);
  for (int64_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<T>(start + double(i) * step);
  }
  return data;
}

void add_arange(Values& values, const mpsgraph::MPSArange& held) {
  const double start = double(held.start()), end = double(held.end()), step = double(held.step());
  const double steps = std::ceil((end - start) / step);
  require(std::abs(start) < 1e9 && std::abs(end) < 1e9 && steps >= 1 && steps < 1e9,
          @"a row of numbers that does not end");
  const MPSDataType type = type_of(held.dtype());
  const Sizes sizes = {static_cast<int64_t>(steps)};
  require(sizes_of(values.declared(held.output_id())) == sizes,
          @"a row of numbers with other sizes than the file says");
  if (type == MPSDataTypeInt64) {
    values.set(held.output_id(),
               values.constant(row_of<int64_t>(sizes[0], start, step), sizes, type));
  } else if (type == MPSDataTypeInt32) {
    values.set(held.output_id(),
               values.constant(row_of<int32_t>(sizes[0], start, step), sizes, type));
  } else {
    require(is_float(type), @"a row of numbers of another type");
    const Value made =
        values.constant(row_of<float>(sizes[0], start, step), sizes, MPSDataTypeFloat32);
    values.set(held.output_id(), values.cast(made, type));
  }
}

bool add_filled(Values& values, const mpsgraph::MPSNode& node) {
  if (const auto* const full = node.mpsnode_union_as_MPSFull()) {
    require(full->shape() != nullptr, @"a filled tensor without sizes");
    add_full(values, *full, Sizes(full->shape()->begin(), full->shape()->end()));
  } else if (const auto* const like = node.mpsnode_union_as_MPSFullLike()) {
    add_full(values, *like, values.at(like->input1_id()).sizes);
  } else if (const auto* const arange = node.mpsnode_union_as_MPSArange()) {
    add_arange(values, *arange);
  } else if (const auto* const pad = node.mpsnode_union_as_MPSConstantPadND()) {
    add_pad(values, *pad);
  } else {
    return false;
  }
  return true;
}

bool add_part(Values& values, const mpsgraph::MPSNode& node) {
  if (const auto* const select = node.mpsnode_union_as_MPSSelect()) {
    add_select(values, *select);
  } else if (const auto* const slice = node.mpsnode_union_as_MPSSlice()) {
    add_slice(values, *slice);
  } else if (const auto* const split = node.mpsnode_union_as_MPSSplitWithSizes()) {
    add_split(values, *split);
  } else if (const auto* const cat = node.mpsnode_union_as_MPSCat()) {
    add_cat(values, *cat);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool add_mover(Values& values, const mpsgraph::MPSNode& node) {
  if (const auto* const permute = node.mpsnode_union_as_MPSPermute()) {
    require(permute->perm() != nullptr, @"a permutation of no dimensions");
    values.set(permute->output_id(),
               values.permute(values.at(permute->input1_id()),
                              Sizes(permute->perm()->begin(), permute->perm()->end())));
  } else if (const auto* const view = node.mpsnode_union_as_MPSView()) {
    // One of the sizes that the node says may be -1.
    values.set(view->output_id(), values.reshape(values.at(view->input1_id()),
                                                 sizes_of(values.declared(view->output_id()))));
  } else if (const auto* const expand = node.mpsnode_union_as_MPSExpand()) {
    values.set(expand->output_id(),
               values.broadcast(values.at(expand->input1_id()),
                                sizes_of(values.declared(expand->output_id()))));
  } else if (const auto* const squeeze = node.mpsnode_union_as_MPSSqueeze()) {
    add_squeeze(values, *squeeze);
  } else if (const auto* const unsqueeze = node.mpsnode_union_as_MPSUnsqueeze()) {
    add_unsqueeze(values, *unsqueeze);
  } else if (const auto* const shuffle = node.mpsnode_union_as_MPSPixelShuffle()) {
    add_pixel_shuffle(values, *shuffle);
  } else {
    return add_part(values, node) || add_filled(values, node);
  }
  return true;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch
