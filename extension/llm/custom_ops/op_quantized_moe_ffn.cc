#include <cstring>

#include <executorch/extension/llm/custom_ops/op_quantized_moe_ffn.h>
#include <executorch/extension/llm/custom_ops/operands.h>
#include <executorch/extension/llm/custom_ops/weight_4w.h>
#include <executorch/kernels/portable/cpu/internal/gemm.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

/// Tokens that are routed at once: what is kept of them in between is bounded.
constexpr size_t kTokens = 128;

/// Sizes that operands are checked against; larger ones would overflow products of them.
constexpr int64_t kMost = int64_t{1} << 24;

/// What is added to a sum that may be zero, as in eager mode.
constexpr float kTiny = 1e-20f;

/// One call; sizes and operands as in the header.
struct Mixture {
  const float* x;
  const float* gate;
  const float* bias;  // null: none
  const uint8_t* w13;
  const uint8_t* w2;
  size_t experts;
  size_t chosen;
  size_t dim;
  size_t hidden;
  size_t group;
  bool is_sigmoid;
  float scale;
  float* out;
};

/// What is kept of some tokens.
struct Room {
  float* ratings;    // [tokens, experts]
  float* weights;    // [tokens, experts]: what an expert counts, of those chosen; the rest unset
  bool* is_chosen;   // [tokens, experts]
  size_t* of_one;    // [tokens]: those that an expert has
  float* rows;       // [tokens, dim]: inputs of an expert, and then its results
  float* inner;      // [tokens, 2 hidden]
  float* activated;  // [tokens, hidden]
};

size_t blocks_of(size_t columns) { return (columns + kColumns4w - 1) / kColumns4w; }

/// Bytes of the lines of a packed weight, which scales are behind. Sizes that are not checked yet
/// overflow no 64 bits.
uint64_t line_bytes(size_t columns, size_t depth) {
  return uint64_t{blocks_of(columns)} * depth * kBytes4w;
}

uint64_t packed_bytes(size_t columns, size_t depth, size_t group) {
  return line_bytes(columns, depth) +
         uint64_t{blocks_of(columns)} * (depth / group) * kColumns4w * sizeof(float);
}

/// The weight of one expert.
Weight4w weight_of(const uint8_t* packed, size_t expert, size_t columns, size_t depth,
                   size_t group) {
  const size_t size = static_cast<size_t>(packed_bytes(columns, depth, group));
  const uint8_t* const bytes = packed + expert * size;
  const void* const scales = bytes + static_cast<size_t>(line_bytes(columns, depth));
  return {bytes, static_cast<const float*>(scales), depth, depth / group, group};
}

/// The experts of one token: those with the largest keys, of equal ones the first; NaN is largest.
void choose(const Mixture& mixture, const float* ratings, bool* is_chosen) {
  std::memset(is_chosen, 0, mixture.experts * sizeof(bool));
  const auto key = [&](size_t e) {
    return mixture.bias == nullptr ? ratings[e] : ratings[e] + mixture.bias[e];
  };
  for (size_t i = 0; i < mixture.chosen; ++i) {
    size_t best = mixture.experts;
    for (size_t e = 0; e < mixture.experts; ++e) {
      if (!is_chosen[e] && (best == mixture.experts || key(e) > key(best) ||
                            (key(e) != key(e) && key(best) == key(best)))) {
        best = e;
      }
    }
    is_chosen[best] = true;
  }
}

/// What the chosen experts of one token count.
void weigh(const Mixture& mixture, const float* ratings, const bool* is_chosen, float* weights) {
  float most = 0.0f;
  bool any = false;
  for (size_t e = 0; e < mixture.experts; ++e) {
    if (is_chosen[e] && (!any || ratings[e] > most)) {
      most = ratings[e];
      any = true;
    }
  }
  float sum = 0.0f;
  for (size_t e = 0; e < mixture.experts; ++e) {
    if (is_chosen[e]) {
      weights[e] = mixture.is_sigmoid ? ratings[e] : util::fast_exp(ratings[e] - most);
      sum += weights[e];
    }
  }
  const float factor = mixture.is_sigmoid ? mixture.scale / (sum + kTiny) : 1.0f / sum;
  for (size_t e = 0; e < mixture.experts; ++e) {
    if (is_chosen[e]) {
      weights[e] *= factor;
    }
  }
}

