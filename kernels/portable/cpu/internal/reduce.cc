#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {
namespace {

size_t count_of(const ReductionPlan::Dim* dims, size_t rank) {
  size_t n = 1;
  for (size_t d = 0; d < rank; ++d) {
    n *= dims[d].size;
  }
  return n;
}

/// Inserts a dimension in the order of input strides.
void insert(ReductionPlan::Dim* dims, size_t& rank, const ReductionPlan::Dim& dim) {
  size_t at = rank++;
  for (; at > 0 && dims[at - 1].in > dim.in; --at) {
    dims[at] = dims[at - 1];
  }
  dims[at] = dim;
}

/// Merges dimensions that can be stepped over as one.
void merge(ReductionPlan::Dim* dims, size_t& rank) {
  size_t merged = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (merged > 0) {
      ReductionPlan::Dim& last = dims[merged - 1];
      const ptrdiff_t count = static_cast<ptrdiff_t>(last.size);
      if (dims[d].in == last.in * count && dims[d].out == last.out * count) {
        last.size *= dims[d].size;
        continue;
      }
    }
    dims[merged++] = dims[d];
  }
  rank = merged;
}

}  // namespace

size_t ReductionPlan::reduced_count() const { return count_of(reduced, reduced_rank); }

size_t ReductionPlan::kept_count() const { return count_of(kept, kept_rank); }

bool Odometer::next() {
  for (size_t d = first_; d < rank_; ++d) {
    in_ += dims_[d].in;
    out_ += dims_[d].out;
    if (++index_[d] < dims_[d].size) {
      return true;
    }
    in_ -= dims_[d].in * static_cast<ptrdiff_t>(dims_[d].size);
    out_ -= dims_[d].out * static_cast<ptrdiff_t>(dims_[d].size);
    index_[d] = 0;
  }
  return false;
}

bool reduced_dims(KernelRuntimeContext& ctx, const Tensor& in,
                  const OptionalArrayRef<int64_t>& dims, bool* reduced) {
  const size_t rank = static_cast<size_t>(in.dim());
  const bool all = !dims.has_value() || dims->size() == 0;
  for (size_t d = 0; d < rank; ++d) {
    reduced[d] = all;
  }
  if (all) {
    return true;
  }
  bool seen[kMaxRank] = {};
  for (int64_t dim : *dims) {
    if (!wrap_dim(ctx, dim, rank) || !require(ctx, !seen[dim], "a dimension is named twice")) {
      return false;
    }
    seen[dim] = true;
    if (rank > 0) {
      reduced[dim] = true;
    }
  }
  return true;
}

bool resize_reduced(KernelRuntimeContext& ctx, const Tensor& in, const bool* reduced, bool keepdim,
                    Tensor& out) {
  Shape shape;
  for (ssize_t d = 0; d < in.dim(); ++d) {
    if (!reduced[d]) {
      shape.push(in.size(d));
    } else if (keepdim) {
      shape.push(1);
    }
  }
  return resize(ctx, shape, out);
}

ReductionPlan plan_reduction(const Tensor& in, const bool* reduced, bool keepdim,
                             const Tensor& out) {
  ReductionPlan plan;
  size_t out_dim = 0;
  for (ssize_t d = 0; d < in.dim(); ++d) {
    const size_t size = static_cast<size_t>(in.size(d));
    const ptrdiff_t stride = in.strides()[d];
    if (reduced[d]) {
      out_dim += keepdim ? 1 : 0;
      if (size != 1) {
        insert(plan.reduced, plan.reduced_rank, {size, stride, 0});
      }
      continue;
    }
    if (size != 1) {
      insert(plan.kept, plan.kept_rank, {size, stride, out.strides()[out_dim]});
    }
    ++out_dim;
  }
  merge(plan.kept, plan.kept_rank);
  merge(plan.reduced, plan.reduced_rank);
  return plan;
}

