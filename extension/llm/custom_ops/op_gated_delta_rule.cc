#include <cstring>
#include <memory>
#include <new>

#include <executorch/extension/llm/custom_ops/op_gated_delta_rule.h>
#include <executorch/extension/llm/custom_ops/operands.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>

namespace torch::executor::native {
namespace {

/// One call; sizes as in the header.
struct Rule {
  const float* query;
  const float* key;
  const float* value;
  const float* decay;
  const float* beta;
  float* out;
  float* state;
  size_t shared;  // heads of the query for each of the key
  size_t positions;
  size_t key_dim;
  size_t value_dim;
  bool by_channel;
};

/// All positions of one head of the key. `buffer` has `value_dim` elements.
void run_head(const Rule& rule, size_t head, float* buffer) {
  const size_t columns = rule.value_dim;
  float* const state = rule.state + head * rule.key_dim * columns;
  for (size_t t = 0; t < rule.positions; ++t) {
    const size_t at = head * rule.positions + t;
    const float* const key = rule.key + at * rule.key_dim;
    const float* const value = rule.value + at * columns;
    std::memset(buffer, 0, columns * sizeof(float));
    for (size_t k = 0; k < rule.key_dim; ++k) {
      const float kept = rule.by_channel ? rule.decay[at * rule.key_dim + k] : rule.decay[at];
      float* const row = state + k * columns;
      for (size_t v = 0; v < columns; ++v) {
        row[v] *= kept;
        buffer[v] += row[v] * key[k];
      }
    }
    for (size_t v = 0; v < columns; ++v) {
      buffer[v] = (value[v] - buffer[v]) * rule.beta[at];
    }
    for (size_t k = 0; k < rule.key_dim; ++k) {
      float* const row = state + k * columns;
      for (size_t v = 0; v < columns; ++v) {
        row[v] += key[k] * buffer[v];
      }
    }
    for (size_t s = 0; s < rule.shared; ++s) {
      const size_t query_at = (head * rule.shared + s) * rule.positions + t;
      const float* const query = rule.query + query_at * rule.key_dim;
      float* const result = rule.out + query_at * columns;
      std::memset(result, 0, columns * sizeof(float));
      for (size_t k = 0; k < rule.key_dim; ++k) {
        const float* const row = state + k * columns;
        for (size_t v = 0; v < columns; ++v) {
          result[v] += row[v] * query[k];
        }
      }
    }
  }
}

bool require_floats(KernelRuntimeContext& ctx, const char* name, const Tensor& t) {
  return operands::require_dtype(ctx, name, t, ScalarType::Float) &&
         util::require(ctx, util::is_contiguous(t),
                       "operands of the delta rule must be contiguous");
}

/// The gates have one number for each position of each head of the key, or one for each channel.
bool require_gates(KernelRuntimeContext& ctx, const Tensor& key, const Tensor& decay,
                   const Tensor& beta) {
  const auto fits = [&key](const Tensor& t, ssize_t dims) {
    bool same = t.dim() == dims;
    for (ssize_t d = 0; same && d < dims; ++d) {
      same = t.size(d) == key.size(d);
    }
    return same;
  };
  return util::require(ctx, fits(beta, 3),
                       "beta must have one number for each position of a head") &&
         util::require(ctx, fits(decay, 3) || fits(decay, 4),
                       "decay must have one number for each position of a head, or one for each "
                       "channel of the key");
}

bool require_fit(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                 const Tensor& value, const Tensor& decay, const Tensor& beta,
                 const Tensor& initial_state) {
  constexpr unsigned kAllButHeads = 1u << 0 | 1u << 2 | 1u << 3;
  constexpr unsigned kAllButElements = 0x7;
  constexpr unsigned kBatchAndHeads = 0x3;
  if (!require_floats(ctx, "query", query) || !require_floats(ctx, "key", key) ||
      !require_floats(ctx, "value", value) || !require_floats(ctx, "decay", decay) ||
      !require_floats(ctx, "beta", beta) || !require_floats(ctx, "initial_state", initial_state) ||
      !operands::require_same_sizes(ctx, "query", query, "key", key, kAllButHeads) ||
      !operands::require_same_sizes(ctx, "value", value, "key", key, kAllButElements) ||
      !operands::require_same_sizes(ctx, "initial_state", initial_state, "key", key,
                                    kBatchAndHeads) ||
      !require_gates(ctx, key, decay, beta)) {
    return false;
  }
  const ssize_t heads = query.size(1);
  const ssize_t key_heads = key.size(1);
  ET_KERNEL_CHECK_MSG(ctx, key_heads > 0 ? heads % key_heads == 0 : heads == 0, InvalidArgument,
                      false, "%zd heads of the query cannot share %zd heads of the key", heads,
                      key_heads);
  return util::require(
      ctx, initial_state.size(2) == key.size(3) && initial_state.size(3) == value.size(3),
      "initial_state must be a matrix of key_dim x value_dim for each head");
}

bool prepare_outputs(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& value,
                     const Tensor& initial_state, Tensor& out, Tensor& final_state) {
  util::Shape shape(query);
  shape.sizes[3] = static_cast<SizesType>(value.size(3));
  return util::resize(ctx, shape, out) && util::resize_like(ctx, initial_state, final_state) &&
         require_floats(ctx, "out", out) && require_floats(ctx, "final_state_out", final_state);
}

void run(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
         const Tensor& decay, const Tensor& beta, Tensor& out, Tensor& state) {
  const auto floats = [](const Tensor& t) { return static_cast<const float*>(t.const_data_ptr()); };
  const size_t heads = static_cast<size_t>(key.size(0) * key.size(1));
  if (heads == 0) {
    return;
  }
  Rule rule = {};
  rule.query = floats(query);
  rule.key = floats(key);
  rule.value = floats(value);
  rule.decay = floats(decay);
  rule.beta = floats(beta);
  rule.out = static_cast<float*>(out.mutable_data_ptr());
  rule.state = static_cast<float*>(state.mutable_data_ptr());
  rule.shared = static_cast<size_t>(query.size(1) / key.size(1));
  rule.positions = static_cast<size_t>(key.size(2));
  rule.key_dim = static_cast<size_t>(key.size(3));
  rule.value_dim = static_cast<size_t>(value.size(3));
  rule.by_channel = decay.dim() == 4;
  const std::unique_ptr<float[]> buffers(new (std::nothrow) float[heads * rule.value_dim]);
  ET_KERNEL_CHECK_MSG(ctx, buffers != nullptr, MemoryAllocationFailed, ,
                      "There is no memory for the corrections");
  constexpr size_t kGrain = 20000;
  const size_t cost = rule.positions * rule.key_dim * rule.value_dim + 1;
  util::parallel_for(heads, 1 + kGrain / cost, [&](size_t begin, size_t end) {
    for (size_t head = begin; head < end; ++head) {
      run_head(rule, head, buffers.get() + head * rule.value_dim);
    }
  });
}

}  // namespace

std::tuple<Tensor&, Tensor&> gated_delta_rule_out(KernelRuntimeContext& ctx, const Tensor& query,
                                                  const Tensor& key, const Tensor& value,
                                                  const Tensor& decay, const Tensor& beta,
                                                  const Tensor& initial_state, Tensor& out,
                                                  Tensor& final_state_out) {
  if (require_fit(ctx, query, key, value, decay, beta, initial_state) &&
      prepare_outputs(ctx, query, value, initial_state, out, final_state_out)) {
    if (initial_state.numel() > 0) {
      std::memmove(final_state_out.mutable_data_ptr(), initial_state.const_data_ptr(),
                   initial_state.nbytes());
    }
    run(ctx, query, key, value, decay, beta, out, final_state_out);
  }
  return {out, final_state_out};
}

std::tuple<Tensor&, Tensor&> channelwise_gated_delta_rule_out(
    KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& decay, const Tensor& beta, const Tensor& initial_state, Tensor& out,
    Tensor& final_state_out) {
  return gated_delta_rule_out(ctx, query, key, value, decay, beta, initial_state, out,
                              final_state_out);
}

}  // namespace torch::executor::native
