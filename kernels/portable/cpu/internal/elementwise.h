/**
 * @file
 * The driver of all elementwise kernels: broadcasting, mixed dim orders, type conversion.
 *
 * An operator supplies one small loop for each compute type (`Loops`), built from a functor by
 * `arithmetic_loops` and its siblings. `Elementwise` walks the output in its own memory order,
 * chunk by chunk, hands the loop pointers into the tensors themselves where dtype and layout allow
 * that, and converted copies of a chunk otherwise.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::util {

/// The most tensors or scalars that an elementwise kernel reads.
constexpr size_t kMaxInputs = 3;

/// An operator's loop over `n` elements; `op` is the operator's functor.
using Loop = void (*)(const void* op, void* out, const void* const* in, size_t n);

/// The loops of an operator by the compute type of its (last) input; null where there is none.
struct Loops {
  Loop fn[kComputeTypes];
};

template <typename Op, typename R, typename C>
void unary_loop(const void* op_bytes, void* out_bytes, const void* const* in, size_t n) {
  const Op& op = *static_cast<const Op*>(op_bytes);
  R* out = static_cast<R*>(out_bytes);
  const C* a = static_cast<const C*>(in[0]);
  for (size_t i = 0; i < n; ++i) {
    out[i] = op(a[i]);
  }
}

template <typename Op, typename R, typename C>
void binary_loop(const void* op_bytes, void* out_bytes, const void* const* in, size_t n) {
  const Op& op = *static_cast<const Op*>(op_bytes);
  R* out = static_cast<R*>(out_bytes);
  const C* a = static_cast<const C*>(in[0]);
  const C* b = static_cast<const C*>(in[1]);
  for (size_t i = 0; i < n; ++i) {
    out[i] = op(a[i], b[i]);
  }
}

template <typename Op, typename R, typename A, typename C>
void ternary_loop(const void* op_bytes, void* out_bytes, const void* const* in, size_t n) {
  const Op& op = *static_cast<const Op*>(op_bytes);
  R* out = static_cast<R*>(out_bytes);
  const A* a = static_cast<const A*>(in[0]);
  const C* b = static_cast<const C*>(in[1]);
  const C* c = static_cast<const C*>(in[2]);
  for (size_t i = 0; i < n; ++i) {
    out[i] = op(a[i], b[i], c[i]);
  }
}

/// Loops of an operator whose result has the type of its input, for int64, float and double.
template <typename Op>
inline constexpr Loops kUnaryArithmetic = {{nullptr, unary_loop<Op, int64_t, int64_t>,
                                            unary_loop<Op, float, float>,
                                            unary_loop<Op, double, double>}};
template <typename Op>
inline constexpr Loops kBinaryArithmetic = {{nullptr, binary_loop<Op, int64_t, int64_t>,
                                             binary_loop<Op, float, float>,
                                             binary_loop<Op, double, double>}};
template <typename Op>
inline constexpr Loops kTernaryArithmetic = {{nullptr, ternary_loop<Op, int64_t, int64_t, int64_t>,
                                              ternary_loop<Op, float, float, float>,
                                              ternary_loop<Op, double, double, double>}};

/// Loops of an operator on floating types only.
template <typename Op>
inline constexpr Loops kUnaryFloat = {
    {nullptr, nullptr, unary_loop<Op, float, float>, unary_loop<Op, double, double>}};
template <typename Op>
inline constexpr Loops kBinaryFloat = {
    {nullptr, nullptr, binary_loop<Op, float, float>, binary_loop<Op, double, double>}};

/// Loops of an operator on integers and truth values only.
template <typename Op>
inline constexpr Loops kBinaryIntegral = {
    {binary_loop<Op, uint8_t, uint8_t>, binary_loop<Op, int64_t, int64_t>, nullptr, nullptr}};

/// Loops of a comparison: result kBool.
template <typename Op>
inline constexpr Loops kBinaryCompare = {{nullptr, binary_loop<Op, uint8_t, int64_t>,
                                          binary_loop<Op, uint8_t, float>,
                                          binary_loop<Op, uint8_t, double>}};
template <typename Op>
inline constexpr Loops kUnaryCompare = {{nullptr, unary_loop<Op, uint8_t, int64_t>,
                                         unary_loop<Op, uint8_t, float>,
                                         unary_loop<Op, uint8_t, double>}};

/// Loops of an operator on truth values.
template <typename Op>
inline constexpr Loops kUnaryLogical = {
    {unary_loop<Op, uint8_t, uint8_t>, nullptr, nullptr, nullptr}};
template <typename Op>
inline constexpr Loops kBinaryLogical = {
    {binary_loop<Op, uint8_t, uint8_t>, nullptr, nullptr, nullptr}};

/// `unary_loop` on floats, or the one among `float_loops` that replaces it.
template <typename Op, void (*FloatLoops::*kLoop)(const float*, size_t, float*)>
void replaceable_loop(const void* op, void* out, const void* const* in, size_t n) {
  if (float_loops.*kLoop != nullptr) {
    (float_loops.*kLoop)(static_cast<const float*>(in[0]), n, static_cast<float*>(out));
  } else {
    unary_loop<Op, float, float>(op, out, in, n);
  }
}

/// As kUnaryFloat, for an operator among `float_loops`.
template <typename Op, void (*FloatLoops::*kLoop)(const float*, size_t, float*)>
inline constexpr Loops kReplaceableFloat = {
    {nullptr, nullptr, replaceable_loop<Op, kLoop>, unary_loop<Op, double, double>}};

/// Loops of an operator whose first input is a truth value: `op(uint8_t, C, C) -> C`.
template <typename Op>
inline constexpr Loops kTernaryMasked = {{nullptr, ternary_loop<Op, int64_t, uint8_t, int64_t>,
                                          ternary_loop<Op, float, uint8_t, float>,
                                          ternary_loop<Op, double, uint8_t, double>}};

/**
 * Walks a tensor's elements in the memory order of another one that it is broadcast to, and
 * converts them to a compute type. Dimensions that can be stepped over as one are merged.
 */
