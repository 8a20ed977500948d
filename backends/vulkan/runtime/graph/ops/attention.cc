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

/// Whether pairs of `x` can be turned by the tables `cosines` and the one behind it.
bool turns(Call& call, size_t x, size_t cosines, const GraphTensor& out) {
  const GraphTensor& given = call.tensor(x);
  const GraphTensor& table = call.tensor(cosines);
  return given.rank() == 4 && table.rank() == 2 && call.tensor(cosines + 1).sizes == table.sizes &&
         given.sizes[3] == 2 * table.sizes[1] && given.sizes[1] <= table.sizes[0] &&
         given.element() != Element::Int && table.element() == given.element() &&
         call.tensor(cosines + 1).element() == given.element() && out.element() == given.element();
}

void record_turned(Call& call, size_t x, size_t cosines, Buffer* out, const Live& start) {
  const GraphTensor& given = call.tensor(x);
  const int64_t pairs = given.numel() / 2;
  Parameters parameters;
  parameters.set(0, {pairs, given.sizes[1], given.sizes[2], given.sizes[3] / 2, start.fixed});
  Buffer* const from = call.in(x);
  call.dispatch_elements(
      shader_for("rotary_embedding", given),
      {out, from, call.in(cosines), call.in(cosines + 1), start.buffer ? start.buffer : from},
      parameters, pairs, {flag(start.buffer != nullptr)});
}

struct Attention {
  size_t out;
  bool is_of_bytes, has_mask;
};

/// Whether shapes of queries, caches and mask go together.
bool has_shapes(Call& call, const Attention& at) {
  const GraphTensor& q = call.tensor(0);
  const GraphTensor& k = call.tensor(1);
  const bool fits = q.rank() == 4 && k.rank() == 4 && call.tensor(2).sizes == k.sizes &&
                    q.sizes[0] == k.sizes[0] && q.sizes[3] == k.sizes[3] && q.sizes[3] > 0 &&
                    q.sizes[3] % 4 == 0 && q.sizes[3] <= kLongestHead && k.sizes[2] > 0 &&
                    q.sizes[2] % k.sizes[2] == 0;
  return fits && (at.has_mask ? call.tensor(4).sizes == Sizes{q.sizes[1], k.sizes[1]}
                              : q.sizes[1] <= k.sizes[1]);
}

/// Whether there is a zero point and a scale for each token of each head of three tensors.
bool has_factors(Call& call) {
  bool fits = call.integer(14) == 0;
  for (size_t nth = 0; nth < 3 && fits; ++nth) {
    Sizes sizes = call.tensor(nth).sizes;
    sizes.back() = 1;
    const GraphTensor& zeros = call.tensor(8 + 2 * nth);
    const GraphTensor& scales = call.tensor(9 + 2 * nth);
    fits = zeros.sizes == sizes && scales.sizes == sizes && zeros.element() == Element::Byte &&
           scales.element() == Element::Float;
  }
  return fits;
}

bool has_types(Call& call, const Attention& at) {
  const Element of_result = call.output(at.out).element();
  const Element given = at.is_of_bytes ? Element::Byte : of_result;
  bool fits = of_result == Element::Float || of_result == Element::Half;
  for (size_t nth = 0; nth < 3; ++nth) {
    fits = fits && call.tensor(nth).element() == given;
  }
  return fits && (!at.has_mask || call.tensor(4).element() == of_result) &&
         (!at.is_of_bytes || has_factors(call));
}

}  // namespace

void record_nothing(Call& call, int kind) {
  (void)call;
  (void)kind;
}

