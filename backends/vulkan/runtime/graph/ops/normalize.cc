#include <algorithm>
#include <cmath>
#include <limits>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

constexpr size_t kReducedRank = 4;

/// A weight or bias of a norm: absent, or one of `count` elements of the tensor's type.
bool is_weight(Call& call, size_t i, int64_t count, const GraphTensor& x) {
  return call.is_none(i) ||
         call.expect(call.tensor(i).numel() == count && call.tensor(i).element() == x.element(),
                     "a weight has another size or type");
}

bool is_float(Call& call, const GraphTensor& x, const GraphTensor& y) {
  return call.expect(x.element() != Element::Int && x.element() == y.element(),
                     "its arguments are not of one type of floats");
}

bool has_one_output(Call& call, size_t out) {
  return call.expect(!call.is_read(out, 1) && !call.is_read(out, 2),
                     "only its first result is there");
}

/// The line of a dimension: elements of one line, and what lies between them.
bool describe_lines(Call& call, const GraphTensor& x, int64_t dim, int64_t& length,
                    int64_t& stride) {
  const int64_t rank = static_cast<int64_t>(x.rank());
  if (rank == 0) {
    length = stride = 1;
    return call.ok();
  }
  dim = dim < 0 ? dim + rank : dim;
  if (!call.expect(dim >= 0 && dim < rank, "its dimension is out of range")) {
    return false;
  }
  length = x.sizes[static_cast<size_t>(dim)];
  stride = product_of(x.sizes, static_cast<size_t>(dim) + 1, x.rank());
  return true;
}

/// Which dimensions go: all where none is named.
bool describe_gone(Call& call, const GraphTensor& x, const Sizes& dims, std::vector<bool>& gone) {
  const int64_t rank = static_cast<int64_t>(x.rank());
  gone.assign(x.rank(), dims.empty());
  for (const int64_t dim : dims) {
    const int64_t at = dim < 0 ? dim + rank : dim;
    if (rank == 0 && (at == 0 || at == -1)) {
      continue;
    }
    if (!call.expect(at >= 0 && at < rank, "its dimension is out of range")) {
      return false;
    }
    gone[static_cast<size_t>(at)] = true;
  }
  return call.ok();
}

void record_over(Call& call, const Sizes& dims, bool is_kept, const std::string& shader,
                 uint32_t code, bool is_mean) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  std::vector<bool> gone;
  if (!describe_gone(call, x, dims, gone)) {
    return;
  }
  const Sizes strides = strides_of(x.sizes);
  Sizes sizes;
  Box kept;
  Box reduced;
  kept.strides.resize(1);
  reduced.strides.resize(1);
  for (size_t d = 0; d < x.rank(); ++d) {
    Box& box = gone[d] ? reduced : kept;
    box.sizes.push_back(x.sizes[d]);
    box.strides[0].push_back(strides[d]);
    if (!gone[d] || is_kept) {
      sizes.push_back(gone[d] ? 1 : x.sizes[d]);
    }
  }
  call.resize(out, sizes);
  kept.collapse();
  reduced.collapse();
  const int64_t count = product_of(kept.sizes);
  const int64_t length = product_of(reduced.sizes);
  if (!call.expect(kept.sizes.size() <= kReducedRank && reduced.sizes.size() <= kReducedRank,
                   "it reduces over too many dimensions") ||
      !call.expect(length > 0, "it reduces nothing")) {
    return;
  }
  Parameters parameters;
  parameters.set(0, {count, length}).set(2, is_mean ? static_cast<float>(length) : 1.0f);
  parameters.set(4, kept.sizes).set(8, kept.strides[0]);
  parameters.set(12, reduced.sizes).set(16, reduced.strides[0]);
  call.dispatch_lines(shader, {call.out(out), call.in(0)}, parameters, count, length,
                      {code, static_cast<uint32_t>(kept.sizes.size()),
                       static_cast<uint32_t>(reduced.sizes.size())});
}

}  // namespace

void record_softmax(Call& call, int kind) {
  const GraphTensor& x = call.tensor(0);
  const size_t out = call.num_arguments() - 1;
  int64_t length = 0;
  int64_t stride = 0;
  if (!is_float(call, x, call.output(out)) ||
      !describe_lines(call, x, call.integer(1), length, stride)) {
    return;
  }
  call.resize(out, x.sizes);
  const int64_t lines = length > 0 ? x.numel() / length : 0;
  Parameters parameters;
  parameters.set(0, {lines, length, stride});
  call.dispatch_lines(shader_for("softmax", x), {call.out(out), call.in(0)}, parameters, lines,
                      length, {static_cast<uint32_t>(kind)});
}