namespace {

struct Sum {
  template <typename A>
  static A init() {
    return 0;
  }
  template <typename A>
  static A combine(A a, A b) {
    return a + b;
  }
};

void sum_floats(void* acc, const void* x, size_t n) {
  if (float_loops.sum == nullptr) {
    return ReduceLoops<Sum, float, double>::horizontal(acc, x, n);
  }
  *static_cast<double*>(acc) += float_loops.sum(static_cast<const float*>(x), n);
}

void divide(void* acc, size_t n, double count) {
  for (size_t i = 0; i < n; ++i) {
    static_cast<double*>(acc)[i] /= count;
  }
}

void add_floats(void* acc, const void* x, size_t n) {
  if (float_loops.add_floats == nullptr) {
    return ReduceLoops<Sum, float, double>::vertical(acc, x, n);
  }
  float_loops.add_floats(static_cast<double*>(acc), static_cast<const float*>(x), n);
}

constexpr Reducer float_sum(void (*finish)(void*, size_t, double)) {
  Reducer reducer = ReduceLoops<Sum, float, double>::make(finish);
  reducer.horizontal = sum_floats;
  reducer.vertical = add_floats;
  return reducer;
}

/// A run of input elements as the reducer's type: in place if possible, else converted into a
/// buffer.
class RunLoader {
 public:
  RunLoader(const Tensor& in, Compute c, ptrdiff_t first)
      : base_(static_cast<const char*>(in.const_data_ptr()) +
              first * static_cast<ptrdiff_t>(in.element_size())),
        dtype_(in.scalar_type()),
        element_size_(static_cast<ptrdiff_t>(in.element_size())),
        c_(c) {}

  /// The most elements of one run; not more than may be added up as floats.
  size_t limit(ptrdiff_t stride) const {
    return (is_direct(stride) ? 4 : 1) * kChunkBytes / compute_size(c_);
  }

  const void* at(ptrdiff_t offset, ptrdiff_t stride, size_t n) {
    const char* from = base_ + offset * element_size_;
    if (is_direct(stride)) {
      return from;
    }
    load(c_, dtype_, from, stride, n, buffer_);
    return buffer_;
  }

 private:
  bool is_direct(ptrdiff_t stride) const { return stride == 1 && dtype_ == native_dtype(c_); }

  const char* base_;
  ScalarType dtype_;
  ptrdiff_t element_size_;
  Compute c_;
  alignas(16) char buffer_[kChunkBytes];
};

/// Where results go.
class ResultWriter {
 public:
  ResultWriter(const Tensor& out, const Reducer& reducer, size_t count, ptrdiff_t first)
      : base_(static_cast<char*>(out.mutable_data_ptr()) +
              first * static_cast<ptrdiff_t>(out.element_size())),
        dtype_(out.scalar_type()),
        element_size_(static_cast<ptrdiff_t>(out.element_size())),
        reducer_(reducer),
        count_(static_cast<double>(count)) {}

  void write(void* acc, size_t n, ptrdiff_t offset, ptrdiff_t stride) {
    if (reducer_.finish != nullptr) {
      reducer_.finish(acc, n, count_);
    }
    store(reducer_.acc, dtype_, acc, n, base_ + offset * element_size_, stride);
  }

 private:
  char* base_;
  ScalarType dtype_;
  ptrdiff_t element_size_;
  const Reducer& reducer_;
  double count_;
};

/// Folds what is reduced to the result at `offset` of the input into `acc`.
class Folder {
 public:
  Folder(const ReductionPlan& plan, const Reducer& reducer, RunLoader& loader)
      : reducer_(reducer),
        loader_(loader),
        run_(plan.reduced_rank == 0 ? 1 : plan.reduced[0].size),
        stride_(plan.reduced_rank == 0 ? 1 : plan.reduced[0].in),
        limit_(loader.limit(stride_)),
        empty_(plan.reduced_count() == 0),
        reduced_(plan.reduced, plan.reduced_rank, 1) {}

  void fold(ptrdiff_t offset, void* acc) {
    if (empty_) {
      return;
    }
    do {
      for (size_t done = 0; done < run_;) {
        const size_t left = run_ - done;
        const size_t n = left < limit_ ? left : limit_;
        const ptrdiff_t at = offset + reduced_.in() + static_cast<ptrdiff_t>(done) * stride_;
        reducer_.horizontal(acc, loader_.at(at, stride_, n), n);
        done += n;
      }
    } while (reduced_.next());
  }

