#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

constexpr size_t kRank = 6;

/// Copies a box of `from`, the strides of which come last, to the place of it in `to`.
void record_copy(Call& call, const GraphTensor& type, Buffer* to, Buffer* from, Box box,
                 int64_t at_to, int64_t at_from) {
  const bool is_byte = type.element() == Element::Byte;
  const bool is_whole = at_to == 0 && box.strides[0] == strides_of(box.sizes);
  box.collapse();
  if (!call.expect(box.sizes.size() <= kRank, "it moves over too many dimensions") ||
      !call.expect(!is_byte || is_whole, "it moves int8 to parts of its result")) {
    return;
  }
  const int64_t count = product_of(box.sizes);
  Parameters parameters;
  parameters.set(0, {count, at_to, at_from});
  parameters.set(4, box.sizes).set(10, box.strides[0]).set(16, box.strides[1]);
  call.dispatch_elements(shader_for("copy", type), {to, from}, parameters,
                         is_byte ? words_of(count) : count,
                         {static_cast<uint32_t>(box.sizes.size())});
}

bool is_same_type(Call& call, size_t out) {
  return call.expect(call.tensor(0).element() == call.output(out).element(),
                     "its result has another type");
}

bool is_dimension(Call& call, const GraphTensor& x, int64_t& dim) {
  const int64_t rank = static_cast<int64_t>(x.rank());
  dim = dim < 0 ? dim + rank : dim;
  return call.expect(dim >= 0 && dim < rank, "its dimension is out of range");
}

/// The sizes of a view: of its second argument, or as the kind of it says.
Sizes view_sizes(Call& call, int kind) {
  const GraphTensor& x = call.tensor(0);
  Sizes sizes = x.sizes;
  if (kind == kViewKind) {
    sizes = call.integers(1);
    int64_t known = 1;
    for (const int64_t size : sizes) {
      // As wide as the input, at most: what it grows to is compared below.
      known =
          size > 0 && known <= INT32_MAX ? known * (size < INT32_MAX ? size : INT32_MAX) : known;
    }
    for (int64_t& size : sizes) {
      size = size == -1 ? x.numel() / known : size;
    }
  } else if (kind == kUnsqueezeKind) {
    int64_t dim = call.integer(1);
    dim = dim < 0 ? dim + static_cast<int64_t>(x.rank()) + 1 : dim;
    if (call.expect(dim >= 0 && dim <= static_cast<int64_t>(x.rank()),
                    "its dimension is out of range")) {
      sizes.insert(sizes.begin() + dim, 1);
    }
  } else if (kind == kSqueezeKind) {
    std::vector<bool> goes(x.rank(), false);
    for (int64_t dim : call.integers(1)) {
      if (is_dimension(call, x, dim)) {
        goes[static_cast<size_t>(dim)] = x.sizes[static_cast<size_t>(dim)] == 1;
      }
    }
    sizes.clear();
    for (size_t d = 0; d < x.rank(); ++d) {
      if (!goes[d]) {
        sizes.push_back(x.sizes[d]);
      }
    }
  }
  return sizes;
}

}  // namespace

void record_view(Call& call, int kind) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const Sizes sizes = view_sizes(call, kind);
  call.take_bytes();
  if (!is_same_type(call, out)) {
    return;
  }
  call.resize(out, sizes);
  if (!call.expect(call.output(out).numel() == x.numel(), "its sizes do not fit") ||
      call.is_alias(0, out)) {
    return;
  }
  const int64_t count = x.numel();
  record_copy(call, x, call.out(out), call.in(0), {{count}, {{1}, {1}}}, 0, 0);
}

void record_permute(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  Sizes dims = call.integers(1);
  std::vector<bool> seen(x.rank(), false);
  bool is_ok = dims.size() == x.rank();
  for (int64_t& dim : dims) {
    is_ok = is_ok && is_dimension(call, x, dim) && !seen[static_cast<size_t>(dim)];
    if (is_ok) {
      seen[static_cast<size_t>(dim)] = true;
    }
  }
  call.take_bytes();
  if (!call.expect(is_ok, "its dimensions are no permutation") || !is_same_type(call, out)) {
    return;
  }
  const Sizes strides = strides_of(x.sizes);
  Sizes sizes;
  Sizes from;
  for (const int64_t dim : dims) {
    sizes.push_back(x.sizes[static_cast<size_t>(dim)]);
    from.push_back(strides[static_cast<size_t>(dim)]);
  }
  call.resize(out, sizes);
  record_copy(call, x, call.out(out), call.in(0), {sizes, {strides_of(sizes), from}}, 0, 0);
}

