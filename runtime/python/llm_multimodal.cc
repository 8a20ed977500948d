#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/multimodal_input.h>
#include <executorch/extension/llm/runner/multimodal_runner.h>
#include <executorch/runtime/python/llm_callbacks.h>
#include <executorch/runtime/python/llm_multimodal.h>
#include <executorch/runtime/python/llm_turns.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

using ::executorch::extension::llm::MultimodalInput;

// --- Inputs: the parts of a prompt ---

using Inputs = std::vector<MultimodalInput>;

/// The elements of a bytes object. Throws PythonError.
template <typename T>
std::vector<T> elements_of(PyObject* object, const char* title) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  check(PyBytes_AsStringAndSize(object, &data, &size));
  const auto bytes = static_cast<size_t>(size);
  if (bytes % sizeof(T) != 0) {
    PyErr_Format(PyExc_ValueError, "%s has bytes that are no whole element", title);
    throw PythonError();
  }
  std::vector<T> elements(bytes / sizeof(T));
  if (bytes > 0) {
    std::memcpy(elements.data(), data, bytes);
  }
  return elements;
}

void init_inputs(Inputs& self, const Call& call) {
  constexpr Parameters<0> kParameters = {"Inputs", 0, {}};
  const Arguments<0> arguments(call, kParameters);
  self.clear();
}

Object add_text(Inputs& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"text", 1, {"text"}};
  self.emplace_back(Arguments<1>(call, kParameters).text(0));
  return none();
}

/// Of 64 bits each.
Object add_tokens(Inputs& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"tokens", 1, {"ids"}};
  self.emplace_back(elements_of<uint64_t>(Arguments<1>(call, kParameters).object(0), "tokens"));
  return none();
}

/// Values of bytes or floats with three sizes.
template <typename Make>
Object add_values(const Call& call, const char* name, Make make) {
  const Parameters<5> parameters = {name, 5, {"data", "is_float", "first", "second", "third"}};
  const Arguments<5> arguments(call, parameters);
  const auto first = arguments.whole<int32_t>(2);
  const auto second = arguments.whole<int32_t>(3);
  const auto third = arguments.whole<int32_t>(4);
  if (arguments.boolean(1, false)) {
    make(elements_of<float>(arguments.object(0), name), first, second, third);
  } else {
    make(elements_of<uint8_t>(arguments.object(0), name), first, second, third);
  }
  return none();
}

/// Width, height and channels.
Object add_image(Inputs& self, const Call& call) {
  return add_values(call, "image", [&](auto&& data, int32_t w, int32_t h, int32_t c) {
    self.emplace_back(extension::llm::Image(std::move(data), w, h, c));
  });
}

/// Batches, bins and frames.
Object add_audio(Inputs& self, const Call& call) {
  return add_values(call, "audio", [&](auto&& data, int32_t b, int32_t n, int32_t f) {
    self.emplace_back(extension::llm::Audio(std::move(data), b, n, f));
  });
}

/// Batches, channels and samples.
Object add_raw_audio(Inputs& self, const Call& call) {
  return add_values(call, "raw_audio", [&](auto&& data, int32_t b, int32_t c, int32_t n) {
    self.emplace_back(extension::llm::RawAudio{std::move(data), b, c, n});
  });
}

PyMethodDef kInputsMethods[] = {
    method<Inputs, add_text>("text"),           method<Inputs, add_tokens>("tokens"),
    method<Inputs, add_image>("image"),         method<Inputs, add_audio>("audio"),
    method<Inputs, add_raw_audio>("raw_audio"), {nullptr, nullptr, 0, nullptr},
};

// --- MultimodalRunner ---

class Runner : public Turns<extension::llm::MultimodalRunner> {
 public:
  static constexpr char kName[] = "MultimodalRunner";

  Runner(const std::string& model_path, const std::string& tokenizer_path,
         const std::optional<std::string>& data_path)
      : Turns(model_path, tokenizer_path, [&](auto tokenizer) {
          return extension::llm::create_multimodal_runner(model_path, std::move(tokenizer),
                                                          data_path);
        }) {}

  bool is_loaded() {
    const std::unique_lock<std::mutex> turn = take_turn(*in_use_);
    return runner_->is_loaded();
  }
};

using PyMultimodal = Held<Runner>;

void init_runner(PyMultimodal& self, const Call& call) {
  constexpr Parameters<3> kParameters = {
      "MultimodalRunner", 2, {"model_path", "tokenizer_path", "data_path"}};
  const Arguments<3> arguments(call, kParameters);
  std::optional<std::string> data;
  if (arguments.object(2) != nullptr && arguments.object(2) != Py_None) {
    data = arguments.text(2);
  }
  self = std::make_shared<Runner>(arguments.text(0), arguments.text(1), data);
}

template <size_t kCount>
const Inputs& inputs_argument(const Arguments<kCount>& arguments) {
  return Class<Inputs>::of(arguments.instance(0, Class<Inputs>::type(), "Inputs"));
}

Object generate_parts(PyMultimodal& self, const Call& call) {
  constexpr Parameters<4> kParameters = {
      "generate_parts", 1, {"inputs", "config", "token_callback", "stats_callback"}};
  const Arguments<4> arguments(call, kParameters);
  const Inputs inputs = inputs_argument(arguments);  // Python may change its own meanwhile.
  runner_of(self)->generate(inputs, config_argument(arguments, 1),
                            callback_argument(arguments.object(2)),
                            callback_argument(arguments.object(3)));
  return none();
}

Object prefill_parts(PyMultimodal& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"prefill_parts", 1, {"inputs", "config"}};
  const Arguments<2> arguments(call, kParameters);
  const Inputs inputs = inputs_argument(arguments);
  runner_of(self)->prefill(inputs, config_argument(arguments, 1));
  return none();
}

PyMethodDef kRunnerMethods[] = {
    method<PyMultimodal, generate_parts>("generate_parts"),
    method<PyMultimodal, prefill_parts>("prefill_parts"),
    getter<PyMultimodal, without_result<Runner, &Runner::load>>("load"),
    getter<PyMultimodal, is_loaded<Runner>>("is_loaded"),
    getter<PyMultimodal, without_result<Runner, &Runner::reset>>("reset"),
    getter<PyMultimodal, without_result<Runner, &Runner::stop>>("stop"),
    getter<PyMultimodal, vocab_size<Runner>>("get_vocab_size"),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void define_multimodal(const Object& module) {
  Class<Inputs>::define(module, "executorch.runtime.python._C.llm_runner.Inputs", kInputsMethods,
                        {nullptr, nullptr, &initialized<Inputs, init_inputs>});
  Class<PyMultimodal>::define(module, "executorch.runtime.python._C.llm_runner.MultimodalRunner",
                              kRunnerMethods,
                              {nullptr, nullptr, &initialized<PyMultimodal, init_runner>});
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
