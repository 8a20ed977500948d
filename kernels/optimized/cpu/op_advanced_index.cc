#include <cstring>

#include <executorch/kernels/optimized/cpu/masks.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

// `self[i, j, ...]` of contiguous tensors, with index tensors of one shape for the first
// dimensions.

namespace torch::executor::native {
namespace {

/// Places that are calculated at a time.
constexpr size_t kPlaces = 512;

/// The lines of a tensor that index tensors name.
struct Places {
  size_t count = 0;  // index tensors
  const Tensor* index[util::kMaxRank];
  int64_t size[util::kMaxRank];
  int64_t stride[util::kMaxRank];  // in lines
  size_t total = 0;                // places
  size_t line = 1;                 // elements of a place

  /// @returns false for what this is not for.
  bool init(const Tensor& self, ArrayRef<optional<Tensor>> indices) {
    const size_t rank = static_cast<size_t>(self.dim());
    while (count < indices.size() && indices[count].has_value()) {
      ++count;
    }
    if (count == 0 || count > rank || indices.size() > rank || self.numel() == 0 ||
        !util::is_contiguous(self)) {
      return false;
    }
    for (size_t k = count; k < indices.size(); ++k) {
      if (indices[k].has_value()) {
        return false;
      }
    }
    int64_t lines = 1;
    for (size_t k = count; k-- > 0;) {
      const Tensor& t = *indices[k];
      if (!util::is_index_dtype(t.scalar_type()) || !util::is_contiguous(t) ||
          !util::same_shape(t, *indices[0])) {
        return false;
      }
      index[k] = &t;
      size[k] = self.size(static_cast<ssize_t>(k));
      stride[k] = lines;
      lines *= size[k];
    }
    total = static_cast<size_t>(indices[0]->numel());
    line = util::product(self, count, rank);
    return true;
  }

  /// Adds the part of one index tensor to `n` places. @returns whether its elements are in range.
  template <typename Index>
  bool add(size_t k, size_t first, size_t n, int64_t* place) const {
    const Index* at = static_cast<const Index*>(index[k]->const_data_ptr()) + first;
    int64_t outside = 0;
    for (size_t i = 0; i < n; ++i) {
      const int64_t wanted = static_cast<int64_t>(at[i]);
      const int64_t wrapped = wanted + (wanted < 0 ? size[k] : 0);
      outside |= wrapped | (size[k] - 1 - wrapped);
      place[i] += wrapped * stride[k];
    }
    return outside >= 0;
  }

  /// Calls `fn(place, i)` for each place in order. @returns false at an index out of range.
  template <typename Fn>
  bool for_each(const Fn& fn) const {
    for (size_t first = 0; first < total; first += kPlaces) {
      const size_t n = total - first < kPlaces ? total - first : kPlaces;
      int64_t place[kPlaces] = {};
      for (size_t k = 0; k < count; ++k) {
        const bool inside = index[k]->scalar_type() == ScalarType::Int
                                ? add<int32_t>(k, first, n, place)
                                : add<int64_t>(k, first, n, place);
        if (!inside) {
          return false;
        }
      }
      for (size_t i = 0; i < n; ++i) {
        fn(static_cast<size_t>(place[i]), first + i);
      }
    }
    return true;
  }