void record_expand(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  Sizes sizes = call.integers(1);
  bool is_ok = sizes.size() >= x.rank();
  for (size_t d = 0; is_ok && d < sizes.size(); ++d) {
    const size_t before = sizes.size() - x.rank();
    const int64_t own = d < before ? 1 : x.sizes[d - before];
    sizes[d] = sizes[d] == -1 ? own : sizes[d];
    is_ok = own == sizes[d] || own == 1;
  }
  if (!call.expect(is_ok, "its sizes do not fit") || !is_same_type(call, out)) {
    return;
  }
  call.resize(out, sizes);
  record_copy(call, x, call.out(out), call.in(0),
              {sizes, {strides_of(sizes), strides_over(x.sizes, sizes)}}, 0, 0);
}

void record_repeat(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const Sizes repeats = call.integers(1);
  if (!call.expect(repeats.size() >= x.rank(), "it has too few repeats") ||
      !is_same_type(call, out)) {
    return;
  }
  const Sizes own = strides_of(x.sizes);
  Sizes sizes;
  Sizes split;
  Sizes strides;
  for (size_t d = 0; d < repeats.size(); ++d) {
    const size_t before = repeats.size() - x.rank();
    const int64_t size = d < before ? 1 : x.sizes[d - before];
    if (!call.expect(repeats[d] >= 0 && repeats[d] <= INT32_MAX, "a repeat is out of range")) {
      return;
    }
    sizes.push_back(repeats[d] * size);
    split.insert(split.end(), {repeats[d], size});
    strides.insert(strides.end(), {0, d < before ? 0 : own[d - before]});
  }
  call.resize(out, sizes);
  record_copy(call, x, call.out(out), call.in(0), {split, {strides_of(split), strides}}, 0, 0);
}

void record_cat(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const std::vector<uint32_t> parts = call.list(0);
  const GraphTensor& whole = call.output(out);
  int64_t dim = call.integer(1);
  Sizes sizes;
  for (const uint32_t part : parts) {
    const GraphTensor& x = call.value_tensor(part);
    if (x.rank() == 1 && x.numel() == 0) {
      continue;
    }
    if (!is_dimension(call, x, dim) ||
        !call.expect(sizes.empty() || sizes.size() == x.rank(), "its parts have different ranks") ||
        !call.expect(x.element() == whole.element(), "its parts have different types")) {
      return;
    }
    for (size_t d = 0; !sizes.empty() && d < x.rank(); ++d) {
      const bool fits = d == static_cast<size_t>(dim) || x.sizes[d] == sizes[d];
      if (!call.expect(fits, "the shapes of its parts do not fit")) {
        return;
      }
    }
    if (sizes.empty()) {
      sizes = x.sizes;
    } else {
      sizes[static_cast<size_t>(dim)] += x.sizes[static_cast<size_t>(dim)];
    }
  }
  call.resize(out, sizes);
  if (!call.ok()) {
    return;
  }
  const Sizes strides = strides_of(sizes);
  int64_t at = 0;
  for (const uint32_t part : parts) {
    const GraphTensor& x = call.value_tensor(part);
    if (x.numel() > 0) {
      record_copy(call, x, call.out(out), call.in_list(part),
                  {x.sizes, {strides, strides_of(x.sizes)}}, at, 0);
      at += x.sizes[static_cast<size_t>(dim)] * strides[static_cast<size_t>(dim)];
    }
  }
}