class TensorReader {
 public:
  /**
   * @param t The tensor; its shape must broadcast to `out`'s (not checked here).
   * @param out Gives the shape and the order of iteration.
   */
  void init(const Tensor& t, const Tensor& out);

  /// True if the iteration reads the tensor's memory from its first to its last byte.
  bool is_linear() const { return rank_ == 0 || (rank_ == 1 && stride_[0] == 1); }

  /// True if all elements of the iteration are the same one.
  bool is_single() const { return single_; }

  const char* data() const { return data_; }

  /// Writes the next `n` elements as type `c` to `dst`.
  void read(Compute c, ScalarType dtype, size_t n, void* dst);

 private:
  void advance(size_t count);

  const char* data_ = nullptr;
  const char* position_ = nullptr;
  size_t element_size_ = 0;
  size_t rank_ = 0;  // after merging; dimension 0 is the innermost
  bool single_ = false;
  size_t size_[kMaxRank];
  ptrdiff_t stride_[kMaxRank];  // in elements
  size_t index_[kMaxRank];
};

/// One run of an elementwise kernel: add the inputs in the loop's order, then `run`.
class Elementwise {
 public:
  /// @param out Already has its final shape.
  explicit Elementwise(Tensor& out) : out_(out) {}

  /**
   * Adds an input that the loop sees as type `as`. Its shape broadcasts to the output's.
   * @param through A dtype that the elements are converted to first if it is narrower than `as`
   *     and than the tensor's, or Undefined.
   */
  void add(const Tensor& t, Compute as, ScalarType through = ScalarType::Undefined);

  /// Adds a scalar that the loop sees as type `as`.
  void add(const ScalarValue& value, Compute as);

  /**
   * Fills the output.
   * @param loop The operator's loop for the types of the inputs.
   * @param op The functor handed to it.
   * @param result The type that the loop writes.
   * @param dtype The operation's dtype. Results are rounded, or wrap around, to it before they
   *     become elements of an output of another dtype.
   */
  void run(Loop loop, const void* op, Compute result, ScalarType dtype);

 private:
  /// A run with nothing to convert.
  void run_direct(Loop loop, const void* op, char* out, size_t out_size, size_t total) const;

  struct Input {
    TensorReader reader;
    ScalarValue scalar;
    ScalarType dtype = ScalarType::Undefined;
    ScalarType through = ScalarType::Undefined;
    Compute as = Compute::kFloat;
    bool is_tensor = false;
    bool direct = false;
  };

  /// `count` elements of what every chunk reads alike: a number, or a tensor of one element.
  static void load_same(const Input& input, size_t count, void* buffer);

  Tensor& out_;
  size_t count_ = 0;
  Input inputs_[kMaxInputs];
};

/// True if elements of compute type `c` and of `dtype` have the same bytes.
inline bool same_bytes(Compute c, ScalarType dtype) { return dtype == native_dtype(c); }

}  // namespace torch::executor::native::util
