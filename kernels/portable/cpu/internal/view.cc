#include <cstring>

#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

View::View(const Tensor& t)
    : data(static_cast<char*>(const_cast<void*>(t.const_data_ptr()))),
      dtype(t.scalar_type()),
      element_size(static_cast<size_t>(t.element_size())),
      rank(static_cast<size_t>(t.dim())) {
  for (size_t d = 0; d < rank; ++d) {
    size[d] = static_cast<size_t>(t.size(d));
    stride[d] = t.strides()[d];
  }
}

View View::narrow(size_t dim, size_t start, size_t count, ptrdiff_t step) const {
  View v = *this;
  v.data += static_cast<ptrdiff_t>(start) * stride[dim] * static_cast<ptrdiff_t>(element_size);
  v.size[dim] = count;
  v.stride[dim] = stride[dim] * step;
  return v;
}

View View::select(size_t dim, size_t index) const {
  View v = narrow(dim, index, 1);
  --v.rank;
  for (size_t d = dim; d < v.rank; ++d) {
    v.size[d] = size[d + 1];
    v.stride[d] = stride[d + 1];
  }
  return v;
}

View View::unsqueeze(size_t dim) const {
  View v = *this;
  ++v.rank;
  for (size_t d = rank; d > dim; --d) {
    v.size[d] = size[d - 1];
    v.stride[d] = stride[d - 1];
  }
  v.size[dim] = 1;
  v.stride[dim] = 0;
  return v;
}

View View::permute(const size_t* order) const {
  View v = *this;
  for (size_t d = 0; d < rank; ++d) {
    v.size[d] = size[order[d]];
    v.stride[d] = stride[order[d]];
  }
  return v;
}

View View::expand(const View& target) const {
  View v = *this;
  const size_t missing = target.rank - rank;
  v.rank = target.rank;
  for (size_t d = 0; d < target.rank; ++d) {
    v.size[d] = target.size[d];
    v.stride[d] = d < missing || size[d - missing] == 1 ? 0 : stride[d - missing];
  }
  return v;
}

size_t View::numel() const {
  size_t n = 1;
  for (size_t d = 0; d < rank; ++d) {
    n *= size[d];
  }
  return n;
}

namespace {

ptrdiff_t magnitude(ptrdiff_t x) { return x < 0 ? -x : x; }

using Step = CopyPlan::Step;

/// Orders the dimensions by the target's strides, so that memory is written from front to back, and
/// merges those that can be stepped over as one. @returns their number.
size_t order_and_merge(const View& src, const View& dst, Step* steps) {
  size_t rank = 0;
  for (size_t d = dst.rank; d-- > 0;) {
    if (dst.size[d] == 1) {
      continue;
    }
    size_t at = rank++;
    for (; at > 0 && magnitude(steps[at - 1].dst) > magnitude(dst.stride[d]); --at) {
      steps[at] = steps[at - 1];
    }
    steps[at] = {dst.size[d], src.stride[d], dst.stride[d]};
  }
  size_t merged = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (merged > 0) {
      Step& last = steps[merged - 1];
      const ptrdiff_t count = static_cast<ptrdiff_t>(last.size);
      if (steps[d].src == last.src * count && steps[d].dst == last.dst * count) {
        last.size *= steps[d].size;
        continue;
      }
    }
    steps[merged++] = steps[d];
  }
  if (merged == 0) {
    steps[merged++] = {1, 1, 1};
  }
  return merged;
}

/// Copies `n` elements; strides in bytes.
template <size_t kSize>
void copy_line(const char* src, ptrdiff_t src_stride, char* dst, ptrdiff_t dst_stride, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(dst, src, kSize);
    src += src_stride;
    dst += dst_stride;
  }
}

