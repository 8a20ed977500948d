#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <sstream>
#include <utility>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/tests/fuzz/random_call.h>
#include <executorch/tests/fuzz/recipes.h>

namespace executorch {
namespace fuzz {

using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::TensorShapeDynamism;

namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kMark = 64;
constexpr uint8_t kMarkByte = 0xa7;
constexpr size_t kScratchBytes = 1 << 18;
constexpr int32_t kMostElements = 1 << 13;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kIsWatched = true;
#else
constexpr bool kIsWatched = false;
#endif
#else
constexpr bool kIsWatched = false;
#endif
constexpr size_t kMargin = kIsWatched ? 0 : kMark;

int64_t numel_of(const std::vector<int32_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>());
}

}  // namespace

GuardedTensor::GuardedTensor(ScalarType dtype, std::vector<int32_t> bounds,
                             const std::vector<int32_t>& sizes, std::vector<uint8_t> dim_order,
                             TensorShapeDynamism dynamism)
    : sizes_(std::move(bounds)), dim_order_(std::move(dim_order)), strides_(sizes_.size()) {
  int32_t stride = 1;
  for (size_t k = sizes_.size(); k-- > 0;) {
    strides_[dim_order_[k]] = stride;
    stride *= std::max(sizes_[dim_order_[k]], 1);
  }
  capacity_ = static_cast<size_t>(numel_of(sizes_)) * runtime::elementSize(dtype);
  // A kernel may be handed an empty tensor, but not one without memory.
  memory_ = static_cast<uint8_t*>(
      ::operator new(std::max<size_t>(capacity_, 1) + 2 * kMargin, kAlignment));
  data_ = memory_ + kMargin;
  std::memset(memory_, kMarkByte, kMargin);
  std::memset(data_, 0, std::max<size_t>(capacity_, 1));
  std::memset(data_ + capacity_, kMarkByte, kMargin);
  impl_ =
      std::make_unique<aten::TensorImpl>(dtype, static_cast<ssize_t>(sizes_.size()), sizes_.data(),
                                         data_, dim_order_.data(), strides_.data(), dynamism);
  if (sizes != sizes_) {
    Tensor whole(impl_.get());
    if (runtime::resize_tensor(whole, {sizes.data(), sizes.size()}) != Error::Ok) {
      std::abort();
    }
  }
}

GuardedTensor::~GuardedTensor() { ::operator delete(memory_, kAlignment); }

void GuardedTensor::check(const char* operator_name) const {
  for (size_t i = 0; i < kMargin; ++i) {
    if (memory_[i] != kMarkByte || data_[capacity_ + i] != kMarkByte) {
      std::fprintf(stderr, "%s has written beside a tensor of %zu bytes\n", operator_name,
                   capacity_);
      std::abort();
    }
  }
}

RandomCall::RandomCall(const Operator& op, Choices& choices, bool is_hostile)
    : op_(op), choices_(choices), is_hostile_(is_hostile) {
  const auto rank = static_cast<size_t>(choices.of({0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5}));
  for (size_t i = 0; i < rank; ++i) {
    const int32_t most = rank <= 2 ? 40 : 6;
    base_shape_.push_back(static_cast<int32_t>(
        choices.one_in(12) ? 0 : choices.between(1, choices.one_in(3) ? most : 4)));
  }
  base_dtype_ =
      choices.of({ScalarType::Float, ScalarType::Float, ScalarType::Float, ScalarType::Double,
                  ScalarType::Half, ScalarType::BFloat16, ScalarType::Long, ScalarType::Int,
                  ScalarType::Byte, ScalarType::Char, ScalarType::Short, ScalarType::Bool});
  for (int64_t& letter : letters_) {
    letter = choices_.between(1, 5);
  }
  const char* const recipe = recipe_of(op.name);
  std::istringstream words(recipe != nullptr && !choices_.one_in(16) ? recipe : "");
  for (const char* letter = op.signature; *letter != '\0'; ++letter) {
    const bool is_optional = letter[1] == '?';
    std::string word;
    if (words >> word && !choices_.one_in(is_hostile_ ? 16 : 64)) {
      values_.push_back(by_recipe(word, *letter));
    } else {
      values_.push_back(is_optional && choices_.one_in(2) ? EValue() : argument(*letter));
    }
    stack_.push_back(&values_.back());
    letter += is_optional ? 1 : 0;
  }
  stack_.push_back(stack_.back());  // The place of the result.
}

