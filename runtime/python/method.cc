#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/method.h>
#include <executorch/runtime/python/text.h>

namespace executorch {
namespace runtime {
namespace python {

using extension::PlannedMemory;

namespace {

/// What a failed load_method() needs said beyond the log.
std::string advice(Error error, bool has_external_data) {
  switch (error) {
    case Error::NotFound: {
      std::string names;
      for (size_t i = 0; i < get_num_registered_backends(); ++i) {
        const Result<const char*> name = get_backend_name(i);
        if (name.ok()) {
          names += (names.empty() ? "" : ", ") + std::string(*name);
        }
      }
      return "backends in this process: " + (names.empty() ? "none" : names);
    }
    case Error::InvalidState:
      return has_external_data
                 ? ""
                 : "no external data was given; pass the program's .ptd file as data_path";
    default:
      return "";
  }
}

/// Keeps everything that a view of an output may point to.
struct ViewOwner {
  std::shared_ptr<MethodState> method;
  std::shared_ptr<void> inputs;
  std::vector<OutputMemory> output_memory;
};

}  // namespace

std::string MethodState::InputSpec::describe() const {
  if (!tensor) {
    return value_kind(tag);
  }
  return std::string("a tensor ") + dtype_name(tensor->scalar_type()) + shape_text(tensor->sizes());
}

std::string MethodState::InputValue::describe() const {
  return tensor ? tensor->describe() : given;
}

std::shared_ptr<MethodState> MethodState::load(std::shared_ptr<ProgramState> program,
                                               const std::string& name,
                                               const LoadBackendOptionsMap* backend_options) {
  std::shared_ptr<MethodState> state(new MethodState(std::move(program), name));
  // Also finds out whether there is such a method at all.
  const MethodMeta meta = state->program_->method_meta(name);
  LogCapture log;
  Error error = Error::Ok;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(state->mutex());
    Tracer* const tracer = state->program_->tracer();
    Result<std::unique_ptr<PlannedMemory>> memory = PlannedMemory::create(meta);
    if (memory.ok()) {
      state->planned_memory_ = std::move(*memory);
      state->memory_manager_.emplace(&state->method_allocator_, state->planned_memory_->allocator(),
                                     &state->temp_allocator_);
      state->memory_manager_->set_dynamic_allocator(&state->method_allocator_);
      Result<Method> method = state->program_->program().load_method(
          name.c_str(), &*state->memory_manager_,
          tracer == nullptr ? nullptr : tracer->event_tracer(), state->program_->data_map(),
          backend_options);
      error = method.error();
      if (method.ok()) {
        state->method_.emplace(std::move(*method));
      }
    } else {
      error = memory.error();
    }
  }
  if (error != Error::Ok) {
    std::vector<std::string> lines = log.take();
    std::string hint = advice(error, state->program_->data_map() != nullptr);
    if (!hint.empty()) {
      lines.push_back(std::move(hint));
    }
    throw Failure(error, "loading " + state->title(), std::move(lines));
  }
  state->read_specs();
  return state;
}

void MethodState::read_specs() {
  const MethodMeta meta = method_->method_meta();
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    InputSpec spec;
    const Result<Tag> tag = meta.input_tag(i);
    if (!tag.ok()) {
      throw Failure(tag.error(), "reading input " + std::to_string(i) + " of " + title());
    }
    spec.tag = *tag;
    if (*tag == Tag::Tensor) {
      const Result<TensorInfo> info = meta.input_tensor_meta(i);
      if (!info.ok()) {
        throw Failure(info.error(), "reading input " + std::to_string(i) + " of " + title());
      }
      spec.tensor = *info;
      reads_inputs_in_place_ = reads_inputs_in_place_ || !info->is_memory_planned();
    }
    specs_.push_back(spec);
  }
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    const Result<Tag> tag = meta.output_tag(i);
    if (!tag.ok() || *tag != Tag::Tensor) {
      continue;
    }
    const Result<TensorInfo> info = meta.output_tensor_meta(i);
    if (info.ok() && !info->is_memory_planned()) {
      unplanned_outputs_.push_back(i);
    }
  }
  output_memory_.resize(unplanned_outputs_.size());
}

void MethodState::refuse_input(size_t index, const std::string& given, bool wrong_type) const {
  throw Failure(Error::InvalidArgument,
                "input " + std::to_string(index) + " of " + title() + ": expected " +
                    specs_[index].describe() + ", found " + given,
                {}, wrong_type ? FailureKind::kInputType : FailureKind::kInputValue);
}

MethodState::InputValue MethodState::convert_tensor(PyObject* object, size_t index) const {
  const TensorInfo& expected = *specs_[index].tensor;
  InputValue input;
  try {
    std::unique_ptr<BorrowedArray> array = BorrowedArray::from(object);
    if (array == nullptr) {
      refuse_input(index, object == Py_None ? "None" : "a " + type_name(object),
                   /*wrong_type=*/true);
    }
    const ArrayView& view = array->view();
    if (view.dtype != expected.scalar_type() || view.rank != expected.sizes().size()) {
      refuse_input(index, view.describe(), /*wrong_type=*/false);
    }
    input.tensor =
        std::make_unique<TensorInput>(std::move(array), expected.dim_order(),
                                      /*copy_if_read_only=*/!expected.is_memory_planned());
  } catch (const UnusableArray& reason) {
    refuse_input(index, reason.what(), /*wrong_type=*/true);
  }
  input.value = input.tensor->value();
  return input;
}

MethodState::InputValue MethodState::convert_input(PyObject* object, size_t index) const {
  if (specs_[index].tensor) {
    return convert_tensor(object, index);
  }
  InputValue input;
  if (object == Py_None) {
    input.given = "None";
  } else if (PyBool_Check(object)) {
    input.given = object == Py_True ? "True" : "False";
    input.value = EValue(object == Py_True);
  } else if (PyLong_Check(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
      refuse_input(index, "an int that does not fit into 64 bits", /*wrong_type=*/false);
    }
    input.given = std::to_string(value);
    input.value = specs_[index].tag == Tag::Double ? EValue(static_cast<double>(value))
                                                   : EValue(static_cast<int64_t>(value));
  } else if (PyFloat_Check(object)) {
    input.given = std::to_string(PyFloat_AsDouble(object));
    input.value = EValue(PyFloat_AsDouble(object));
  } else {
    refuse_input(index, "a " + type_name(object), /*wrong_type=*/true);
  }
  if (input.value.tag != specs_[index].tag) {
    refuse_input(index, input.given, /*wrong_type=*/true);
  }
  return input;
}

std::shared_ptr<MethodState::Inputs> MethodState::convert_inputs(const Object& inputs) const {
  PyObject* sequence = inputs.get();
  if (!PyList_Check(sequence) && !PyTuple_Check(sequence)) {
    throw Failure(Error::InvalidArgument,
                  title() + ": expected a list or tuple of inputs, found a " + type_name(sequence),
                  {}, FailureKind::kInputType);
  }
  const auto count = static_cast<size_t>(PySequence_Size(sequence));
  if (count != specs_.size()) {
    throw Failure(Error::InvalidArgument,
                  title() + ": expected " + std::to_string(specs_.size()) + " input(s), found " +
                      std::to_string(count),
                  {}, FailureKind::kInputValue);
  }
  auto values = std::make_shared<Inputs>();
  values->reserve(count);
  for (size_t i = 0; i < count; ++i) {
    // Converting runs foreign code, which might shorten the list.
    const Object item = checked(PySequence_GetItem(sequence, static_cast<Py_ssize_t>(i)));
    values->push_back(convert_input(item.get(), i));
  }
  return values;
}

void MethodState::set_outputs_locked() {
  for (size_t i = 0; i < unplanned_outputs_.size(); ++i) {
    const size_t index = unplanned_outputs_[i];
    const Result<TensorInfo> info = method_->method_meta().output_tensor_meta(index);
    OutputMemory memory = OutputMemory::allocate(info.ok() ? info->nbytes() : 0);
    const Error error = method_->set_output_data_ptr(memory.data.get(), memory.size, index);
    if (error != Error::Ok) {
      throw Failure(error,
                    "setting the memory of output " + std::to_string(index) + " of " + title());
    }
    output_memory_[i] = std::move(memory);
  }
}

void MethodState::set_inputs_locked(const std::shared_ptr<Inputs>& inputs, LogCapture& log) {
  inputs_are_set_ = false;
  inputs_ = inputs;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const Error error = method_->set_input((*inputs)[i].value, i);
    if (error != Error::Ok) {
      throw Failure(error,
                    "input " + std::to_string(i) + " of " + title() + ": expected " +
                        specs_[i].describe() + ", found " + (*inputs)[i].describe(),
                    log.take(), FailureKind::kInputValue);
    }
  }
  inputs_are_set_ = true;
  if (!reads_inputs_in_place_) {
    // The method has copies of its own; the caller still holds these values, so nothing is freed
    // here.
    inputs_.reset();
  }
}

void MethodState::execute_locked(LogCapture& log) {
  if (!inputs_are_set_ && !specs_.empty()) {
    throw Failure(Error::InvalidState, "executing " + title() + ": its inputs are not set");
  }
  const Error error = method_->execute();
  if (error != Error::Ok) {
    throw Failure(error, "executing " + title(), log.take());
  }
}

