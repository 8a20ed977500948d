#include <cstring>

#include <executorch/kernels/portable/cpu/internal/elementwise.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>

namespace torch::executor::native::util {

void TensorReader::init(const Tensor& t, const Tensor& out) {
  data_ = static_cast<const char*>(t.const_data_ptr());
  position_ = data_;
  element_size_ = static_cast<size_t>(t.element_size());
  rank_ = 0;
  const size_t out_rank = static_cast<size_t>(out.dim());
  const size_t missing = out_rank - static_cast<size_t>(t.dim());
  const auto dim_order = out.dim_order();
  for (size_t k = out_rank; k-- > 0;) {
    const size_t d = dim_order[k];
    const size_t size = static_cast<size_t>(out.size(d));
    if (size == 1) {
      continue;
    }
    const bool repeated = d < missing || t.size(d - missing) == 1;
    const ptrdiff_t stride = repeated ? 0 : t.strides()[d - missing];
    if (rank_ > 0 && stride == stride_[rank_ - 1] * static_cast<ptrdiff_t>(size_[rank_ - 1])) {
      size_[rank_ - 1] *= size;
      continue;
    }
    size_[rank_] = size;
    stride_[rank_] = stride;
    index_[rank_] = 0;
    ++rank_;
  }
  single_ = rank_ == 0 || (rank_ == 1 && stride_[0] == 0);
}

void TensorReader::advance(size_t count) {
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(element_size_);
  index_[0] += count;
  position_ += stride_[0] * static_cast<ptrdiff_t>(count) * bytes;
  for (size_t d = 0; index_[d] == size_[d] && d + 1 < rank_; ++d) {
    position_ -= stride_[d] * static_cast<ptrdiff_t>(size_[d]) * bytes;
    index_[d] = 0;
    ++index_[d + 1];
    position_ += stride_[d + 1] * bytes;
  }
}

void TensorReader::read(Compute c, ScalarType dtype, size_t n, void* dst_bytes) {
  if (rank_ == 0) {
    load(c, dtype, data_, 0, n, dst_bytes);
    return;
  }
  const size_t result_size = compute_size(c);
  char* dst = static_cast<char*>(dst_bytes);
  while (n > 0) {
    const size_t left = size_[0] - index_[0];
    const size_t run = left < n ? left : n;
    load(c, dtype, position_, stride_[0], run, dst);
    dst += run * result_size;
    n -= run;
    advance(run);
  }
}

namespace {

/// True if numbers of compute type `c` change when they are stored as `dtype`, which is calculated
/// with as `c`.
bool narrows(Compute c, ScalarType dtype) {
  return is_real_dtype(dtype) && c == arithmetic_compute(dtype) &&
         executorch::runtime::elementSize(dtype) < compute_size(c);
}

/// True if `narrow`, calculated with as `c`, has all numbers of `dtype`.
bool fits(Compute c, ScalarType dtype, ScalarType narrow) {
  // Among integers only a zero-dim operand may be as wide as the common dtype, and another.
  return dtype == narrow || dtype == ScalarType::Bool ||
         (c == Compute::kInt64 &&
          executorch::runtime::elementSize(dtype) < executorch::runtime::elementSize(narrow));
}

}  // namespace

void Elementwise::add(const Tensor& t, Compute as, ScalarType through) {
  Input& input = inputs_[count_++];
  input.is_tensor = true;
  input.as = as;
  input.dtype = t.scalar_type();
  const bool convert =
      through != ScalarType::Bool && narrows(as, through) && !fits(as, input.dtype, through);
  input.through = convert ? through : ScalarType::Undefined;
  input.reader.init(t, out_);
  input.direct = input.reader.is_linear() && same_bytes(as, input.dtype) &&
                 input.through == ScalarType::Undefined;
}

void Elementwise::add(const ScalarValue& value, Compute as) {
  Input& input = inputs_[count_++];
  input.as = as;
  input.scalar = value;
}

namespace {

/// Repeats the element at the start of `buffer` over `count` elements.
void splat(void* buffer, size_t element_size, size_t count) {
  char* bytes = static_cast<char*>(buffer);
  for (size_t i = 1; i < count; ++i) {
    std::memcpy(bytes + i * element_size, bytes, element_size);
  }
}

/// Converts `n` elements of compute type `c` to a narrower dtype and back, in place.
void round_through(Compute c, ScalarType narrow, size_t n, void* buffer) {
  // Floats become half types, and int64 at most integers of 32 bits.
  alignas(4) char rounded[kChunkBytes / 2];
  store(c, narrow, buffer, n, rounded);
  load(c, narrow, rounded, 1, n, buffer);
}

}  // namespace

void Elementwise::run_direct(Loop loop, const void* op, char* out, size_t out_size,
                             size_t total) const {
  constexpr size_t kGrain = 16384;
  parallel_for(total, kGrain, [=](size_t begin, size_t end) {
    const void* pointers[kMaxInputs] = {};
    for (size_t k = 0; k < count_; ++k) {
      pointers[k] = inputs_[k].reader.data() + begin * compute_size(inputs_[k].as);
    }
    loop(op, out + begin * out_size, pointers, end - begin);
  });
}

void Elementwise::load_same(const Input& input, size_t count, void* buffer) {
  if (!input.is_tensor) {
    load_scalar(input.as, input.scalar, buffer);
    splat(buffer, compute_size(input.as), count);
  } else if (!input.direct && input.reader.is_single()) {
    load(input.as, input.dtype, input.reader.data(), 0, count, buffer);
    if (input.through != ScalarType::Undefined) {
      round_through(input.as, input.through, count, buffer);
    }
  }
}

void Elementwise::run(Loop loop, const void* op, Compute result, ScalarType dtype) {
  const size_t total = static_cast<size_t>(out_.numel());
  if (total == 0) {
    return;
  }
  alignas(16) char buffers[kMaxInputs + 1][kChunkBytes];
  const void* pointers[kMaxInputs];
  const size_t out_size = static_cast<size_t>(out_.element_size());
  const size_t result_size = compute_size(result);
  const bool rounds = dtype != out_.scalar_type() && narrows(result, dtype);
  const bool out_direct = !rounds && same_bytes(result, out_.scalar_type());

  // A run with nothing to convert needs no chunks.
  bool chunked = !out_direct;
  size_t widest = result_size;
  for (size_t k = 0; k < count_; ++k) {
    const Input& input = inputs_[k];
    chunked = chunked || !input.direct;
    const size_t size = compute_size(input.as);
    widest = size > widest ? size : widest;
  }
  const size_t limit = chunked ? kChunkBytes / widest : total;
  for (size_t k = 0; k < count_; ++k) {
    pointers[k] = buffers[k];
    load_same(inputs_[k], limit < total ? limit : total, buffers[k]);
  }

  char* out = static_cast<char*>(out_.mutable_data_ptr());
  if (!chunked) {
    return run_direct(loop, op, out, out_size, total);
  }
  for (size_t done = 0; done < total;) {
    const size_t left = total - done;
    const size_t n = left < limit ? left : limit;
    for (size_t k = 0; k < count_; ++k) {
      Input& input = inputs_[k];
      if (input.direct) {
        pointers[k] = input.reader.data() + done * compute_size(input.as);
      } else if (input.is_tensor && !input.reader.is_single()) {
        input.reader.read(input.as, input.dtype, n, buffers[k]);
        if (input.through != ScalarType::Undefined) {
          round_through(input.as, input.through, n, buffers[k]);
        }
      }
    }
    char* target = out + done * out_size;
    loop(op, out_direct ? target : buffers[kMaxInputs], pointers, n);
    if (rounds) {
      round_through(result, dtype, n, buffers[kMaxInputs]);
    }
    if (!out_direct) {
      store(result, out_.scalar_type(), buffers[kMaxInputs], n, target);
    }
    done += n;
  }
}

}  // namespace torch::executor::native::util
