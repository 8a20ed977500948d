#include <cstring>
#include <new>
#include <string_view>

#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method_loader.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

namespace {

// Facts about dimensions: those of inputs that have one size only, and those that nothing bounds.
// See emitter/dim_marks.py.
constexpr std::string_view kStaticDims = "executorch.static_dims:";
constexpr std::string_view kUnboundedDims = "executorch.unbounded_dims:";

bool is_element_list(fb::KernelTypes type) {
  return type == fb::KernelTypes::IntList || type == fb::KernelTypes::TensorList ||
         type == fb::KernelTypes::OptionalTensorList;
}

}  // namespace

MethodLoader::Counts MethodLoader::count_values() {
  Counts counts;
  for (uint32_t i = 0; i < size_of(plan_.values()); ++i) {
    const fb::Tensor* tensor = plan_.values()->Get(i)->val_as_Tensor();
    if (tensor == nullptr) {
      if (const fb::String* text = plan_.values()->Get(i)->val_as_String()) {
        const std::string_view view = view_of(text->string_val());
        static_dims_ = after_prefix(kStaticDims, view, static_dims_);
        if (kUnboundedSizes) {
          unbounded_dims_ = after_prefix(kUnboundedDims, view, unbounded_dims_);
          arena_text_ = after_prefix(kArenaPrefix, view, arena_text_);
        }
      }
      continue;
    }
    ++counts.tensors;
    counts.dims += tensor->sizes()->size();
    if (tensor->shape_dynamism() != fb::TensorShapeDynamism::STATIC) {
      counts.dynamic_dims += tensor->sizes()->size();
    }
    const auto* extra = tensor->extra_tensor_info();
    if (extra != nullptr && extra->location() == fb::TensorDataLocation::EXTERNAL) {
      ++counts.external_tensors;
    }
  }
  for (uint32_t i = 0; i < size_of(plan_.inputs()); ++i) {
    const auto* input = plan_.values()->Get(static_cast<uint32_t>(plan_.inputs()->Get(i)));
    const fb::Tensor* tensor = input->val_as_Tensor();
    if (tensor != nullptr && tensor->shape_dynamism() != fb::TensorShapeDynamism::STATIC) {
      // Behind the sizes of an input are their bounds.
      counts.dynamic_dims += tensor->sizes()->size();
    }
  }
  return counts;
}

Error MethodLoader::load_values() {
  const auto count = static_cast<uint32_t>(size_of(plan_.values()));
  EValue* values = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(count, "values", &values));
  for (uint32_t i = 0; i < count; ++i) {
    new (&values[i]) EValue();
  }
  state_.values = {values, count};
  ET_CHECK_OK_OR_RETURN_ERROR(allocate_tensors(count_values()));

  // Until they are loaded, the values of inputs are marked.
  for (uint32_t i = 0; i < size_of(plan_.inputs()); ++i) {
    *value_at(plan_.inputs()->Get(i)) = EValue(true);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const fb::EValue* serialized = plan_.values()->Get(i);
    is_loading_input_ = values[i].isBool();
    values[i] = EValue();
    ET_CHECK_OK_OR_RETURN_ERROR(load_value(*serialized, &values[i]),
                                "Could not load value %u of method %s", static_cast<unsigned>(i),
                                plan_.name()->c_str());
  }
  // Lists refer to other values, wherever those are, so they come when all others are there.
  for (uint32_t i = 0; i < count; ++i) {
    const fb::EValue* serialized = plan_.values()->Get(i);
    if (is_element_list(serialized->val_type())) {
      ET_CHECK_OK_OR_RETURN_ERROR(load_element_list(*serialized, &values[i]));
    }
  }
  return Error::Ok;
}

Error MethodLoader::load_value(const fb::EValue& serialized, EValue* value) {
  switch (serialized.val_type()) {
    case fb::KernelTypes::Int:
      *value = EValue(static_cast<int64_t>(serialized.val_as_Int()->int_val()));
      return Error::Ok;
    case fb::KernelTypes::Bool:
      *value = EValue(serialized.val_as_Bool()->bool_val());
      return Error::Ok;
    case fb::KernelTypes::Double:
      *value = EValue(serialized.val_as_Double()->double_val());
      return Error::Ok;
    case fb::KernelTypes::Tensor:
      return load_tensor(*serialized.val_as_Tensor(), value);
    case fb::KernelTypes::String:
      return load_string(*serialized.val_as_String()->string_val(), value);
    case fb::KernelTypes::DoubleList:
      return load_inline_list<double>(*serialized.val_as_DoubleList()->items(), value);
    case fb::KernelTypes::BoolList:
      return load_inline_list<bool>(*serialized.val_as_BoolList()->items(), value);
    default:
      return Error::Ok;  // None, or a list that is loaded later.
  }
}

Error MethodLoader::load_string(const flatbuffers::String& serialized, EValue* value) {
  using Characters = ArrayRef<char>;
  Characters* text = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, "a string", &text));
  *value = EValue(new (text) Characters(serialized.c_str(), serialized.size()));
  return Error::Ok;
}

// Lists whose items stand in the program itself.
template <typename Item, typename SerializedItem>
Error MethodLoader::load_inline_list(const flatbuffers::Vector<SerializedItem>& items,
                                     EValue* value) {
  static_assert(sizeof(Item) == sizeof(SerializedItem), "items are used where they are");
  ArrayRef<Item>* list = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, "a list", &list));
  const auto* first = reinterpret_cast<const Item*>(items.Data());
  *value = EValue(new (list) ArrayRef<Item>(first, items.size()));
  return Error::Ok;
}

Error MethodLoader::load_element_list(const fb::EValue& serialized, EValue* value) {
  using executorch::aten::Tensor;
  switch (serialized.val_type()) {
    case fb::KernelTypes::IntList:
      return load_elements<int64_t>(*serialized.val_as_IntList()->items(), 0, value);
    case fb::KernelTypes::TensorList:
      return load_elements<Tensor>(*serialized.val_as_TensorList()->items(), Tensor(nullptr),
                                   value);
    default:
      return load_elements<std::optional<Tensor>>(*serialized.val_as_OptionalTensorList()->items(),
                                                  std::nullopt, value);
  }
}

// Lists whose items are the indices of other values.
template <typename Element, typename Index>
Error MethodLoader::load_elements(const flatbuffers::Vector<Index>& items, const Element& empty,
                                  EValue* value) {
  const uint32_t count = items.size();
  EValue** elements = nullptr;
  Element* unboxed = nullptr;
  BoxedEvalueList<Element>* list = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(count, "elements of a list", &elements));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(count, "elements of a list", &unboxed));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, "a list", &list));
  for (uint32_t i = 0; i < count; ++i) {
    const auto index = static_cast<int64_t>(items.Get(i));
    elements[i] = index < 0 ? nullptr : value_at(index);
    new (&unboxed[i]) Element(empty);
  }
  *value = EValue(new (list) BoxedEvalueList<Element>(elements, unboxed, static_cast<int>(count)));
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