std::vector<OutputValue> MethodState::outputs_locked(bool clone_outputs) {
  std::shared_ptr<void> owner;
  if (!clone_outputs) {
    owner = std::make_shared<ViewOwner>(ViewOwner{shared_from_this(), inputs_, output_memory_});
  }
  std::vector<OutputValue> outputs;
  outputs.reserve(method_->outputs_size());
  for (size_t i = 0; i < method_->outputs_size(); ++i) {
    const EValue& value = method_->get_output(i);
    const bool view =
        !clone_outputs && (!value.isTensor() || is_own_memory(value.toTensor().const_data_ptr()));
    outputs.push_back(view ? OutputValue::view_of(value, owner) : OutputValue::copy_of(value));
  }
  return outputs;
}

bool MethodState::is_own_memory(const void* data) const {
  const auto inside = [data](const void* start, size_t size) {
    const auto address = reinterpret_cast<uintptr_t>(data);
    const auto begin = reinterpret_cast<uintptr_t>(start);
    return address >= begin && address - begin < size;
  };
  for (const Span<uint8_t>& arena : planned_memory_->arenas()) {
    if (inside(arena.data(), arena.size())) {
      return true;
    }
  }
  for (const OutputMemory& memory : output_memory_) {
    if (inside(memory.data.get(), memory.size)) {
      return true;
    }
  }
  return false;
}

namespace {

Object to_list(const std::vector<OutputValue>& outputs) {
  const ArrayLibrary library = default_array_library();
  Object list = checked(PyList_New(static_cast<Py_ssize_t>(outputs.size())));
  for (size_t i = 0; i < outputs.size(); ++i) {
    check(PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i),
                         outputs[i].to_python(library).release()));
  }
  return list;
}

}  // namespace

Object MethodState::call(const Object& inputs, bool clone_outputs) {
  const std::shared_ptr<Inputs> values = convert_inputs(inputs);
  std::shared_ptr<Inputs> previous;  // Released with the GIL, at the end.
  std::vector<OutputValue> outputs;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(mutex());
    LogCapture log;
    previous = inputs_;
    set_outputs_locked();
    set_inputs_locked(values, log);
    execute_locked(log);
    outputs = outputs_locked(clone_outputs);
  }
  return to_list(outputs);
}

void MethodState::set_inputs(const Object& inputs) {
  const std::shared_ptr<Inputs> values = convert_inputs(inputs);
  std::shared_ptr<Inputs> previous;
  const GilRelease release;
  const std::lock_guard<std::mutex> lock(mutex());
  LogCapture log;
  previous = inputs_;
  set_inputs_locked(values, log);
}

void MethodState::execute() {
  const GilRelease release;
  const std::lock_guard<std::mutex> lock(mutex());
  LogCapture log;
  set_outputs_locked();
  execute_locked(log);
}

Object MethodState::get_outputs(bool clone_outputs) {
  std::vector<OutputValue> outputs;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(mutex());
    LogCapture log;
    outputs = outputs_locked(clone_outputs);
  }
  return to_list(outputs);
}

void MethodState::verify_bundled_locked(size_t testset_idx, double rtol, double atol,
                                        LogCapture& log) {
  const std::string what = "test case " + std::to_string(testset_idx) + " of " + title();
  const void* const bundle = program_->bundle();
  if (bundle == nullptr) {
    throw Failure(Error::NotSupported, what, {"the program was not loaded from a bundle"});
  }
  // Whatever goes wrong, what was set before is gone.
  inputs_are_set_ = false;
  inputs_.reset();
  set_outputs_locked();
  Error error = bundled_program::load_bundled_input(*method_, bundle, testset_idx);
  if (error != Error::Ok) {
    throw Failure(error, "setting the inputs of " + what, log.take());
  }
  inputs_are_set_ = true;
  execute_locked(log);
  error = bundled_program::verify_method_outputs(*method_, bundle, testset_idx, rtol, atol);
  if (error != Error::Ok) {
    throw Failure(error, "verifying the outputs of " + what, log.take());
  }
}

Object MethodState::verify_bundled(size_t testset_idx, double rtol, double atol) {
  std::shared_ptr<Inputs> previous;
  std::vector<OutputValue> outputs;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(mutex());
    LogCapture log;
    previous = inputs_;
    verify_bundled_locked(testset_idx, rtol, atol, log);
    outputs = outputs_locked(/*clone_outputs=*/true);
  }
  return to_list(outputs);
}

Object MethodState::get_attribute(const std::string& name) {
  OutputValue copy;
  {
    const GilRelease release;
    const std::lock_guard<std::mutex> lock(mutex());
    LogCapture log;
    const auto tensor = method_->get_attribute(name);
    if (!tensor.ok()) {
      throw Failure(tensor.error(), "reading attribute '" + name + "' of " + title(), log.take());
    }
    copy = OutputValue::copy_of(EValue(*tensor));
  }
  return copy.to_python(default_array_library());
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