void record_layer_norm(Call& call, int kind) {
  const bool is_square = kind == 1;
  const GraphTensor& x = call.tensor(0);
  const size_t out = call.num_arguments() - 1;
  const size_t eps = is_square ? 3 : 4;
  const int64_t length = product_of(call.integers(1));
  const int64_t kept =
      static_cast<int64_t>(x.rank()) - static_cast<int64_t>(call.integers(1).size());
  if (!call.expect(kept >= 0 && length > 0 &&
                       product_of(x.sizes, static_cast<size_t>(kept), x.rank()) == length,
                   "its shape is not that of the input's last dimensions") ||
      !is_float(call, x, call.output(out)) || !has_one_output(call, out) ||
      !is_weight(call, 2, length, x) || (!is_square && !is_weight(call, 3, length, x))) {
    return;
  }
  call.resize(out, x.sizes);
  const int64_t lines = x.numel() / length;
  const bool has_weight = !call.is_none(2);
  const bool has_bias = !is_square && !call.is_none(3);
  Parameters parameters;
  parameters.set(0, {lines, length});
  parameters.set(2, static_cast<float>(call.number_or(eps, 1e-6))).set(3, {1, length, 0});
  call.dispatch_lines(
      shader_for("norm", x),
      {call.out(out), call.in(0), call.in(has_weight ? 2 : 0), call.in(has_bias ? 3 : 0)},
      parameters, lines, length, {has_weight ? 1u : 0u, has_bias ? 1u : 0u, is_square ? 1u : 0u});
}

void record_group_norm(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const size_t out = call.num_arguments() - 1;
  const int64_t groups = call.integer(6);
  const int64_t channels = x.rank() > 1 ? x.sizes[1] : 0;
  if (!call.expect(groups > 0 && channels > 0 && channels % groups == 0 && x.numel() > 0,
                   "its channels do not divide into groups") ||
      !is_float(call, x, call.output(out)) || !has_one_output(call, out) ||
      !is_weight(call, 1, channels, x) || !is_weight(call, 2, channels, x)) {
    return;
  }
  call.resize(out, x.sizes);
  const int64_t lines = x.sizes[0] * groups;
  const int64_t length = x.numel() / lines;
  const int64_t plane = product_of(x.sizes, 2, x.rank());
  const bool has_weight = !call.is_none(1);
  const bool has_bias = !call.is_none(2);
  Parameters parameters;
  parameters.set(0, {lines, length});
  parameters.set(2, static_cast<float>(call.number(7)))
      .set(3, {plane, channels, channels / groups});
  call.dispatch_lines(
      shader_for("norm", x),
      {call.out(out), call.in(0), call.in(has_weight ? 1 : 0), call.in(has_bias ? 2 : 0)},
      parameters, lines, length, {has_weight ? 1u : 0u, has_bias ? 1u : 0u, 0u});
}

void record_batch_norm(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const size_t out = call.num_arguments() - 1;
  const int64_t channels = x.rank() > 1 ? x.sizes[1] : 0;
  if (!call.expect(channels > 0 && !call.is_none(3) && !call.is_none(4), "it has no statistics") ||
      !is_float(call, x, call.output(out)) || !has_one_output(call, out) ||
      !is_weight(call, 1, channels, x) || !is_weight(call, 2, channels, x) ||
      !is_weight(call, 3, channels, x) || !is_weight(call, 4, channels, x)) {
    return;
  }
  call.resize(out, x.sizes);
  const int64_t count = x.numel();
  const bool has_weight = !call.is_none(1);
  const bool has_bias = !call.is_none(2);
  Parameters parameters;
  parameters.set(0, {count, channels, product_of(x.sizes, 2, x.rank())});
  parameters.set(3, static_cast<float>(call.number(6)));
  call.dispatch_elements(shader_for("batch_norm", x),
                         {call.out(out), call.in(0), call.in(has_weight ? 1 : 0),
                          call.in(has_bias ? 2 : 0), call.in(3), call.in(4)},
                         parameters, count, {has_weight ? 1u : 0u, has_bias ? 1u : 0u});
}

