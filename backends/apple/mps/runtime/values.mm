#include <algorithm>

#include <executorch/backends/apple/mps/runtime/values.h>

namespace executorch {
namespace backends {
namespace mps {

namespace {

constexpr int64_t kMostElements = (int64_t(1) << 31) - 1;

}  // namespace

void refuse(NSString* why) {
  [NSException raise:@"ExecuTorchMPSGraph" format:@"%@", why];
  __builtin_unreachable();
}

NSArray<NSNumber*>* array_of(const Sizes& numbers) {
  NSMutableArray* made = [NSMutableArray arrayWithCapacity:static_cast<NSUInteger>(numbers.size())];
  for (const int64_t one : numbers) {
    [made addObject:[NSNumber numberWithLongLong:one]];
  }
  return made;
}

MPSShape* shape_of(const Sizes& sizes) { return array_of(sizes.empty() ? Sizes{1} : sizes); }

Sizes sizes_of(const mpsgraph::MPSTensor& value) {
  Sizes sizes;
  if (value.dims() != nullptr) {
    sizes.assign(value.dims()->begin(), value.dims()->end());
  }
  return sizes;
}

MPSDataType type_of(mpsgraph::MPSDataType type) {
  switch (type) {
    case mpsgraph::MPSDataType::mps_data_type_float16:
      return MPSDataTypeFloat16;
    case mpsgraph::MPSDataType::mps_data_type_float32:
      return MPSDataTypeFloat32;
    case mpsgraph::MPSDataType::mps_data_type_int8:
      return MPSDataTypeInt8;
    case mpsgraph::MPSDataType::mps_data_type_int16:
      return MPSDataTypeInt16;
    case mpsgraph::MPSDataType::mps_data_type_int32:
      return MPSDataTypeInt32;
    case mpsgraph::MPSDataType::mps_data_type_int64:
      return MPSDataTypeInt64;
    case mpsgraph::MPSDataType::mps_data_type_uint8:
      return MPSDataTypeUInt8;
    case mpsgraph::MPSDataType::mps_data_type_bool:
      return MPSDataTypeBool;
    default:
      refuse(@"a type that no delegate has");
  }
}

bool is_float(MPSDataType type) { return type == MPSDataTypeFloat32 || type == MPSDataTypeFloat16; }

bool is_integer(MPSDataType type) { return !is_float(type) && type != MPSDataTypeBool; }

int64_t count_of(const Sizes& sizes) {
  int64_t count = 1;
  for (const int64_t one : sizes) {
    require(one > 0 && one <= kMostElements / count, @"a tensor with no or too many elements");
    count *= one;
  }
  return count;
}

Sizes broadcast_sizes(const Sizes& first, const Sizes& second) {
  Sizes made(std::max(first.size(), second.size()), 1);
  for (size_t i = 1; i <= made.size(); ++i) {
    const int64_t one = i <= first.size() ? first[first.size() - i] : 1;
    const int64_t other = i <= second.size() ? second[second.size() - i] : 1;
    require(one == other || one == 1 || other == 1, @"sizes that do not broadcast");
    made[made.size() - i] = one == 1 ? other : one;
  }
  return made;
}

size_t dimension_of(int64_t dimension, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  require(dimension >= -size && dimension < size, @"a dimension that there is not");
  return static_cast<size_t>(dimension < 0 ? dimension + size : dimension);
}

Values::Values(MPSGraph* graph, const Blob& blob)
    : graph_(graph),
      source_(*blob.graph),
      values_(source_.mps_values() == nullptr ? 0 : source_.mps_values()->size()) {}

const mpsgraph::MPSTensor& Values::declared(int32_t index) const {
  require(index >= 0 && size_t(index) < values_.size(), @"an id that no value has");
  return *source_.mps_values()->Get(uint32_t(index));
}

const Value& Values::at(int32_t index) const {
  (void)declared(index);
  require(values_[size_t(index)].tensor != nil, @"an operand that nothing made");
  return values_[size_t(index)];
}

void Values::set(int32_t index, const Value& value) {
  require(value.tensor != nil, @"MPSGraph made nothing");
  require(sizes_of(declared(index)) == value.sizes,
          @"a result with other sizes than the file says");
  (void)count_of(value.sizes);
  values_[size_t(index)] = value;
}

Value Values::constant(NSData* data, const Sizes& sizes, MPSDataType type) const {
  return {[graph_ constantWithData:data shape:shape_of(sizes) dataType:type], sizes, type};
}

Value Values::number(double number, MPSDataType type) const {
  return {[graph_ constantWithScalar : number shape : shape_of({}) dataType : type], {}, type};
}

Value Values::cast(const Value& value, MPSDataType type) const {
  if (value.type == type) {
    return value;
  }
  if (type == MPSDataTypeBool) {
    const Value zero = number(0, value.type);
    return {[graph_ notEqualWithPrimaryTensor:value.tensor secondaryTensor:zero.tensor name:nil],
            value.sizes, type};
  }
  return {[graph_ castTensor:value.tensor toType:type name:nil], value.sizes, type};
}

Value Values::reshape(const Value& value, const Sizes& sizes) const {
  require(count_of(sizes) == count_of(value.sizes), @"a view with another number of elements");
  return {[graph_ reshapeTensor:value.tensor withShape:shape_of(sizes) name:nil], sizes,
          value.type};
}

Value Values::broadcast(const Value& value, const Sizes& sizes) const {
  require(broadcast_sizes(value.sizes, sizes) == sizes, @"sizes that do not broadcast");
  (void)count_of(sizes);
  if (value.sizes == sizes) {
    return value;
  }
  return {[graph_ broadcastTensor:value.tensor toShape:shape_of(sizes) name:nil], sizes,
          value.type};
}

Value Values::permute(const Value& value, const Sizes& order) const {
  require(order.size() == value.sizes.size(), @"a permutation of other dimensions");
  if (order.empty()) {
    return value;
  }
  Sizes sizes, fronts;
  std::vector<bool> is_seen(order.size(), false);
  for (const int64_t one : order) {
    const size_t from = dimension_of(one, order.size());
    require(!is_seen[from], @"a permutation that has a dimension twice");
    is_seen[from] = true;
    fronts.push_back(static_cast<int64_t>(from));
    sizes.push_back(value.sizes[from]);
  }
  return {[graph_ transposeTensor:value.tensor permutation:array_of(fronts) name:nil], sizes,
          value.type};
}

Value Values::concatenate(const std::vector<Value>& parts, size_t dimension) const {
  require(!parts.empty() && dimension < parts[0].sizes.size(), @"nothing to put together");
  Value made = {nil, parts[0].sizes, parts[0].type};
  made.sizes[dimension] = 0;
  NSMutableArray* tensors = [NSMutableArray array];
  for (const Value& part : parts) {
    Sizes sizes = part.sizes;
    require(part.type == made.type && sizes.size() == made.sizes.size(),
            @"parts of other types or numbers of dimensions");
    made.sizes[dimension] += sizes[dimension];
    sizes[dimension] = made.sizes[dimension];
    require(sizes == made.sizes, @"parts of other sizes");
    [tensors addObject:part.tensor];
  }
  made.tensor = [graph_ concatTensors:tensors dimension:static_cast<NSInteger>(dimension) name:nil];
  return made;
}

Value Values::slice(const Value& value, size_t dimension, int64_t start, int64_t end,
                    int64_t step) const {
  require(start >= 0 && start < end && end <= value.sizes[dimension] && step > 0,
          @"a slice that is empty or leaves its tensor");
  Sizes starts(value.sizes.size(), 0), ends = value.sizes, steps(value.sizes.size(), 1);
  starts[dimension] = start;
  ends[dimension] = end;
  steps[dimension] = step;
  Sizes sizes = value.sizes;
  sizes[dimension] = (end - start - 1) / step + 1;
  return {[graph_ sliceTensor:value.tensor
                       starts:array_of(starts)
                         ends:array_of(ends)
                      strides:array_of(steps)
                         name:nil],
          sizes, value.type};
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch
