#include <algorithm>
#include <cmath>
#include <utility>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

constexpr size_t kGatherRank = 6;
constexpr size_t kPadRank = 5;
/// Of glsl/index.glsl: tensors of indices, and dimensions of the shape that they are broadcast to.
constexpr size_t kMostIndices = 3;
constexpr size_t kIndexRank = 5;

void record_slices(Call& call, const GraphTensor& x, const GraphTensor& index, Buffer* numbers,
                   size_t d, const Sizes& sizes) {
  const size_t out = call.num_arguments() - 1;
  if (!call.expect(index.element() == Element::Int, "its indices are no integers") ||
      !call.expect(x.element() == call.output(out).element(), "its result has another type") ||
      !call.expect(x.sizes[d] > 0, "it chooses from nothing")) {
    return;
  }
  call.resize(out, sizes);
  const int64_t count = product_of(sizes);
  Parameters parameters;
  parameters.set(0, {count, product_of(x.sizes, d + 1, x.rank()), index.numel(), x.sizes[d]});
  call.dispatch_elements(shader_for("index_select", x), {call.out(out), call.in(0), numbers},
                         parameters, count);
}

/// The dimensions that a list has tensors of indices for.
std::vector<size_t> indexed_dims(Call& call) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < call.list(1).size(); ++d) {
    if (call.has_tensor(1, d)) {
      dims.push_back(d);
    }
  }
  return dims;
}

/// Slices along two or three dimensions beside each other.
void record_several(Call& call, const GraphTensor& x, const std::vector<uint32_t>& given,
                    const std::vector<size_t>& dims) {
  const size_t out = call.num_arguments() - 1;
  const size_t begin = dims[0];
  const size_t end = dims.back() + 1;
  bool fits = dims.size() <= kMostIndices && end - begin == dims.size() && end <= x.rank() &&
              x.element() == call.output(out).element();
  Sizes shape;
  for (const size_t d : dims) {
    const GraphTensor& index = call.value_tensor(given[d]);
    bool is_ok = false;
    shape = broadcast(shape, index.sizes, is_ok);
    fits = fits && is_ok && index.element() == Element::Int && x.sizes[d] > 0;
  }
  if (!call.expect(fits && shape.size() <= kIndexRank, "its indices do not fit")) {
    return;
  }
  Sizes sizes(x.sizes.begin(), x.sizes.begin() + static_cast<ptrdiff_t>(begin));
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  sizes.insert(sizes.end(), x.sizes.begin() + static_cast<ptrdiff_t>(end), x.sizes.end());
  call.resize(out, sizes);
  const int64_t count = product_of(sizes);
  Parameters parameters;
  parameters.set(0, {count, product_of(x.sizes, end, x.rank()), product_of(shape)});
  parameters.set(3, shape);
  Buffers buffers = {call.out(out), call.in(0)};
  for (size_t i = 0; i < kMostIndices; ++i) {
    const uint32_t value = given[dims[i < dims.size() ? i : 0]];
    buffers.push_back(call.in_list(value));
    if (i < dims.size()) {
      parameters.set(8 + i, x.sizes[dims[i]]);
      parameters.set(11 + kIndexRank * i, strides_over(call.value_tensor(value).sizes, shape));
    }
  }
  call.dispatch_elements(shader_for("index", x), buffers, parameters, count,
                         {static_cast<uint32_t>(dims.size()), static_cast<uint32_t>(shape.size())});
}

void set_scalar(Call& call, Parameters& parameters, size_t at, const GraphTensor& type,
                double value) {
  if (type.element() != Element::Int) {
    parameters.set(at, static_cast<float>(value));
  } else if (call.expect(std::fabs(value) <= INT32_MAX, "a number is out of range")) {
    parameters.set(at, static_cast<int64_t>(value));
  }
}

std::string putting(const char* name, const GraphTensor& x, bool adds) {
  return shader_for(name, x) + (adds ? "_add" : "");
}

/// Elements into what lies there already.
void dispatch_put(Call& call, const std::string& shader, const Buffers& buffers,
                  const Parameters& parameters, int64_t count,
                  std::vector<uint32_t> constants = {}) {
  if (call.expect(buffers[1] != buffers[0] && buffers[2] != buffers[0],
                  "it reads what it writes")) {
    call.dispatch_elements(shader, buffers, parameters, count, std::move(constants));
  }
}

}  // namespace

void record_index_select(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  int64_t dim = call.integer(1);
  dim = dim < 0 ? dim + static_cast<int64_t>(x.rank()) : dim;
  if (call.expect(dim >= 0 && dim < static_cast<int64_t>(x.rank()) && call.tensor(2).rank() <= 1,
                  "its dimension is out of range")) {
    Sizes sizes = x.sizes;
    sizes[static_cast<size_t>(dim)] = call.tensor(2).numel();
    record_slices(call, x, call.tensor(2), call.in(2), static_cast<size_t>(dim), sizes);
  }
}