void route(const Mixture& mixture, const float* x, size_t tokens, const Room& room) {
  const ptrdiff_t dim = static_cast<ptrdiff_t>(mixture.dim);
  const ptrdiff_t experts = static_cast<ptrdiff_t>(mixture.experts);
  util::gemm_strided(util::Compute::kFloat, tokens, mixture.experts, mixture.dim,
                     {x, ScalarType::Float, dim, 1}, {mixture.gate, ScalarType::Float, 1, dim},
                     {room.ratings, ScalarType::Float, experts, 1});
  for (size_t t = 0; t < tokens; ++t) {
    float* const ratings = room.ratings + t * mixture.experts;
    for (size_t e = 0; mixture.is_sigmoid && e < mixture.experts; ++e) {
      ratings[e] = util::fast_sigmoid(ratings[e]);
    }
    bool* const is_chosen = room.is_chosen + t * mixture.experts;
    choose(mixture, ratings, is_chosen);
    weigh(mixture, ratings, is_chosen, room.weights + t * mixture.experts);
  }
}

/// Adds what one expert gives for the tokens that it has.
void add_expert(const Mixture& mixture, size_t expert, const float* x, size_t tokens,
                const Room& room, float* out) {
  const size_t dim = mixture.dim;
  const size_t hidden = mixture.hidden;
  size_t count = 0;
  for (size_t t = 0; t < tokens; ++t) {
    if (room.is_chosen[t * mixture.experts + expert]) {
      std::memcpy(room.rows + count * dim, x + t * dim, dim * sizeof(float));
      room.of_one[count++] = t;
    }
  }
  if (count == 0) {
    return;
  }
  const Weight4w w13 = weight_of(mixture.w13, expert, 2 * hidden, dim, mixture.group);
  multiply_4w(w13, room.rows, count, 2 * hidden, room.inner);
  for (size_t i = 0; i < count; ++i) {
    const float* const gate = room.inner + i * 2 * hidden;
    float* const to = room.activated + i * hidden;
    for (size_t j = 0; j < hidden; ++j) {
      to[j] = gate[j] * util::fast_sigmoid(gate[j]) * gate[hidden + j];
    }
  }
  const Weight4w w2 = weight_of(mixture.w2, expert, dim, hidden, mixture.group);
  multiply_4w(w2, room.activated, count, dim, room.rows);
  for (size_t i = 0; i < count; ++i) {
    const float weight = room.weights[room.of_one[i] * mixture.experts + expert];
    float* const to = out + room.of_one[i] * dim;
    for (size_t j = 0; j < dim; ++j) {
      to[j] += weight * room.rows[i * dim + j];
    }
  }
}

template <typename T>
bool take(KernelRuntimeContext& ctx, size_t rows, uint64_t columns, T*& room) {
  const uint64_t bytes = rows * columns * sizeof(T);
  const size_t size = static_cast<size_t>(bytes);
  const auto memory =
      size == bytes ? ctx.allocate_temp(size, alignof(T)) : Error::MemoryAllocationFailed;
  ET_KERNEL_CHECK_MSG(ctx, memory.ok(), MemoryAllocationFailed, false,
                      "experts need temporary memory: give the method an allocator");
  room = static_cast<T*>(*memory);
  return true;
}

bool make_room(KernelRuntimeContext& ctx, const Mixture& mixture, size_t tokens, Room& room) {
  const uint64_t hidden = mixture.hidden;
  return take(ctx, tokens, mixture.experts, room.ratings) &&
         take(ctx, tokens, mixture.experts, room.weights) &&
         take(ctx, tokens, mixture.experts, room.is_chosen) && take(ctx, tokens, 1, room.of_one) &&
         take(ctx, tokens, mixture.dim, room.rows) && take(ctx, tokens, 2 * hidden, room.inner) &&
         take(ctx, tokens, hidden, room.activated);
}

bool require_matrix(KernelRuntimeContext& ctx, const char* name, const Tensor& t, ScalarType dtype,
                    ssize_t rows, uint64_t columns) {
  return operands::require_rank(ctx, name, t, 2) && operands::require_dtype(ctx, name, t, dtype) &&
         util::require(ctx, t.size(0) == rows && static_cast<uint64_t>(t.size(1)) == columns,
                       "the sizes of experts' operands must be those that are said") &&
         util::require(ctx, util::is_contiguous(t), "experts' operands must be contiguous");
}

bool is_in(int64_t value, int64_t most) { return value > 0 && value <= most; }