void record_update_cache(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& cache = call.tensor(1);
  const bool is_byte = x.element() == Element::Byte;
  const bool fits = x.rank() == 4 && cache.rank() == 4 && x.sizes[0] == cache.sizes[0] &&
                    x.sizes[1] <= cache.sizes[1] && x.sizes[2] == cache.sizes[2] &&
                    x.sizes[3] == cache.sizes[3] && x.element() == cache.element();
  if (!call.expect(call.num_arguments() == 4 && call.is_same(1, 3),
                   "it writes elsewhere than to its cache") ||
      !call.expect(fits, "its values do not fit its cache")) {
    return;
  }
  const int64_t position = x.sizes[2] * x.sizes[3];
  const int64_t values = x.sizes[1] * position;
  const int64_t words = words_of(values) + 1;
  if (is_byte) {
    call.take_bytes();
    (void)call.expect(x.sizes[0] == 1 || cache.sizes[1] * position % kWord == 0,
                      "its batches do not begin with words");
  }
  const Live start = call.live(2, cache.sizes[1] - x.sizes[1]);
  Parameters parameters;
  parameters.set(0, {values, cache.sizes[1] * position, position, start.fixed, x.sizes[0], words});
  call.dispatch_elements(shader_for("update_cache", x),
                         {call.out(3), call.in(0), start.buffer ? start.buffer : call.in(0)},
                         parameters, is_byte ? words * x.sizes[0] : x.numel(),
                         {flag(start.buffer != nullptr)});
}

void record_attention(Call& call, int kind) {
  const bool is_of_bytes = kind == kOfBytes;
  const Attention at = {is_of_bytes ? size_t(15) : size_t(8), is_of_bytes, !call.is_none(4)};
  const GraphTensor& q = call.tensor(0);
  const GraphTensor& k = call.tensor(1);
  if (!call.expect(call.num_arguments() == at.out + 1, "it has another number of arguments") ||
      !call.expect(has_shapes(call, at), "the shapes of its arguments do not fit") ||
      !call.expect(has_types(call, at), "its arguments have other types")) {
    return;
  }
  if (is_of_bytes) {
    call.take_bytes();
  }
  call.resize(at.out, q.sizes);
  const Live start = at.has_mask ? Live() : call.live(3, k.sizes[1] - q.sizes[1]);
  Parameters parameters;
  parameters.set(0, {q.sizes[1], q.sizes[2], k.sizes[2], q.sizes[3], k.sizes[1], start.fixed});
  parameters.set(
      6, static_cast<float>(call.number_or(7, 1 / std::sqrt(static_cast<double>(q.sizes[3])))));
  const bool is_causal = !at.has_mask && call.integer(6) != 0;
  Buffer* const query = call.in(0);
  Buffers buffers = {call.out(at.out),
                     query,
                     call.in(1),
                     call.in(2),
                     start.buffer ? start.buffer : query,
                     at.has_mask ? call.in(4) : query};
  for (size_t i = 8; is_of_bytes && i < 14; ++i) {
    buffers.push_back(call.in(i));
  }
  call.dispatch_grid(shader_for("attention", call.output(at.out)) + (is_of_bytes ? "_q8" : ""),
                     buffers, parameters, q.sizes[1] * kLanes, q.sizes[2], q.sizes[0],
                     {flag(start.buffer != nullptr), flag(is_causal), flag(at.has_mask)});
}

void record_rotary_embedding(Call& call, int kind) {
  (void)kind;
  if (call.expect(call.num_arguments() == 5 && turns(call, 0, 1, call.output(4)),
                  "the shapes or types of its arguments do not fit")) {
    const Live start = call.live(3, call.tensor(1).sizes[0] - call.tensor(0).sizes[1]);
    call.resize(4, call.tensor(0).sizes);
    record_turned(call, 0, 1, call.out(4), start);
  }
}

void record_rotary_pair(Call& call, int kind) {
  (void)kind;
  for (size_t nth = 0; nth < 2 && call.ok(); ++nth) {
    if (call.expect(call.num_arguments() == 5 && turns(call, nth, 2, call.output(4, nth)),
                    "the shapes or types of its arguments do not fit")) {
      call.resize(4, call.tensor(nth).sizes, nth);
      record_turned(call, nth, 2, call.out(4, nth), Live());
    }
  }
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
