#include <cmath>
#include <limits>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

/// What glsl/unary.glsl has for integers.
constexpr int kIntegerFunctions = 10;
constexpr int kClamp = 1;
constexpr int kIsFalse = 4;
constexpr int kInverted = 6;
constexpr int kIsTrue = 7;
constexpr int kGelu = 12;
constexpr int kGeluTanh = 13;
constexpr int kElu = 38;
/// Of glsl/binary.glsl.
constexpr int kFloorQuotient = 4;
constexpr int kWholeQuotient = 5;
constexpr int kRank = 6;
constexpr int kWhereRank = 5;

void record_function(Call& call, int code, Parameters parameters) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  call.resize(out, x.sizes);
  if (!call.expect(out > 0, "it has too few arguments") ||
      !call.expect(x.element() == call.output(out).element(), "its result has another type") ||
      !call.expect(x.element() != Element::Int || code < kIntegerFunctions,
                   "it takes no integers")) {
    return;
  }
  const int64_t count = x.numel();
  call.dispatch_elements(shader_for("unary", x), {call.out(out), call.in(0)},
                         parameters.set(0, count), count, {static_cast<uint32_t>(code)});
}

void set_number(Call& call, Parameters& parameters, size_t at, Element element, double value) {
  if (element != Element::Int) {
    parameters.set(at, static_cast<float>(value));
  } else if (call.expect(value == std::floor(value) && std::fabs(value) <= INT32_MAX,
                         "a number is none of the tensor's type")) {
    parameters.set(at, static_cast<int64_t>(value));
  }
}

}  // namespace

void record_unary(Call& call, int kind) { record_function(call, kind, {}); }

void record_bitwise_not(Call& call, int kind) {
  (void)kind;
  record_function(call, call.tensor(0).dtype == DType::Bool ? kIsFalse : kInverted, {});
}

void record_clamp(Call& call, int kind) {
  (void)kind;
  Parameters parameters;
  const bool is_int = call.tensor(0).element() == Element::Int;
  if (is_int) {
    parameters.set(
        1, static_cast<int64_t>(std::ceil(std::fmax(call.number_or(1, INT32_MIN), INT32_MIN))));
    parameters.set(
        2, static_cast<int64_t>(std::floor(std::fmin(call.number_or(2, INT32_MAX), INT32_MAX))));
  } else {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    parameters.set(1, static_cast<float>(call.number_or(1, -kInfinity)));
    parameters.set(2, static_cast<float>(call.number_or(2, kInfinity)));
  }
  record_function(call, kClamp, parameters);
}

void record_gelu(Call& call, int kind) {
  (void)kind;
  record_function(call, call.is_none(1) || call.text(1) != "tanh" ? kGelu : kGeluTanh, {});
}

void record_slope(Call& call, int kind) {
  Parameters parameters;
  parameters.set(1, static_cast<float>(call.number_or(1, 0.01)));
  record_function(call, kind, parameters);
}

void record_elu(Call& call, int kind) {
  (void)kind;
  Parameters parameters;
  parameters.set(1, static_cast<float>(call.number_or(2, 1)));
  parameters.set(2, static_cast<float>(call.number_or(1, 1)));
  parameters.set(3, static_cast<float>(call.number_or(3, 1)));
  record_function(call, kElu, parameters);
}

void record_rounded_quotient(Call& call, int kind) {
  (void)kind;
  const std::string mode = call.text(2);
  if (call.expect(mode == "floor" || mode == "trunc", "it rounds in no way that is known")) {
    record_binary(call, mode == "floor" ? kFloorQuotient : kWholeQuotient);
  }
}