void record_slice(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  int64_t dim = call.integer_or(1, 0);
  if (!is_dimension(call, x, dim) || !is_same_type(call, out)) {
    return;
  }
  const size_t d = static_cast<size_t>(dim);
  const auto within = [&](int64_t place) {
    place = place < 0 ? place + x.sizes[d] : place;
    return place < 0 ? 0 : (place > x.sizes[d] ? x.sizes[d] : place);
  };
  const int64_t begin = within(call.integer_or(2, 0));
  const int64_t end = within(call.integer_or(3, INT64_MAX));
  const int64_t step = call.integer_or(4, 1);
  if (!call.expect(step > 0 && step <= INT32_MAX, "its step is out of range")) {
    return;
  }
  Sizes sizes = x.sizes;
  Sizes strides = strides_of(x.sizes);
  sizes[d] = end > begin ? (end - begin + step - 1) / step : 0;
  const int64_t offset = begin * strides[d];
  strides[d] *= step;
  call.resize(out, sizes);
  record_copy(call, x, call.out(out), call.in(0), {sizes, {strides_of(sizes), strides}}, 0, offset);
}

void record_split(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const Sizes parts = call.integers(1);
  int64_t dim = call.integer(2);
  if (!is_dimension(call, x, dim)) {
    return;
  }
  const size_t d = static_cast<size_t>(dim);
  const Sizes strides = strides_of(x.sizes);
  int64_t begin = 0;
  for (size_t nth = 0; nth < parts.size(); ++nth) {
    if (!call.expect(parts[nth] >= 0 && parts[nth] <= x.sizes[d] - begin,
                     "its parts are larger than the whole")) {
      return;
    }
    Sizes sizes = x.sizes;
    sizes[d] = parts[nth];
    if (call.has_tensor(out, nth) && parts[nth] > 0) {
      call.resize(out, sizes, nth);
      if (!call.expect(call.output(out, nth).element() == x.element(),
                       "its result has another type")) {
        return;
      }
      record_copy(call, x, call.out(out, nth), call.in(0), {sizes, {strides_of(sizes), strides}}, 0,
                  begin * strides[d]);
    }
    begin += parts[nth];
  }
}

void record_select(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  int64_t dim = call.integer(1);
  int64_t index = call.integer(2);
  if (!is_dimension(call, x, dim) || !is_same_type(call, 3)) {
    return;
  }
  const size_t d = static_cast<size_t>(dim);
  index = index < 0 ? index + x.sizes[d] : index;
  if (!call.expect(index >= 0 && index < x.sizes[d], "its index is out of range")) {
    return;
  }
  Sizes sizes = x.sizes;
  Sizes strides = strides_of(x.sizes);
  const int64_t offset = index * strides[d];
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  call.resize(3, sizes);
  record_copy(call, x, call.out(3), call.in(0), {sizes, {strides_of(sizes), strides}}, 0, offset);
}

void record_flip(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  Sizes strides = strides_of(x.sizes);
  int64_t offset = 0;
  for (int64_t dim : call.integers(1)) {
    if (!is_dimension(call, x, dim) ||
        !call.expect(strides[static_cast<size_t>(dim)] > 0, "a dimension is named twice")) {
      return;
    }
    const size_t d = static_cast<size_t>(dim);
    offset += (x.sizes[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  if (!is_same_type(call, 2)) {
    return;
  }
  call.resize(2, x.sizes);
  record_copy(call, x, call.out(2), call.in(0), {x.sizes, {strides_of(x.sizes), strides}}, 0,
              offset);
}

void record_unfold(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  int64_t dim = call.integer(1);
  const int64_t size = call.integer(2);
  const int64_t step = call.integer(3);
  if (!is_dimension(call, x, dim) || !is_same_type(call, out)) {
    return;
  }
  const size_t at = static_cast<size_t>(dim);
  if (!call.expect(size > 0 && size <= x.sizes[at] && step > 0, "its windows are out of range")) {
    return;
  }
  Sizes sizes = x.sizes;
  Sizes from = strides_of(x.sizes);
  sizes[at] = (sizes[at] - size) / step + 1;
  sizes.push_back(size);
  from.push_back(from[at]);
  // Where there is one window, nothing is stepped over.
  from[at] = sizes[at] > 1 ? from[at] * step : 0;
  call.resize(out, sizes);
  record_copy(call, x, call.out(out), call.in(0), {sizes, {strides_of(sizes), from}}, 0, 0);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