std::vector<int32_t> RandomCall::shape() {
  std::vector<int32_t> sizes = base_shape_;
  if (is_hostile_ && choices_.one_in(6)) {
    sizes.resize(static_cast<size_t>(choices_.below(6)), 2);
    for (int32_t& size : sizes) {
      size = static_cast<int32_t>(choices_.below(6));
    }
    return sizes;
  }
  switch (choices_.below(8)) {
    case 0:  // To be broadcast.
      for (int32_t& size : sizes) {
        size = choices_.one_in(2) ? 1 : size;
      }
      break;
    case 1:
      sizes.erase(sizes.begin(),
                  sizes.begin() + static_cast<ptrdiff_t>(choices_.below(sizes.size() + 1)));
      break;
    case 2:
      std::reverse(sizes.begin(), sizes.end());
      break;
    case 3:
      if (sizes.size() >= 2) {
        std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
      }
      break;
    case 4:  // One channel or row of it.
      sizes = sizes.empty() ? sizes : std::vector<int32_t>{sizes[choices_.below(sizes.size())]};
      break;
    default:
      break;
  }
  return sizes;
}

ScalarType RandomCall::dtype() {
  if (!choices_.one_in(5)) {
    return base_dtype_;
  }
  return choices_.of({ScalarType::Float, ScalarType::Long, ScalarType::Bool, ScalarType::Int,
                      ScalarType::Byte, ScalarType::Char, ScalarType::Double, ScalarType::Half,
                      ScalarType::BFloat16, ScalarType::Short, ScalarType::UInt16,
                      ScalarType::ComplexFloat});
}

GuardedTensor& RandomCall::tensor(bool is_output) { return tensor(shape(), dtype(), is_output); }

GuardedTensor& RandomCall::tensor(std::vector<int32_t> sizes, ScalarType dtype, bool is_output) {
  std::vector<int32_t> bounds = sizes;
  auto dynamism = TensorShapeDynamism::STATIC;
  if (is_output ? !choices_.one_in(4) : choices_.one_in(3)) {
    dynamism = TensorShapeDynamism::DYNAMIC_BOUND;
    const bool is_roomy = is_output && !choices_.one_in(4);
    for (int32_t& bound : bounds) {
      bound = is_roomy ? std::max(bound, 6) : bound + static_cast<int32_t>(choices_.below(3));
    }
    if (numel_of(bounds) > kMostElements) {
      bounds = sizes;
    }
  }
  std::vector<uint8_t> order(sizes.size());
  std::iota(order.begin(), order.end(), uint8_t{0});
  if (order.size() == 4 && choices_.one_in(4)) {
    order = {0, 2, 3, 1};
  } else if (is_hostile_ && choices_.one_in(8)) {
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[choices_.below(i)]);
    }
  }
  tensors_.emplace_back(dtype, bounds, sizes, order, dynamism);
  fill(tensors_.back());
  return tensors_.back();
}

void RandomCall::fill(GuardedTensor& guarded) {
  const Tensor tensor = guarded.tensor();
  const ScalarType type = tensor.scalar_type();
  const size_t count = guarded.capacity() / runtime::elementSize(type);
  const auto mode = choices_.below(is_hostile_ ? 4 : 3);
  for (size_t i = 0; i < count; ++i) {
    const int64_t small = choices_.between(mode == 0 ? 0 : -3, 4);
    const double number =
        mode == 2 ? static_cast<double>(small) : static_cast<double>(small) * 0.375 + 0.25;
    uint8_t* const at = guarded.bytes() + i * runtime::elementSize(type);
    if (type == ScalarType::Float) {
      reinterpret_cast<float*>(at)[0] = static_cast<float>(mode == 3 ? real() : number);
    } else if (type == ScalarType::Double) {
      reinterpret_cast<double*>(at)[0] = mode == 3 ? real() : number;
    } else if (type == ScalarType::Half) {
      reinterpret_cast<aten::Half*>(at)[0] = static_cast<aten::Half>(static_cast<float>(number));
    } else if (type == ScalarType::BFloat16) {
      reinterpret_cast<aten::BFloat16*>(at)[0] =
          static_cast<aten::BFloat16>(static_cast<float>(number));
    } else if (type == ScalarType::Bool) {
      *at = small > 0 ? 1 : 0;
    } else {
      const int64_t whole = mode == 3 ? integer() : small;
      std::memcpy(at, &whole, std::min(sizeof(whole), runtime::elementSize(type)));
    }
  }
}