 private:
  const Reducer& reducer_;
  RunLoader& loader_;
  size_t run_;
  ptrdiff_t stride_;
  size_t limit_;
  bool empty_;
  Odometer reduced_;  // back at its start after the last tuple
};

void reduce_horizontal(const ReductionPlan& plan, const Reducer& reducer, RunLoader& loader,
                       ResultWriter& writer) {
  ReductionPlan::Dim line = {1, 0, 1};
  if (plan.kept_rank > 0) {
    line = plan.kept[0];
  }
  // Neighbouring results are finished and stored together.
  constexpr size_t kTogether = 32;
  const size_t acc_size = compute_size(reducer.acc);
  Folder folder(plan, reducer, loader);
  Odometer kept(plan.kept, plan.kept_rank, 1);
  do {
    for (size_t begin = 0; begin < line.size;) {
      const size_t left = line.size - begin;
      const size_t n = left < kTogether ? left : kTogether;
      alignas(16) char acc[kTogether * sizeof(double)];
      reducer.init(acc, n);
      for (size_t i = 0; i < n; ++i) {
        folder.fold(kept.in() + static_cast<ptrdiff_t>(begin + i) * line.in, acc + i * acc_size);
      }
      writer.write(acc, n, kept.out() + static_cast<ptrdiff_t>(begin) * line.out, line.out);
      begin += n;
    }
  } while (kept.next());
}

/// Dimension 0 of the kept ones is contiguous in the input: folds rows of it.
void reduce_vertical(const ReductionPlan& plan, const Reducer& reducer, RunLoader& loader,
                     ResultWriter& writer) {
  const ReductionPlan::Dim& line = plan.kept[0];
  const size_t limit = kChunkBytes / 8;
  Odometer kept(plan.kept, plan.kept_rank, 1);
  do {
    for (size_t begin = 0; begin < line.size;) {
      const size_t n = line.size - begin < limit ? line.size - begin : limit;
      const ptrdiff_t first = static_cast<ptrdiff_t>(begin);
      alignas(16) char acc[kChunkBytes];
      reducer.init(acc, n);
      Odometer reduced(plan.reduced, plan.reduced_rank);
      do {
        reducer.vertical(acc, loader.at(kept.in() + reduced.in() + first, 1, n), n);
      } while (reduced.next());
      writer.write(acc, n, kept.out() + first * line.out, line.out);
      begin += n;
    }
  } while (kept.next());
}

}  // namespace

constexpr Reducer kFloatSum = float_sum(nullptr);
constexpr Reducer kFloatMean = float_sum(divide);

void reduce(const Tensor& in, const ReductionPlan& plan, const Reducer& reducer, Tensor& out) {
  const size_t results = plan.kept_count();
  if (results == 0) {
    return;
  }
  const size_t folded = plan.reduced_count();
  const bool vertical = plan.kept_rank > 0 && plan.kept[0].in == 1 && folded > 1;
  // Parts have some of the outermost results each.
  ReductionPlan::Dim whole = {1, 0, 0};
  if (plan.kept_rank > 0) {
    whole = plan.kept[plan.kept_rank - 1];
  }
  constexpr size_t kGrain = 32768;
  const size_t work = results / whole.size * folded;
  parallel_for(whole.size, 1 + kGrain / (work + 1), [&](size_t begin, size_t end) {
    ReductionPlan part = plan;
    if (part.kept_rank > 0) {
      part.kept[part.kept_rank - 1].size = end - begin;
    }
    const ptrdiff_t first = static_cast<ptrdiff_t>(begin);
    RunLoader loader(in, reducer.in, first * whole.in);
    ResultWriter writer(out, reducer, folded, first * whole.out);
    if (vertical) {
      reduce_vertical(part, reducer, loader, writer);
    } else {
      reduce_horizontal(part, reducer, loader, writer);
    }
  });
}

}  // namespace torch::executor::native::util