void record_index(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const std::vector<size_t> dims = indexed_dims(call);
  const std::vector<uint32_t> given = call.list(1);
  if (dims.size() > 1) {
    record_several(call, x, given, dims);
  } else if (call.expect(dims.size() == 1 && dims[0] < x.rank(), "its indices do not fit")) {
    const GraphTensor& index = call.value_tensor(given[dims[0]]);
    Sizes sizes = x.sizes;
    const auto place = sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(dims[0]));
    sizes.insert(place, index.sizes.begin(), index.sizes.end());
    record_slices(call, x, index, call.in_list(given[dims[0]]), dims[0], sizes);
  }
}

void record_index_put(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 4;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& values = call.tensor(2);
  const std::vector<size_t> dims = indexed_dims(call);
  if (!call.expect(dims.size() == 1 && dims[0] < x.rank(), "it takes one tensor of indices") ||
      !call.expect(call.num_arguments() == kOut + 1 && call.is_same(0, kOut),
                   "it writes elsewhere than to its first argument")) {
    return;
  }
  const size_t dim = dims[0];
  const uint32_t numbers = call.list(1)[dim];
  const GraphTensor& index = call.value_tensor(numbers);
  Sizes sizes = x.sizes;
  sizes[dim] = index.numel();
  // Leading dimensions of size 1 may be left out of the values.
  bool fits = index.rank() == 1 && index.element() == Element::Int &&
              values.rank() <= sizes.size() && values.numel() == product_of(sizes) &&
              values.element() == x.element();
  fits = fits && std::equal(values.sizes.rbegin(), values.sizes.rend(), sizes.rbegin());
  if (!call.expect(fits, "its indices or its values do not fit")) {
    return;
  }
  Parameters parameters;
  parameters.set(
      0, {values.numel(), product_of(sizes, dim + 1, sizes.size()), index.numel(), x.sizes[dim]});
  dispatch_put(call, putting("index_put", x, call.integer(3) != 0),
               {call.out(kOut), call.in(2), call.in_list(numbers)}, parameters, values.numel());
}

void record_embedding(Call& call, int kind) {
  (void)kind;
  const GraphTensor& weight = call.tensor(0);
  if (call.expect(weight.rank() == 2, "its weight is no matrix")) {
    Sizes sizes = call.tensor(1).sizes;
    sizes.push_back(weight.sizes[1]);
    record_slices(call, weight, call.tensor(1), call.in(1), 0, sizes);
  }
}

void record_gather(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& index = call.tensor(2);
  int64_t dim = call.integer(1);
  dim = dim < 0 ? dim + static_cast<int64_t>(x.rank()) : dim;
  bool fits = x.rank() == index.rank() && x.rank() <= kGatherRank && dim >= 0 &&
              dim < static_cast<int64_t>(x.rank()) && index.element() == Element::Int &&
              x.element() == call.output(out).element();
  for (size_t d = 0; fits && d < x.rank(); ++d) {
    fits = d == static_cast<size_t>(dim) ? x.sizes[d] > 0 : index.sizes[d] <= x.sizes[d];
  }
  if (!call.expect(fits, "its arguments do not fit")) {
    return;
  }
  call.resize(out, index.sizes);
  const Sizes strides = strides_of(x.sizes);
  const int64_t count = index.numel();
  Parameters parameters;
  parameters.set(
      0, {count, x.sizes[static_cast<size_t>(dim)], strides[static_cast<size_t>(dim)], dim});
  parameters.set(4, index.sizes).set(10, strides);
  call.dispatch_elements(shader_for("gather", x), {call.out(out), call.in(0), call.in(2)},
                         parameters, count, {static_cast<uint32_t>(x.rank())});
}

void record_scatter(Call& call, int kind) {
  constexpr size_t kOut = 4;
  const GraphTensor& y = call.tensor(0);
  const GraphTensor& index = call.tensor(2);
  const GraphTensor& x = call.tensor(3);
  const int64_t dim = call.integer(1);
  bool fits = y.rank() == index.rank() && x.rank() == index.rank() && y.rank() <= kGatherRank &&
              dim >= 0 && dim < static_cast<int64_t>(y.rank()) && index.element() == Element::Int &&
              x.element() == y.element();
  for (size_t d = 0; fits && d < y.rank(); ++d) {
    fits = index.sizes[d] <= x.sizes[d] &&
           (d == static_cast<size_t>(dim) || index.sizes[d] <= y.sizes[d]);
  }
  if (!call.expect(call.num_arguments() == kOut + 1 && call.is_same(0, kOut),
                   "it writes elsewhere than to its first argument") ||
      !call.expect(fits, "its arguments do not fit")) {
    return;
  }
  const Sizes strides = strides_of(y.sizes);
  const size_t d = static_cast<size_t>(dim);
  Parameters parameters;
  parameters.set(0, {index.numel(), y.sizes[d], strides[d], dim});
  parameters.set(4, index.sizes).set(10, strides).set(16, strides_of(x.sizes));
  dispatch_put(call, putting("scatter", y, kind == kAddsKind),
               {call.out(kOut), call.in(3), call.in(2)}, parameters, index.numel(),
               {static_cast<uint32_t>(y.rank())});
}