/// Copies a plane whose lines are contiguous in `dst` along steps[0] and in `src` along steps[1].
template <size_t kSize>
void copy_transposed(const Step* steps, const char* src, char* dst) {
  constexpr size_t kTile = 16;
  constexpr ptrdiff_t kBytes = static_cast<ptrdiff_t>(kSize);
  if (kSize == sizeof(float) && float_loops.transpose != nullptr) {
    float_loops.transpose(reinterpret_cast<const float*>(src), steps[0].src, steps[0].size,
                          steps[1].size, reinterpret_cast<float*>(dst), steps[1].dst);
    return;
  }
  for (size_t j0 = 0; j0 < steps[1].size; j0 += kTile) {
    const size_t j1 = j0 + kTile < steps[1].size ? j0 + kTile : steps[1].size;
    for (size_t i0 = 0; i0 < steps[0].size; i0 += kTile) {
      const size_t i1 = i0 + kTile < steps[0].size ? i0 + kTile : steps[0].size;
      for (size_t j = j0; j < j1; ++j) {
        const ptrdiff_t row = static_cast<ptrdiff_t>(j);
        const ptrdiff_t first = static_cast<ptrdiff_t>(i0);
        copy_line<kSize>(src + (row * steps[1].src + first * steps[0].src) * kBytes,
                         steps[0].src * kBytes, dst + (row * steps[1].dst + first) * kBytes, kBytes,
                         i1 - i0);
      }
    }
  }
}

/// Calls `inner(src, dst)` for every index of the steps from `first` on.
template <typename Inner>
void for_each_outer(const Step* steps, size_t rank, size_t first, size_t src_size, size_t dst_size,
                    const char* src, char* dst, Inner&& inner) {
  size_t index[kMaxRank] = {};
  const ptrdiff_t src_bytes = static_cast<ptrdiff_t>(src_size);
  const ptrdiff_t dst_bytes = static_cast<ptrdiff_t>(dst_size);
  while (true) {
    inner(src, dst);
    size_t d = first;
    for (; d < rank; ++d) {
      src += steps[d].src * src_bytes;
      dst += steps[d].dst * dst_bytes;
      if (++index[d] < steps[d].size) {
        break;
      }
      const ptrdiff_t count = static_cast<ptrdiff_t>(steps[d].size);
      src -= steps[d].src * src_bytes * count;
      dst -= steps[d].dst * dst_bytes * count;
      index[d] = 0;
    }
    if (d >= rank) {
      return;
    }
  }
}

/// Whether the loop of another library copies lines along `step`: forwards, backwards, or of one
/// element.
bool is_line(const Step& step, size_t element_size) {
  return float_loops.copy_lines != nullptr && step.dst == 1 && step.src >= -1 && step.src <= 1 &&
         element_size <= sizeof(int64_t);
}

/// Copies with that loop, two dimensions at a time.
void copy_lines(const Step* steps, size_t rank, size_t size, const char* src, char* dst) {
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(size);
  const Step line = rank > 1 ? steps[1] : Step{1, 0, 0};
  for_each_outer(steps, rank, 2, size, size, src, dst, [&](const char* s, char* d) {
    float_loops.copy_lines({s, line.src * bytes, steps[0].src * bytes, d, line.dst * bytes, size,
                            steps[0].size, line.size});
  });
}

template <size_t kSize>
void copy_steps(const Step* steps, size_t rank, bool transposed, const char* src, char* dst) {
  constexpr ptrdiff_t kBytes = static_cast<ptrdiff_t>(kSize);
  if (transposed) {
    for_each_outer(steps, rank, 2, kSize, kSize, src, dst,
                   [&](const char* s, char* d) { copy_transposed<kSize>(steps, s, d); });
  } else if (steps[0].src == 1 && steps[0].dst == 1) {
    for_each_outer(steps, rank, 1, kSize, kSize, src, dst,
                   [&](const char* s, char* d) { std::memmove(d, s, steps[0].size * kSize); });
  } else {
    for_each_outer(steps, rank, 1, kSize, kSize, src, dst, [&](const char* s, char* d) {
      copy_line<kSize>(s, steps[0].src * kBytes, d, steps[0].dst * kBytes, steps[0].size);
    });
  }
}

void copy_converted(const View& src, const View& dst) {
  Step steps[kMaxRank];
  const size_t rank = order_and_merge(src, dst, steps);
  Compute c = arithmetic_compute(src.dtype);
  if (dst.dtype == ScalarType::Bool) {
    c = Compute::kBool;
  }
  const size_t most = kChunkBytes / compute_size(c);
  for_each_outer(steps, rank, 1, src.element_size, dst.element_size, src.data, dst.data,
                 [&](const char* s, char* d) {
                   alignas(16) char buffer[kChunkBytes];
                   for (size_t done = 0; done < steps[0].size;) {
                     const size_t left = steps[0].size - done;
                     const size_t n = left < most ? left : most;
                     load(c, src.dtype, s, steps[0].src, n, buffer);
                     store(c, dst.dtype, buffer, n, d, steps[0].dst);
                     const ptrdiff_t step = static_cast<ptrdiff_t>(n);
                     s += step * steps[0].src * static_cast<ptrdiff_t>(src.element_size);
                     d += step * steps[0].dst * static_cast<ptrdiff_t>(dst.element_size);
                     done += n;
                   }
                 });
}

}  // namespace