  /// Copies lines of `bytes`: from places to neighbours, or back.
  template <bool kPut>
  bool copy(const char* from, size_t bytes, char* to) const {
    const auto move = [=](size_t place, size_t i, size_t size_now) {
      std::memcpy(to + (kPut ? place : i) * size_now, from + (kPut ? i : place) * size_now,
                  size_now);
    };
    // Sizes that the compiler knows need no call.
    switch (bytes) {
      case 1:
        return for_each([=](size_t place, size_t i) { move(place, i, 1); });
      case 2:
        return for_each([=](size_t place, size_t i) { move(place, i, 2); });
      case 4:
        return for_each([=](size_t place, size_t i) { move(place, i, 4); });
      case 8:
        return for_each([=](size_t place, size_t i) { move(place, i, 8); });
      default:
        return for_each([=](size_t place, size_t i) { move(place, i, bytes); });
    }
  }
};

bool run_index(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<optional<Tensor>> indices,
               Tensor& out) {
  Places places;
  if (in.scalar_type() != out.scalar_type() || !places.init(in, indices)) {
    return false;
  }
  const size_t rank = static_cast<size_t>(in.dim());
  util::Shape shape(*indices[0]);
  if (shape.rank + rank - places.count > util::kMaxRank) {
    return false;
  }
  for (size_t d = places.count; d < rank; ++d) {
    shape.push(in.size(static_cast<ssize_t>(d)));
  }
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return true;
  }
  if (!util::is_contiguous(out)) {
    return false;
  }
  const bool inside = places.copy<false>(static_cast<const char*>(in.const_data_ptr()),
                                         places.line * static_cast<size_t>(in.element_size()),
                                         static_cast<char*>(out.mutable_data_ptr()));
  util::require(ctx, inside, "an index is out of range");
  return true;
}

bool run_index_put(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<optional<Tensor>> indices,
                   const Tensor& values, bool accumulate, Tensor& out) {
  Places places;
  if (in.scalar_type() != out.scalar_type() || values.scalar_type() != in.scalar_type() ||
      (accumulate && in.scalar_type() != ScalarType::Float) || !places.init(in, indices) ||
      static_cast<size_t>(values.numel()) != places.total * places.line ||
      !util::is_contiguous(values)) {
    return false;
  }
  // The values have the shape of what is indexed, but for leading dimensions of 1.
  ssize_t d = values.dim();
  for (ssize_t k = in.dim(); k-- > static_cast<ssize_t>(places.count);) {
    if (--d < 0 || values.size(d) != in.size(k)) {
      return false;
    }
  }
  for (ssize_t k = indices[0]->dim(); k-- > 0;) {
    if (--d < 0 || values.size(d) != indices[0]->size(k)) {
      return false;
    }
  }
  if (d > 0 || !util::resize_like(ctx, in, out)) {
    return d <= 0;
  }
  if (!util::is_contiguous(out)) {
    return false;
  }
  util::copy(util::View(in), util::View(out));
  bool inside = true;
  if (accumulate) {
    const float* from = static_cast<const float*>(values.const_data_ptr());
    float* to = static_cast<float*>(out.mutable_data_ptr());
    const size_t line = places.line;
    inside = places.for_each([=](size_t place, size_t i) {
      for (size_t j = 0; j < line; ++j) {
        to[place * line + j] += from[i * line + j];
      }
    });
  } else {
    inside = places.copy<true>(static_cast<const char*>(values.const_data_ptr()),
                               places.line * static_cast<size_t>(in.element_size()),
                               static_cast<char*>(out.mutable_data_ptr()));
  }
  util::require(ctx, inside, "an index is out of range");
  return true;
}

}  // namespace

Tensor& opt_index_Tensor_out(KernelRuntimeContext& ctx, const Tensor& in,
                             ArrayRef<optional<Tensor>> indices, Tensor& out) {
  const bool is_mask = indices.size() == 1 && indices[0].has_value() &&
                       indices[0]->scalar_type() == ScalarType::Bool;
  const bool done = is_mask ? optimized::run_masked_select(ctx, in, *indices[0], out)
                            : run_index(ctx, in, indices, out);
  return done ? out : index_Tensor_out(ctx, in, indices, out);
}

Tensor& opt_index_put_out(KernelRuntimeContext& ctx, const Tensor& in,
                          ArrayRef<optional<Tensor>> indices, const Tensor& values, bool accumulate,
                          Tensor& out) {
  return run_index_put(ctx, in, indices, values, accumulate, out)
             ? out
             : index_put_out(ctx, in, indices, values, accumulate, out);
}

}  // namespace torch::executor::native