void record_binary(Call& call, int kind) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& a = call.tensor(0);
  const bool is_number = !call.is_tensor(1);
  const GraphTensor& b = is_number ? a : call.tensor(1);
  const bool is_compared = (kind & kCompare) != 0;
  bool is_ok = false;
  const Sizes sizes = broadcast(a.sizes, b.sizes, is_ok);
  if (!call.expect(is_ok, "the shapes of its arguments do not broadcast") ||
      !call.expect(a.element() == b.element(), "its arguments have different types") ||
      !call.expect(call.output(out).element() == (is_compared ? Element::Int : a.element()),
                   "its result has another type")) {
    return;
  }
  call.resize(out, sizes);
  Parameters parameters;
  if (is_number) {
    set_number(call, parameters, 1, a.element(), call.number(1));
  }
  set_number(call, parameters, 2, a.element(),
             (kind & kHasAlpha) != 0 && out > 2 ? call.number_or(2, 1) : 1);
  Box box = {sizes,
             {strides_of(sizes), strides_over(a.sizes, sizes), strides_over(b.sizes, sizes)}};
  box.collapse();
  const bool is_plain = box.strides[0] == box.strides[1] && box.strides[0] == box.strides[2];
  if (!call.expect(is_plain || box.sizes.size() <= kRank,
                   "it broadcasts over too many dimensions")) {
    return;
  }
  if (!is_plain) {
    parameters.set(4, box.sizes).set(10, box.strides[1]).set(16, box.strides[2]);
  }
  const int64_t count = product_of(sizes);
  const std::string shader = shader_for("binary", a) + (is_compared ? "_compare" : "");
  call.dispatch_elements(
      shader, {call.out(out), call.in(0), call.in(is_number ? 0 : 1)}, parameters.set(0, count),
      count,
      {static_cast<uint32_t>(kind & (kCompare - 1)),
       is_plain ? 0 : static_cast<uint32_t>(box.sizes.size()), is_number ? 1u : 0u});
}

void record_where(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& type = call.output(out);
  const bool has_a = call.is_tensor(1);
  const bool has_b = call.is_tensor(2);
  Sizes sizes = call.tensor(0).sizes;
  bool is_ok = call.tensor(0).element() == Element::Int;
  Parameters parameters;
  for (size_t i = 1; i <= 2; ++i) {
    if (call.is_tensor(i)) {
      bool fits = false;
      sizes = broadcast(sizes, call.tensor(i).sizes, fits);
      is_ok = is_ok && fits && call.tensor(i).element() == type.element();
    } else {
      set_number(call, parameters, i, type.element(), call.number(i));
    }
  }
  if (!call.expect(is_ok, "its arguments do not broadcast, or are of different types")) {
    return;
  }
  call.resize(out, sizes);
  const auto over = [&](size_t i) {
    return call.is_tensor(i) ? strides_over(call.tensor(i).sizes, sizes) : Sizes(sizes.size(), 0);
  };
  Box box = {sizes, {over(0), over(1), over(2)}};
  box.collapse();
  if (!call.expect(box.sizes.size() <= kWhereRank, "it broadcasts over too many dimensions")) {
    return;
  }
  parameters.set(4, box.sizes)
      .set(9, box.strides[0])
      .set(14, box.strides[1])
      .set(19, box.strides[2]);
  const int64_t count = product_of(sizes);
  Buffer* const condition = call.in(0);
  // What is a number is read from nowhere; something must be bound.
  Buffer* const a = has_a ? call.in(1) : condition;
  Buffer* const b = has_b ? call.in(2) : condition;
  call.dispatch_elements(
      shader_for("where", type), {call.out(out), condition, a, b}, parameters.set(0, count), count,
      {static_cast<uint32_t>(box.sizes.size()), (has_a ? 0u : 1u) | (has_b ? 0u : 2u)});
}

void record_convert(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& y = call.output(out);
  const bool is_truth = y.dtype == DType::Bool && x.dtype != DType::Bool;
  if (x.element() == y.element()) {
    if (is_truth) {
      record_function(call, kIsTrue, {});
    } else {
      record_view(call, 0);
    }
    return;
  }
  call.resize(out, x.sizes);
  const int64_t count = x.numel();
  Parameters parameters;
  parameters.set(0, count).set(1, static_cast<int64_t>(is_truth));
  call.dispatch_elements(
      std::string("convert_") + name_of(x.element()) + "_" + name_of(y.element()),
      {call.out(out), call.in(0)}, parameters, count);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