CopyPlan::CopyPlan(const View& src, const View& dst)
    : element_size_(dst.element_size), empty_(dst.numel() == 0) {
  Step* steps = steps_;
  rank_ = order_and_merge(src, dst, steps);
  if (steps[0].src == 1 || steps[0].dst != 1 ||
      (steps[0].src == 0 && is_line(steps[0], element_size_))) {
    return;
  }
  // If the source is contiguous along another dimension, copy tiles of the two.
  for (size_t d = 1; d < rank_; ++d) {
    if (steps[d].src == 1) {
      const Step along = steps[d];
      for (; d > 1; --d) {
        steps[d] = steps[d - 1];
      }
      steps[1] = along;
      transposed_ = true;
      return;
    }
  }
}

void CopyPlan::run(const char* src, char* dst) const {
  if (empty_) {
    return;
  }
  // A single line of a few elements is not worth a call.
  constexpr size_t kShort = 8;
  if (!transposed_ && (rank_ > 1 || steps_[0].size >= kShort) &&
      is_line(steps_[0], element_size_)) {
    copy_lines(steps_, rank_, element_size_, src, dst);
    return;
  }
  switch (element_size_) {
    case 1:
      return copy_steps<1>(steps_, rank_, transposed_, src, dst);
    case 2:
      return copy_steps<2>(steps_, rank_, transposed_, src, dst);
    case 4:
      return copy_steps<4>(steps_, rank_, transposed_, src, dst);
    case 8:
      return copy_steps<8>(steps_, rank_, transposed_, src, dst);
    case 16:
      return copy_steps<16>(steps_, rank_, transposed_, src, dst);
    default:
      return;
  }
}

void CopyPlan::run_shared(const char* src, char* dst) const {
  constexpr size_t kGrainBytes = 128 * 1024;
  if (empty_) {
    return;
  }
  const size_t last = rank_ - 1;
  size_t bytes = element_size_;  // of one index of the outermost dimension
  for (size_t d = 0; d < last; ++d) {
    bytes *= steps_[d].size;
  }
  parallel_for(steps_[last].size, 1 + kGrainBytes / bytes, [&](size_t begin, size_t end) {
    CopyPlan part = *this;
    part.steps_[last].size = end - begin;
    const ptrdiff_t first = static_cast<ptrdiff_t>(begin * element_size_);
    part.run(src + first * steps_[last].src, dst + first * steps_[last].dst);
  });
}

/// Converts to complex numbers: real ones have no imaginary part.
static void copy_parts(const View& src, const View& dst) {
  if (is_complex(src.dtype)) {
    copy(part_of(src, 0), part_of(dst, 0));
    copy(part_of(src, 1), part_of(dst, 1));
    return;
  }
  static char zero_bytes[8] = {};
  View zero = part_of(dst, 1);
  zero.data = zero_bytes;
  for (size_t d = 0; d < zero.rank; ++d) {
    zero.stride[d] = 0;
  }
  copy(src, part_of(dst, 0));
  copy(zero, part_of(dst, 1));
}

View part_of(const View& view, size_t which) {
  View part = view;
  part.dtype = real_part(view.dtype);
  part.element_size /= 2;
  part.data += which * part.element_size;
  for (size_t d = 0; d < part.rank; ++d) {
    part.stride[d] *= 2;
  }
  return part;
}

void copy(const View& src, const View& dst) {
  if (dst.numel() == 0) {
    return;
  }
  if (src.dtype != dst.dtype && is_complex(dst.dtype)) {
    copy_parts(src, dst);
  } else if (src.dtype != dst.dtype && is_complex(src.dtype)) {
    copy(part_of(src, 0), dst);
  } else if (src.dtype != dst.dtype) {
    copy_converted(src, dst);
  } else if (src.data != dst.data) {
    // In place, as a memory planner may decide for a copy that changes nothing, there is nothing to
    // do.
    CopyPlan(src, dst).run_shared(src.data, dst.data);
  }
}

}  // namespace torch::executor::native::util