int64_t RandomCall::integer() {
  if (is_hostile_ && choices_.one_in(6)) {
    return choices_.of<int64_t>(
        {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), int64_t{1} << 31,
         -(int64_t{1} << 31) - 1, int64_t{1} << 32, int64_t{1} << 62, 1000, -1000, 65536});
  }
  return choices_.one_in(4) ? choices_.between(-4, 8) : choices_.between(0, 2);
}

double RandomCall::real() {
  if (is_hostile_ && choices_.one_in(4)) {
    return choices_.of<double>({std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(), 1e308, -1e308, 1e-320, 0,
                                -0.0, 1e20, -1e20, 9.3e18});
  }
  return static_cast<double>(choices_.between(-8, 16)) * 0.25;
}

EValue RandomCall::scalar() {
  switch (choices_.below(3)) {
    case 0:
      return EValue(integer());
    case 1:
      return EValue(real());
    default:
      return EValue(choices_.one_in(2));
  }
}

EValue RandomCall::list_of_ints(const std::vector<int64_t>& numbers) {
  pointers_.emplace_back();
  for (const int64_t number : numbers) {
    values_.emplace_back(number);
    pointers_.back().push_back(&values_.back());
  }
  ints_.emplace_back(numbers.size() + 1);
  int_lists_.emplace_back(pointers_.back().data(), ints_.back().data(),
                          static_cast<int>(numbers.size()));
  return EValue(&int_lists_.back());
}

EValue RandomCall::list_of_reals(const std::vector<double>& numbers) {
  doubles_.push_back(numbers);
  double_lists_.emplace_back(doubles_.back().data(), doubles_.back().size());
  return EValue(&double_lists_.back());
}

EValue RandomCall::list_of_bools(const std::vector<int64_t>& truths) {
  bools_.emplace_back(new bool[truths.size() + 1]);
  for (size_t i = 0; i < truths.size(); ++i) {
    bools_.back()[i] = truths[i] != 0;
  }
  bool_lists_.emplace_back(bools_.back().get(), truths.size());
  return EValue(&bool_lists_.back());
}

EValue RandomCall::list_of_ints() {
  std::vector<int64_t> numbers;
  if (choices_.one_in(3)) {
    const std::vector<int32_t> sizes = shape();
    numbers.assign(sizes.begin(), sizes.end());
  } else {
    for (uint64_t n = choices_.below(is_hostile_ ? 7 : 5); n > 0; --n) {
      numbers.push_back(integer());
    }
  }
  return list_of_ints(numbers);
}

EValue RandomCall::list_of_tensors(char kind) {
  const uint64_t count = choices_.between(is_hostile_ ? 0 : 1, 4);
  pointers_.emplace_back();
  for (uint64_t i = 0; i < count; ++i) {
    if (kind == 'p' && choices_.one_in(3)) {
      values_.emplace_back();
    } else {
      GuardedTensor& element = tensor(kind == 'O');
      if (kind == 'O') {
        outputs_.push_back(&element);
      }
      values_.emplace_back(element.tensor());
    }
    pointers_.back().push_back(&values_.back());
  }
  if (kind == 'p') {
    optionals_.emplace_back(count + 1);
    optional_lists_.emplace_back(pointers_.back().data(), optionals_.back().data(),
                                 static_cast<int>(count));
    return EValue(&optional_lists_.back());
  }
  raw_.emplace_back((count + 1) * sizeof(Tensor));
  tensor_lists_.emplace_back(pointers_.back().data(), reinterpret_cast<Tensor*>(raw_.back().data()),
                             static_cast<int>(count));
  return EValue(&tensor_lists_.back());
}

EValue RandomCall::string(const std::string& text) {
  texts_.push_back(text);
  strings_.emplace_back(texts_.back().data(), texts_.back().size());
  return EValue(&strings_.back());
}

