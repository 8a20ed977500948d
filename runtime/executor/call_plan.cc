#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/call_plan.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

using executorch::aten::TensorImpl;

// For instance 50 calls that split a tensor into 1,000; a fraction of a second.
constexpr size_t kMostComparisons = 50'000'000;

// The tensor of a value, null if it holds something else.
const TensorImpl* tensor_of(const EValue* value) {
  return value != nullptr && value->isTensor() ? value->payload.as_tensor.unsafeGetTensorImpl()
                                               : nullptr;
}

// Goes from one tensor of a call to the next, also of those in lists.
class Cursor {
 public:
  explicit Cursor(Span<EValue* const> arguments) : arguments_(arguments) {}

  bool next() {
    for (; place_ < arguments_.size(); ++place_, element_ = 0) {
      const size_t count = num_elements();
      while (element_ < count) {
        slot_ = element(element_++);
        tensor_ = tensor_of(slot_);
        if (tensor_ != nullptr) {
          ++position_;
          return true;
        }
      }
    }
    return false;
  }

  const TensorImpl& tensor() const { return *tensor_; }
  const EValue* slot() const { return slot_; }
  size_t place() const { return place_; }
  /// Among the tensors of the call.
  size_t position() const { return position_ - 1; }
  bool is_in_last_argument() const { return place_ + 1 == arguments_.size(); }
  bool is_in(const WrittenPlaces& written) const { return written.contains(place_, position()); }

 private:
  const EValue& argument() const { return *arguments_[place_]; }

  size_t num_elements() const {
    switch (argument().tag) {
      case Tag::Tensor:
        return 1;
      case Tag::ListTensor:
        return argument().payload.copyable_union.as_tensor_list_ptr->size();
      case Tag::ListOptionalTensor:
        return argument().payload.copyable_union.as_list_optional_tensor_ptr->size();
      default:
        return 0;
    }
  }

  const EValue* element(size_t index) const {
    switch (argument().tag) {
      case Tag::ListTensor:
        return argument().payload.copyable_union.as_tensor_list_ptr->element(index);
      case Tag::ListOptionalTensor:
        return argument().payload.copyable_union.as_list_optional_tensor_ptr->element(index);
      default:
        return &argument();
    }
  }

  Span<EValue* const> arguments_;
  size_t place_ = 0;
  size_t element_ = 0;
  size_t position_ = 0;
  const EValue* slot_ = nullptr;
  const TensorImpl* tensor_ = nullptr;
};

struct Bytes {
  uintptr_t begin;
  size_t size;

  size_t shared_with(Bytes other) const {
    const uintptr_t from = begin > other.begin ? begin : other.begin;
    const uintptr_t to = end() < other.end() ? end() : other.end();
    return from < to && size != 0 && other.size != 0 ? to - from : 0;
  }
  uintptr_t end() const { return begin + size; }
};

Bytes read_bytes(const TensorImpl& tensor) {
  return {reinterpret_cast<uintptr_t>(tensor.data()),
          tensor.data() == nullptr ? 0 : tensor.nbytes()};
}

// Bytes of the one that the other writes: where it is now, and where it would be when it grows.
size_t shared_bytes(const TensorImpl& written, const TensorImpl& other) {
  const Bytes read = read_bytes(other);
  const Bytes bound{reinterpret_cast<uintptr_t>(written.data()),
                    written.data() == nullptr ? 0 : DynamicMemory::most_bytes(written)};
  const size_t shared = bound.shared_with(read);
  const DynamicMemory* memory = DynamicMemory::of(written);
  if (shared != 0 || memory == nullptr) {
    return shared;
  }
  return Bytes{reinterpret_cast<uintptr_t>(memory->data()), memory->capacity()}.shared_with(read);
}

Error compare(const Cursor& written, const Cursor& other, Error error) {
  const DynamicMemory* memory = DynamicMemory::of(written.tensor());
  const bool grow_together = memory != nullptr && memory == DynamicMemory::of(other.tensor());
  const size_t shared = shared_bytes(written.tensor(), other.tensor());
  if (ET_LIKELY(shared == 0 && !grow_together)) {
    return Error::Ok;
  }
  ET_LOG(Error,
         "Argument %zu is written and shares %zu bytes with argument %zu: values that are in use "
         "together need memory of their own",
         written.place(), shared, other.place());
  return error;
}

// The last argument of a kernel is where its result stands; unless it is written, nobody reads it.
bool is_only_result(const Cursor& cursor, const WrittenPlaces& written) {
  return cursor.is_in_last_argument() && !cursor.is_in(written);
}

// Whether the values before a kernel's result are those of the list that it is.
bool are_elements(Span<EValue* const> arguments,
                  const BoxedEvalueList<executorch::aten::Tensor>& list) {
  const size_t result = arguments.size() - 1;
  for (size_t i = 0; i < list.size(); ++i) {
    if (result < list.size() || arguments[result - list.size() + i] != list.element(i)) {
      return false;
    }
  }
  return true;
}

