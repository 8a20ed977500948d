#include <cmath>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

// What language models keep of the past, and read.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

/// Of glsl/attention.glsl: invocations of a group, and the longest head.
constexpr int64_t kLanes = 64;
constexpr int64_t kLongestHead = 4 * kLanes;

uint32_t flag(bool is_set) { return is_set ? 1u : 0u; }

}  // namespace

void record_nothing(Call& call, int kind) {
  (void)call;
  (void)kind;
}

void record_update_cache(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& cache = call.tensor(1);
  const bool fits = x.rank() == 4 && cache.rank() == 4 && x.sizes[0] == cache.sizes[0] &&
                    x.sizes[1] <= cache.sizes[1] && x.sizes[2] == cache.sizes[2] &&
                    x.sizes[3] == cache.sizes[3] && x.element() == cache.element();
  if (!call.expect(call.num_arguments() == 4 && call.is_same(1, 3),
                   "it writes elsewhere than to its cache") ||
      !call.expect(fits, "its values do not fit its cache")) {
    return;
  }
  const Live start = call.live(2, cache.sizes[1] - x.sizes[1]);
  const int64_t position = x.sizes[2] * x.sizes[3];
  Parameters parameters;
  parameters.set(
      0, {x.sizes[1] * position, cache.sizes[1] * position, position, start.fixed, x.sizes[0]});
  call.dispatch_elements(shader_for("update_cache", x),
                         {call.out(3), call.in(0), start.buffer ? start.buffer : call.in(0)},
                         parameters, x.numel(), {flag(start.buffer != nullptr)});
}

void record_attention(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 8;
  const GraphTensor& q = call.tensor(0);
  const GraphTensor& k = call.tensor(1);
  const GraphTensor& v = call.tensor(2);
  const bool has_mask = !call.is_none(4);
  bool fits = q.rank() == 4 && k.rank() == 4 && v.sizes == k.sizes && q.sizes[0] == k.sizes[0] &&
              q.sizes[3] == k.sizes[3] && q.sizes[3] > 0 && q.sizes[3] % 4 == 0 &&
              q.sizes[3] <= kLongestHead && k.sizes[2] > 0 && q.sizes[2] % k.sizes[2] == 0;
  fits = fits && (!has_mask || call.tensor(4).sizes == Sizes{q.sizes[1], k.sizes[1]});
  fits = fits && (has_mask || q.sizes[1] <= k.sizes[1]);
  const bool is_float = q.element() != Element::Int && k.element() == q.element() &&
                        v.element() == q.element() &&
                        (!has_mask || call.tensor(4).element() == q.element());
  if (!call.expect(call.num_arguments() == kOut + 1, "it has another number of arguments") ||
      !call.expect(fits, "the shapes of its arguments do not fit") ||
      !call.expect(is_float && call.output(kOut).element() == q.element(),
                   "its arguments are not of one type of floats")) {
    return;
  }
  call.resize(kOut, q.sizes);
  const Live start = has_mask ? Live() : call.live(3, k.sizes[1] - q.sizes[1]);
  Parameters parameters;
  parameters.set(0, {q.sizes[1], q.sizes[2], k.sizes[2], q.sizes[3], k.sizes[1], start.fixed});
  parameters.set(
      6, static_cast<float>(call.number_or(7, 1 / std::sqrt(static_cast<double>(q.sizes[3])))));
  const bool is_causal = !has_mask && call.integer(6) != 0;
  Buffer* const query = call.in(0);
  call.dispatch_grid(shader_for("attention", q),
                     {call.out(kOut), query, call.in(1), call.in(2),
                      start.buffer ? start.buffer : query, has_mask ? call.in(4) : query},
                     parameters, q.sizes[1] * kLanes, q.sizes[2], q.sizes[0],
                     {flag(start.buffer != nullptr), flag(is_causal), flag(has_mask)});
}

void record_rotary_embedding(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& cosines = call.tensor(1);
  const GraphTensor& sines = call.tensor(2);
  const bool fits = x.rank() == 4 && cosines.rank() == 2 && sines.sizes == cosines.sizes &&
                    x.sizes[3] == 2 * cosines.sizes[1] && x.sizes[1] <= cosines.sizes[0];
  const bool is_float = x.element() != Element::Int && cosines.element() == x.element() &&
                        sines.element() == x.element() && call.output(4).element() == x.element();
  if (!call.expect(call.num_arguments() == 5 && fits, "the shapes of its arguments do not fit") ||
      !call.expect(is_float, "its arguments are not of one type of floats")) {
    return;
  }
  call.resize(4, x.sizes);
  const Live start = call.live(3, cosines.sizes[0] - x.sizes[1]);
  const int64_t pairs = x.numel() / 2;
  Parameters parameters;
  parameters.set(0, {pairs, x.sizes[1], x.sizes[2], x.sizes[3] / 2, start.fixed});
  call.dispatch_elements(
      shader_for("rotary_embedding", x),
      {call.out(4), call.in(0), call.in(1), call.in(2), start.buffer ? start.buffer : call.in(0)},
      parameters, pairs, {flag(start.buffer != nullptr)});
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