void record_reduce(Call& call, int kind) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const bool is_mean = kind == kMeanKind;
  if (!call.expect(
          x.element() == call.output(out).element() && (!is_mean || x.element() != Element::Int),
          "its result has another type")) {
    return;
  }
  record_over(call, call.integers(1), call.integer(2) != 0, shader_for("reduce", x),
              is_mean ? 0u : static_cast<uint32_t>(kind), is_mean);
}

void record_arg_reduce(Call& call, int kind) {
  const GraphTensor& x = call.tensor(0);
  if (!call.expect(call.output(call.num_arguments() - 1).element() == Element::Int,
                   "its result has another type")) {
    return;
  }
  record_over(call, call.integers(1), call.integer(2) != 0, shader_for("reduce", x) + "_index",
              static_cast<uint32_t>(kind), false);
}

void record_cumsum(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const size_t out = call.num_arguments() - 1;
  int64_t length = 0;
  int64_t stride = 0;
  const bool is_whole = x.element() != Element::Int && call.output(out).element() == Element::Int;
  if (!call.expect(is_whole || x.element() == call.output(out).element(),
                   "its result has another type") ||
      !describe_lines(call, x, call.integer(1), length, stride)) {
    return;
  }
  call.resize(out, x.sizes);
  const int64_t lines = length > 0 ? x.numel() / length : 0;
  Parameters parameters;
  parameters.set(0, {lines, length, stride});
  call.dispatch_elements(shader_for("cumsum", x) + (is_whole ? "_whole" : ""),
                         {call.out(out), call.in(0)}, parameters, lines);
}

void record_topk(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 5;
  const GraphTensor& x = call.tensor(0);
  const int64_t count = call.integer(1);
  int64_t length = 0;
  int64_t stride = 0;
  if (!call.expect(x.rank() > 0, "it has no lines") ||
      !describe_lines(call, x, call.integer(2), length, stride) ||
      !call.expect(count >= 0 && count <= length, "it asks for more elements than there are")) {
    return;
  }
  const int64_t dim = call.integer(2);
  Sizes sizes = x.sizes;
  sizes[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(x.rank()) : dim)] = count;
  Buffer* written[2] = {nullptr, nullptr};
  for (size_t nth = 0; nth < 2; ++nth) {
    if (call.has_tensor(kOut, nth)) {
      call.resize(kOut, sizes, nth);
      const Element element = nth == 0 ? x.element() : Element::Int;
      (void)call.expect(call.output(kOut, nth).element() == element, "its result has another type");
      written[nth] = call.out(kOut, nth);
    }
  }
  const bool has[] = {written[0] != nullptr, written[1] != nullptr};
  Parameters parameters;
  parameters.set(0, {count > 0 ? x.numel() : 0, length, stride, count});
  call.set_num_written(2);
  call.dispatch_elements(shader_for("topk", x),
                         {written[has[0] ? 0 : 1], written[has[1] ? 1 : 0], call.in(0)}, parameters,
                         count > 0 ? x.numel() : 0,
                         {call.integer(3) != 0 ? 1u : 0u, has[0] ? 1u : 0u, has[1] ? 1u : 0u});
}

void record_histc(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 4;
  // As many as an invocation's group has counters for.
  constexpr int64_t kPart = 512;
  constexpr double kGreatest = std::numeric_limits<float>::max();
  const GraphTensor& x = call.tensor(0);
  const int64_t ranges = call.integer(1);
  const double least = call.number(2);
  const double most = call.number(3);
  const bool are_floats = std::fabs(least) <= kGreatest && std::fabs(most) <= kGreatest;
  const float low = are_floats ? static_cast<float>(least) : 0;
  const float high = are_floats ? static_cast<float>(most) : 0;
  if (!call.expect(ranges > 0 && low < high && std::isfinite(high - low), "its ranges are none") ||
      !call.expect(call.num_arguments() == kOut + 1 && x.element() != Element::Int &&
                       call.output(kOut).element() == x.element(),
                   "it counts floats only")) {
    return;
  }
  call.resize(kOut, {ranges});
  Parameters parameters;
  parameters.set(0, {ranges, x.numel()});
  parameters.set(2, low).set(3, high);
  call.dispatch_lines(shader_for("histc", x), {call.out(kOut), call.in(0)}, parameters,
                      (ranges + kPart - 1) / kPart, kPart);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