/// Sizes and operands fit together, so that none is read beyond its end.
bool check(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& gate_weight,
           const Tensor& expert_bias, const Tensor& packed_w13, const Tensor& packed_w2,
           const Mixture& mixture) {
  const ssize_t experts = static_cast<ssize_t>(mixture.experts);
  const uint64_t wide = packed_bytes(2 * mixture.hidden, mixture.dim, mixture.group);
  const uint64_t narrow = packed_bytes(mixture.dim, mixture.hidden, mixture.group);
  const auto is_aligned = [](const Tensor& t) {
    return reinterpret_cast<uintptr_t>(t.const_data_ptr()) % alignof(float) == 0;
  };
  return operands::require_rank(ctx, "x", x, 2) &&
         require_matrix(ctx, "x", x, ScalarType::Float, x.size(0), mixture.dim) &&
         require_matrix(ctx, "gate_weight", gate_weight, ScalarType::Float, experts, mixture.dim) &&
         operands::require_rank(ctx, "expert_bias", expert_bias, 1) &&
         operands::require_dtype(ctx, "expert_bias", expert_bias, ScalarType::Float) &&
         util::require(ctx, expert_bias.size(0) == 0 || expert_bias.size(0) == experts,
                       "expert_bias must be empty or have a number for each expert") &&
         require_matrix(ctx, "packed_w13", packed_w13, ScalarType::Byte, experts, wide) &&
         require_matrix(ctx, "packed_w2", packed_w2, ScalarType::Byte, experts, narrow) &&
         util::require(ctx, is_aligned(packed_w13) && is_aligned(packed_w2),
                       "packed weights must be aligned as floats are");
}

}  // namespace

Tensor& quantized_moe_ffn_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& gate_weight,
                              const Tensor& expert_bias, const Tensor& packed_w13,
                              const Tensor& packed_w2, int64_t num_activated_experts,
                              int64_t num_experts, int64_t hidden_dim, int64_t dim,
                              int64_t group_size, int64_t weight_nbit, std::string_view score_func,
                              double route_scale, Tensor& out) {
  const bool is_sigmoid = score_func == "sigmoid";
  if (!util::require(ctx, weight_nbit == 4, "experts have weights of four bits") ||
      !util::require(ctx, is_sigmoid || score_func == "softmax",
                     "experts are rated by sigmoid or softmax") ||
      !util::require(ctx,
                     is_in(num_experts, kMost) && is_in(num_activated_experts, num_experts) &&
                         is_in(dim, kMost) && is_in(hidden_dim, kMost) && is_in(group_size, kMost),
                     "there must be experts, and no more chosen than there are") ||
      !util::require(ctx, dim % group_size == 0 && hidden_dim % group_size == 0,
                     "groups must divide the sizes of experts")) {
    return out;
  }
  Mixture mixture = {};
  mixture.experts = static_cast<size_t>(num_experts);
  mixture.chosen = static_cast<size_t>(num_activated_experts);
  mixture.dim = static_cast<size_t>(dim);
  mixture.hidden = static_cast<size_t>(hidden_dim);
  mixture.group = static_cast<size_t>(group_size);
  mixture.is_sigmoid = is_sigmoid;
  mixture.scale = static_cast<float>(route_scale);
  if (!check(ctx, x, gate_weight, expert_bias, packed_w13, packed_w2, mixture) ||
      !operands::require_dtype(ctx, "out", out, ScalarType::Float) ||
      !util::resize_like(ctx, x, out) ||
      !util::require(ctx, util::is_contiguous(out), "the output must be contiguous")) {
    return out;
  }
  mixture.gate = gate_weight.const_data_ptr<float>();
  // Of softmax alone a bias says nothing: ratings are chosen as they are.
  const bool has_bias = is_sigmoid && expert_bias.numel() > 0;
  mixture.bias = has_bias ? expert_bias.const_data_ptr<float>() : nullptr;
  mixture.w13 = packed_w13.const_data_ptr<uint8_t>();
  mixture.w2 = packed_w2.const_data_ptr<uint8_t>();
  const size_t tokens = static_cast<size_t>(x.size(0));
  Room room = {};
  if (tokens == 0 || !make_room(ctx, mixture, tokens < kTokens ? tokens : kTokens, room)) {
    return out;
  }
  float* const to = out.mutable_data_ptr<float>();
  std::memset(to, 0, out.nbytes());
  for (size_t first = 0; first < tokens; first += kTokens) {
    const size_t count = tokens - first < kTokens ? tokens - first : kTokens;
    const float* const rows = x.const_data_ptr<float>() + first * mixture.dim;
    route(mixture, rows, count, room);
    for (size_t e = 0; e < mixture.experts; ++e) {
      add_expert(mixture, e, rows, count, room, to + first * mixture.dim);
    }
  }
  return out;
}

}  // namespace torch::executor::native