void record_pad(Call& call, int kind) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const Sizes pad = call.integers(1);
  const size_t dims = pad.size() / 2;
  if (!call.expect(pad.size() % 2 == 0 && dims <= x.rank() && x.rank() <= kPadRank &&
                       x.element() == call.output(out).element(),
                   "its arguments do not fit")) {
    return;
  }
  Sizes sizes = x.sizes;
  Sizes before(x.rank(), 0);
  for (size_t i = 0; i < dims; ++i) {
    const size_t d = x.rank() - 1 - i;
    constexpr int64_t kMost = 1 << 28;
    bool fits = pad[2 * i] < kMost && pad[2 * i + 1] < kMost && pad[2 * i] > -kMost &&
                pad[2 * i + 1] > -kMost;
    // What is mirrored lies inside.
    fits = fits && (kind != 1 || (pad[2 * i] < x.sizes[d] && pad[2 * i + 1] < x.sizes[d]));
    fits = fits && (kind != 3 || (pad[2 * i] <= x.sizes[d] && pad[2 * i + 1] <= x.sizes[d]));
    fits = fits && (kind == 0 || (x.sizes[d] > 0 && pad[2 * i] >= 0 && pad[2 * i + 1] >= 0));
    if (!call.expect(fits, "its border is out of range")) {
      return;
    }
    before[d] = pad[2 * i];
    sizes[d] += pad[2 * i] + pad[2 * i + 1];
  }
  call.resize(out, sizes);
  const int64_t count = product_of(sizes);
  Parameters parameters;
  parameters.set(0, count).set(2, sizes).set(7, x.sizes).set(12, before);
  if (kind == 0) {
    set_scalar(call, parameters, 1, x, call.number_or(2, 0));
  }
  call.dispatch_elements(shader_for("pad", x), {call.out(out), call.in(0)}, parameters, count,
                         {static_cast<uint32_t>(kind), static_cast<uint32_t>(x.rank())});
}

void record_full(Call& call, int kind) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& y = call.output(out);
  const bool is_like = (kind & 1) != 0;
  call.resize(out, is_like ? call.tensor(0).sizes : call.integers(0));
  Parameters parameters;
  const int64_t count = y.numel();
  const double number = kind >= kOnesKind ? 1 : (kind >= kZerosKind ? 0 : call.number(1));
  set_scalar(call, parameters.set(0, count), 1, y, number);
  call.dispatch_elements(shader_for("fill", y), {call.out(out)}, parameters, count);
}

void record_arange(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& y = call.output(out);
  const double start = call.number_or(0, 0);
  const double end = call.number(1);
  const double step = call.number_or(2, 1);
  const double length = std::ceil((end - start) / (step == 0 ? 1 : step));
  if (!call.expect(step != 0 && length >= 0 && length <= INT32_MAX, "its range is no range")) {
    return;
  }
  call.resize(out, {static_cast<int64_t>(length)});
  Parameters parameters;
  const int64_t count = static_cast<int64_t>(length);
  set_scalar(call, parameters.set(0, count), 1, y, start);
  set_scalar(call, parameters, 2, y, step);
  call.dispatch_elements(shader_for("fill", y), {call.out(out)}, parameters, count);
}

void record_size(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  int64_t dim = call.integer(1);
  dim = dim < 0 ? dim + static_cast<int64_t>(x.rank()) : dim;
  if (call.expect(dim >= 0 && dim < static_cast<int64_t>(x.rank()),
                  "its dimension is out of range")) {
    call.set_integer(2, x.sizes[static_cast<size_t>(dim)]);
  }
}

void record_size_arithmetic(Call& call, int kind) {
  const int64_t a = call.integer(0);
  const int64_t b = call.integer(1);
  constexpr int64_t kMost = INT32_MAX;
  if (!call.expect(a >= -kMost && a <= kMost && b >= -kMost && b <= kMost && (kind != 3 || b != 0),
                   "a size is out of range")) {
    return;
  }
  const int64_t quotient = kind == 3 ? a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0) : 0;
  const int64_t results[] = {a + b, a - b, a * b, quotient};
  call.set_integer(2, results[kind]);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