// Whether two values are lists of the same tensors; programs have one for the argument and another
// one for the result.
bool are_same_list(const EValue& one, const EValue& other) {
  if (one.tag != Tag::ListTensor || other.tag != Tag::ListTensor) {
    return false;
  }
  const auto& first = *one.payload.copyable_union.as_tensor_list_ptr;
  const auto& second = *other.payload.copyable_union.as_tensor_list_ptr;
  bool are_same = first.size() == second.size();
  for (size_t i = 0; are_same && i < first.size(); ++i) {
    are_same = first.element(i) == second.element(i);
  }
  return are_same;
}

// Compares a tensor that is written with the others of the call. With `access`, which says what
// will be there, without those that may be replaced.
Error check_written(const Cursor& one, Span<EValue* const> arguments, const WrittenPlaces& written,
                    const TensorAccess* access) {
  const Error error = access == nullptr ? Error::InvalidArgument : Error::InvalidProgram;
  for (Cursor other(arguments); other.next();) {
    if (access != nullptr && access->is_replaced(&other.tensor())) {
      continue;
    }
    // Two that are written were compared when the first one was.
    if ((other.position() > one.position() || !other.is_in(written)) &&
        !is_only_result(other, written)) {
      ET_CHECK_OK_OR_RETURN_ERROR(compare(one, other, error));
    }
  }
  return Error::Ok;
}

}  // namespace

uint32_t written_by_kernel(WrittenArguments written, Span<EValue* const> arguments) {
  constexpr size_t kLast = WrittenArguments::kLastPlace;
  if (written.is_known() || arguments.empty()) {
    return written.places();
  }
  const size_t result = arguments.size() - 1;
  const EValue& value = *arguments[result];
  WrittenArguments places = WrittenArguments::none();
  size_t count = tensor_of(&value) != nullptr ? 1 : 0;
  bool stands_before = count == 0;
  if (value.tag == Tag::ListTensor) {
    const auto& list = *value.payload.copyable_union.as_tensor_list_ptr;
    count = list.size();
    stands_before = are_elements(arguments, list);
  }
  for (size_t i = 0; i < result; ++i) {
    if (arguments[i] == &value || (i + 1 == result && are_same_list(*arguments[i], value))) {
      stands_before = true;
      places = places.with(i);
    }
    if (result - i <= count && (i >= kLast || tensor_of(arguments[i]) != nullptr)) {
      places = places.with(i);
    }
  }
  return (stands_before ? places : places.with(result)).places();
}

WrittenPlaces delegate_places(size_t num_outputs, Span<EValue* const> arguments) {
  size_t count = 0;
  for (Cursor cursor(arguments); cursor.next();) {
    ++count;
  }
  return {0, num_outputs < count ? count - num_outputs : 0};
}

void CallPlan::expect_replacement(const EValue& value) {
  const TensorImpl* tensor = tensor_of(&value);
  if (tensor == nullptr) {
    has_unknown_ = true;
  } else {
    access_.set_replaced(tensor);
  }
}

Result<bool> CallPlan::decide(Span<EValue* const> arguments, WrittenPlaces written) {
  bool is_open = has_unknown_;
  size_t count = 0;
  for (Cursor cursor(arguments); cursor.next(); ++count) {
    const TensorImpl* tensor = &cursor.tensor();
    const bool is_fixed = access_.is_fixed(tensor) && !access_.is_replaced(tensor);
    is_open = is_open || !is_fixed;
    ET_CHECK_OR_RETURN_ERROR(
        !is_fixed || !cursor.is_in(written) || access_.may_write(tensor), InvalidProgram,
        "Argument %zu is written, but it is a constant of the program", cursor.place());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(count_comparisons(count));
  bool writes = false;
  for (Cursor one(arguments); one.next();) {
    if (!one.is_in(written)) {
      continue;
    }
    writes = true;
    ET_CHECK_OK_OR_RETURN_ERROR(count_comparisons(count));
    if (!access_.is_replaced(&one.tensor())) {
      ET_CHECK_OK_OR_RETURN_ERROR(check_written(one, arguments, written, &access_));
    }
  }
  return is_open && (writes || has_unknown_);
}

// A small file can name the same long list in every call.
Error CallPlan::count_comparisons(size_t count) {
  num_comparisons_ += count;
  ET_CHECK_OR_RETURN_ERROR(count <= kMostComparisons && num_comparisons_ <= kMostComparisons,
                           InvalidProgram, "The calls of the method have too many tensors");
  return Error::Ok;
}

Error check_call(const TensorAccess& access, Span<EValue* const> arguments, WrittenPlaces written) {
  for (Cursor one(arguments); one.next();) {
    if (one.is_in(written)) {
      // Without memory it is no tensor to write at all, which the kernel says.
      ET_CHECK_OR_RETURN_ERROR(
          access.may_write(&one.tensor()) || one.tensor().data() == nullptr, InvalidProgram,
          "Argument %zu is written, but it is a constant or shows memory that is smaller",
          one.place());
      ET_CHECK_OK_OR_RETURN_ERROR(check_written(one, arguments, written, nullptr));
    }
  }
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