EValue RandomCall::argument(char letter) {
  switch (letter) {
    case 'o':
      outputs_.push_back(&tensor(true));
      return EValue(outputs_.back()->tensor());
    case 't':
      return EValue(tensor(false).tensor());
    case 'l':
    case 'O':
    case 'p':
      return list_of_tensors(letter);
    case 'c':
      return scalar();
    case 'i':
      return EValue(integer());
    case 'I':
    case 'C':
      return list_of_ints();
    case 'd':
      return EValue(real());
    case 'D':
      return list_of_reals(std::vector<double>(choices_.below(4), real()));
    case 'b':
      return EValue(choices_.one_in(2));
    case 'B':
      return list_of_bools(
          std::vector<int64_t>(choices_.one_in(5) ? 2 : 3, choices_.between(0, 1)));
    case 's':
      return string(choices_.of({"trunc", "floor", "tanh", "none", "mean", "sum", "prod", "amax",
                                 "amin", "left", "right", "softmax", "", "x"}));
    case 'y':
      return EValue(choices_.one_in(3) ? choices_.between(-1, is_hostile_ ? 50 : 29)
                                       : static_cast<int64_t>(base_dtype_));
    default:  // Memory format.
      return EValue(choices_.between(0, is_hostile_ ? 5 : 1));
  }
}

/// Those between the brackets of a word, each now and then another one.
std::vector<int64_t> RandomCall::numbers_in(const std::string& word) {
  std::vector<int64_t> numbers;
  std::istringstream list(word.substr(word.find_first_of("[#") + 1));
  for (std::string item; std::getline(list, item, ',');) {
    const bool is_letter = item[0] >= 'a' && item[0] <= 'z';
    const bool is_other = choices_.one_in(is_hostile_ ? 24 : 100);
    const int64_t number =
        is_letter ? letters_[item[0] - 'a'] : std::strtoll(item.c_str(), nullptr, 10);
    numbers.push_back(is_other ? choices_.between(0, 9) : number);
  }
  return numbers;
}

EValue RandomCall::by_recipe(const std::string& word, char letter) {
  static const std::string kDtypes = "bc.il.fd.z.o";  // By their numbers.
  switch (word[0]) {
    case '-':
      return EValue();
    case '.':
      return argument(letter);
    case '#':
      return EValue(choices_.one_in(is_hostile_ ? 10 : 50) ? integer() : numbers_in(word)[0]);
    case '%':
      return EValue(is_hostile_ && choices_.one_in(10) ? real()
                                                       : std::strtod(word.c_str() + 1, nullptr));
    case 'I':
      return list_of_ints(numbers_in(word));
    case 'D': {
      const std::vector<int64_t> numbers = numbers_in(word);
      return list_of_reals(std::vector<double>(numbers.begin(), numbers.end()));
    }
    case 'B':
      return list_of_bools(numbers_in(word));
    case 'T':
    case 'F':
      return EValue(choices_.one_in(6) != (word[0] == 'T'));
    case 'y':
      return EValue(static_cast<int64_t>(kDtypes.find(word[1])));
    case '=':
      return string(word.substr(1));
    default:
      break;
  }
  const std::vector<int64_t> numbers = numbers_in(word);
  ScalarType type = word[0] == '*' ? base_dtype_ : static_cast<ScalarType>(kDtypes.find(word[0]));
  type = choices_.one_in(is_hostile_ ? 40 : 200) ? dtype() : type;
  GuardedTensor& made = tensor({numbers.begin(), numbers.end()}, type, letter == 'o');
  if (letter == 'o') {
    outputs_.push_back(&made);
  }
  return EValue(made.tensor());
}

Error RandomCall::run() {
  const runtime::Result<runtime::OpFunction> function =
      runtime::get_op_function_from_registry(op_.name);
  if (!function.ok()) {
    return function.error();
  }
  const std::unique_ptr<uint8_t[]> scratch(new uint8_t[kScratchBytes]);
  runtime::MemoryAllocator allocator(kScratchBytes, scratch.get());
  runtime::KernelRuntimeContext context(nullptr, &allocator);
  (*function)(context, {stack_.data(), stack_.size()});
  for (const GuardedTensor& each : tensors_) {
    each.check(op_.name);
  }
  return context.failure_state();
}

std::vector<Tensor> RandomCall::outputs() {
  std::vector<Tensor> tensors;
  for (GuardedTensor* const output : outputs_) {
    tensors.push_back(output->tensor());
  }
  return tensors;
}

std::vector<ScalarType> RandomCall::dtypes() {
  std::vector<ScalarType> made;
  for (GuardedTensor& tensor : tensors_) {
    made.push_back(tensor.tensor().scalar_type());
  }
  return made;
}

}  // namespace fuzz
}  // namespace executorch
