#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/tests/fuzz/choices.h>

namespace executorch {
namespace fuzz {

/// An operator and its arguments, a letter each: `t` tensor, `o` tensor that is written, `l` `O`
/// lists of them, `p` list of optional tensors, `c` scalar, `i` int, `d` float, `b` bool, `I` `D`
/// `B` `C` lists, `s` string, `y` dtype, `m` memory format; `?` behind a letter: may be none.
struct Operator {
  const char* name;
  const char* signature;
};

/// A tensor in memory of exactly its size, with marks on both sides where no sanitizer watches.
class GuardedTensor {
 public:
  /// `capacity`: in elements, at least those of `sizes`.
  GuardedTensor(aten::ScalarType dtype, std::vector<int32_t> bounds,
                const std::vector<int32_t>& sizes, std::vector<uint8_t> dim_order,
                runtime::TensorShapeDynamism dynamism);
  GuardedTensor(const GuardedTensor&) = delete;
  GuardedTensor& operator=(const GuardedTensor&) = delete;
  ~GuardedTensor();

  aten::Tensor tensor() { return aten::Tensor(impl_.get()); }
  uint8_t* bytes() { return data_; }
  size_t capacity() const { return capacity_; }

  /// Ends the process if something was written beside the memory.
  void check(const char* operator_name) const;

 private:
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> dim_order_;
  std::vector<int32_t> strides_;
  size_t capacity_ = 0;
  uint8_t* memory_ = nullptr;
  uint8_t* data_ = nullptr;
  std::unique_ptr<aten::TensorImpl> impl_;
};

/// Arguments for a call of an operator, chosen at random around a few shapes and dtypes, so that
/// many calls are valid and no check is passed over.
class RandomCall {
 public:
  /// @param is_hostile Also numbers at the ends of their ranges, NaN, and tensors that do not fit.
  RandomCall(const Operator& op, Choices& choices, bool is_hostile);

  /// Calls the registered kernel, with scratch memory, and checks the marks.
  runtime::Error run();

  /// Tensors that the operator writes.
  std::vector<aten::Tensor> outputs();

  /// Of all tensors of the call, in no order.
  std::vector<aten::ScalarType> dtypes();

 private:
  std::vector<int32_t> shape();
  aten::ScalarType dtype();
  GuardedTensor& tensor(bool is_output);
  GuardedTensor& tensor(std::vector<int32_t> sizes, aten::ScalarType dtype, bool is_output);
  void fill(GuardedTensor& tensor);
  int64_t integer();
  double real();
  runtime::EValue scalar();
  runtime::EValue list_of_ints();
  runtime::EValue list_of_ints(const std::vector<int64_t>& numbers);
  runtime::EValue list_of_reals(const std::vector<double>& numbers);
  runtime::EValue list_of_bools(const std::vector<int64_t>& truths);
  runtime::EValue list_of_tensors(char kind);
  runtime::EValue string(const std::string& text);
  runtime::EValue argument(char letter);
  std::vector<int64_t> numbers_in(const std::string& word);
  runtime::EValue by_recipe(const std::string& word, char letter);

  const Operator& op_;
  Choices& choices_;
  const bool is_hostile_;
  std::vector<int32_t> base_shape_;
  aten::ScalarType base_dtype_;
  int64_t letters_[26];
  // Lists, because their elements never move.
  std::list<GuardedTensor> tensors_;
  std::list<runtime::EValue> values_;
  std::list<std::vector<runtime::EValue*>> pointers_;
  std::list<std::vector<int64_t>> ints_;
  std::list<std::vector<double>> doubles_;
  std::list<std::unique_ptr<bool[]>> bools_;
  std::list<std::vector<uint8_t>> raw_;
  std::list<std::vector<std::optional<aten::Tensor>>> optionals_;
  std::list<runtime::BoxedEvalueList<int64_t>> int_lists_;
  std::list<runtime::BoxedEvalueList<aten::Tensor>> tensor_lists_;
  std::list<runtime::BoxedEvalueList<std::optional<aten::Tensor>>> optional_lists_;
  std::list<aten::ArrayRef<double>> double_lists_;
  std::list<aten::ArrayRef<bool>> bool_lists_;
  std::list<std::string> texts_;
  std::list<aten::ArrayRef<char>> strings_;
  std::vector<GuardedTensor*> outputs_;
  std::vector<runtime::EValue*> stack_;
};

}  // namespace fuzz
}  // namespace executorch

/// Of the libraries that the target links, made by operator_table.py.
extern const executorch::fuzz::Operator kOperators[];
extern const size_t kNumOperators;
