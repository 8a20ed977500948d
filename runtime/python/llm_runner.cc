#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/llm_runner.h>
#include <executorch/runtime/python/py_arguments.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/py_fields.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

using ::executorch::extension::LogCapture;
using ::executorch::extension::llm::GenerationConfig;
using ::executorch::extension::llm::Stats;

/// Holds bytes back until they are whole characters.
class Characters {
 public:
  /// Takes more bytes; returns what can be shown.
  std::string add(const std::string& bytes) {
    held_ += bytes;
    const size_t whole = held_.size() - unfinished();
    std::string text = held_.substr(0, whole);
    held_.erase(0, whole);
    return text;
  }

  std::string rest() { return std::exchange(held_, std::string()); }

 private:
  /// How many bytes at the end begin a character that goes on.
  size_t unfinished() const {
    for (size_t back = 1; back <= held_.size() && back < 4; ++back) {
      const auto byte = static_cast<unsigned char>(held_[held_.size() - back]);
      if ((byte & 0xc0) != 0x80) {
        const size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
      }
    }
    return 0;
  }

  std::string held_;
};

/// A Python exception put aside while C++ goes on. Needs the GIL.
class Raised {
 public:
  /// Takes what was thrown here, or what Python has set.
  void take(const std::exception_ptr& thrown) {
    set_python_error(thrown);
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    type_ = Object::steal(type);
    value_ = Object::steal(value);
    trace_ = Object::steal(trace);
  }

  explicit operator bool() const { return static_cast<bool>(type_); }

  [[noreturn]] void raise() {
    PyErr_Restore(type_.release(), value_.release(), trace_.release());
    throw PythonError();
  }

 private:
  Object type_, value_, trace_;
};

/// A runner for one thread at a time; stop() is for all.
class TextRunner {
 public:
  TextRunner(const std::string& model_path, const std::string& tokenizer_path,
             const std::optional<std::string>& data_path) {
    LogCapture log;
    auto tokenizer = extension::llm::load_tokenizer(tokenizer_path);
    if (tokenizer == nullptr) {
      throw Failure(Error::InvalidExternalData, "loading the tokenizer " + tokenizer_path,
                    log.take());
    }
    vocab_size_ = tokenizer->vocab_size();
    std::vector<std::string> data;
    if (data_path) {
      data.push_back(*data_path);
    }
    runner_ =
        extension::llm::create_text_llm_runner(model_path, std::move(tokenizer), std::move(data));
    if (runner_ == nullptr) {
      throw Failure(Error::InvalidProgram, "making a runner for " + model_path, log.take());
    }
  }

  /// Calls Python for each piece of text. What is raised there, or by a signal, ends the run and
  /// goes on to the caller.
  void generate(const std::string& prompt, const GenerationConfig& config, const Object& on_text,
                const Object& on_stats) {
    const std::unique_lock<std::mutex> turn = take_turn();
    LogCapture log;
    Raised raised;
    const auto tell = [&](const Object& function, const std::function<Object()>& make) {
      const GilAcquire acquired;
      if (raised) {
        return;
      }
      try {
        python::check(PyErr_CheckSignals());
        if (function) {
          call(function, {make()});
        }
      } catch (const std::exception&) {
        raised.take(std::current_exception());
        runner_->stop();
      }
    };
    Characters characters;
    const auto show = [&](const std::string& text) {
      if (!text.empty()) {
        tell(on_text, [&] { return decode(text); });
      }
    };
    Error error = Error::Ok;
    {
      const GilRelease released;
      error = runner_->generate(
          prompt, config, [&](const std::string& piece) { show(characters.add(piece)); },
          [&](const Stats& stats) { tell(on_stats, [&] { return Class<Stats>::make(stats); }); });
      show(characters.rest());
    }
    if (raised) {
      raised.raise();
    }
    check(error, "generating text", log);
  }

  void prefill(const std::string& prompt, const GenerationConfig& config) {
    const std::unique_lock<std::mutex> turn = take_turn();
    LogCapture log;
    Error error = Error::Ok;
    {
      const GilRelease released;
      error = runner_->prefill(prompt, config.num_bos, config.num_eos).error();
    }
    check(error, "taking a prompt", log);
  }

  void load() {
    const std::unique_lock<std::mutex> turn = take_turn();
    LogCapture log;
    Error error = Error::Ok;
    {
      const GilRelease released;
      error = runner_->load();
    }
    check(error, "loading the model", log);
  }

  void reset() {
    const std::unique_lock<std::mutex> turn = take_turn();
    runner_->reset();
  }

  void stop() { runner_->stop(); }
  int32_t vocab_size() const { return vocab_size_; }
  bool is_loaded() const { return runner_->is_loaded(); }

 private:
  std::unique_lock<std::mutex> take_turn() {
    std::unique_lock<std::mutex> turn(in_use_, std::try_to_lock);
    if (!turn.owns_lock()) {
      throw Failure(Error::InvalidState, "using a runner that is busy: another call has not ended");
    }
    return turn;
  }

  static void check(Error error, const char* what, LogCapture& log) {
    if (error != Error::Ok) {
      throw Failure(error, what, log.take());
    }
  }

  std::mutex in_use_;
  std::unique_ptr<extension::llm::TextLLMRunner> runner_;
  int32_t vocab_size_ = 0;
};

/// Null before `__init__`. Whoever runs it keeps it, whatever Python does with its object
/// meanwhile.
using PyRunner = std::shared_ptr<TextRunner>;

// --- GenerationConfig ---

template <auto kMember>
constexpr Field<GenerationConfig> config_field(const char* title) {
  return field<GenerationConfig, kMember>(title + sizeof("GenerationConfig"), title);
}

/// In the order of the parameters of `__init__`.
Field<GenerationConfig> kConfigFields[] = {
    config_field<&GenerationConfig::echo>("GenerationConfig.echo"),
    config_field<&GenerationConfig::max_new_tokens>("GenerationConfig.max_new_tokens"),
    config_field<&GenerationConfig::warming>("GenerationConfig.warming"),
    config_field<&GenerationConfig::seq_len>("GenerationConfig.seq_len"),
    config_field<&GenerationConfig::temperature>("GenerationConfig.temperature"),
    config_field<&GenerationConfig::num_bos>("GenerationConfig.num_bos"),
    config_field<&GenerationConfig::num_eos>("GenerationConfig.num_eos"),
    config_field<&GenerationConfig::top_p>("GenerationConfig.top_p"),
    config_field<&GenerationConfig::top_k>("GenerationConfig.top_k"),
    config_field<&GenerationConfig::min_p>("GenerationConfig.min_p"),
    config_field<&GenerationConfig::repetition_penalty>("GenerationConfig.repetition_penalty"),
    config_field<&GenerationConfig::seed>("GenerationConfig.seed"),
};
constexpr size_t kConfigFieldCount = std::size(kConfigFields);
auto config_attributes = attributes_of(kConfigFields);

void init_config(GenerationConfig& self, const Call& call) {
  Parameters<kConfigFieldCount> parameters = {"GenerationConfig", 0, {}, 7};
  for (size_t i = 0; i < kConfigFieldCount; ++i) {
    parameters.names[i] = kConfigFields[i].name;
  }
  const Arguments<kConfigFieldCount> arguments(call, parameters);
  GenerationConfig config;
  for (size_t i = 0; i < kConfigFieldCount; ++i) {
    if (arguments.object(i) != nullptr) {
      kConfigFields[i].set(config, arguments.object(i),
                           argument_title(parameters.function, parameters.names[i]));
    }
  }
  self = config;
}

Object resolve_max_new_tokens(GenerationConfig& self, const Call& call) {
  constexpr Parameters<2> kParameters = {
      "resolve_max_new_tokens", 2, {"max_context_len", "num_tokens_occupied"}};
  const Arguments<2> arguments(call, kParameters);
  const auto length = arguments.whole<int32_t>(0);
  return to_python(self.resolve_max_new_tokens(length, arguments.whole<int32_t>(1)));
}

PyMethodDef kConfigMethods[] = {
    method<GenerationConfig, resolve_max_new_tokens>("resolve_max_new_tokens"),
    {nullptr, nullptr, 0, nullptr},
};

// --- Stats ---

template <auto kMember>
constexpr Field<Stats> stats_field(const char* title) {
  return field<Stats, kMember>(title + sizeof("Stats"), title);
}

Field<Stats> kStatsFields[] = {
    stats_field<&Stats::model_load_start_ms>("Stats.model_load_start_ms"),
    stats_field<&Stats::model_load_end_ms>("Stats.model_load_end_ms"),
    stats_field<&Stats::inference_start_ms>("Stats.inference_start_ms"),
    stats_field<&Stats::token_encode_end_ms>("Stats.token_encode_end_ms"),
    stats_field<&Stats::model_execution_start_ms>("Stats.model_execution_start_ms"),
    stats_field<&Stats::prompt_eval_end_ms>("Stats.prompt_eval_end_ms"),
    stats_field<&Stats::first_token_ms>("Stats.first_token_ms"),
    stats_field<&Stats::inference_end_ms>("Stats.inference_end_ms"),
    stats_field<&Stats::aggregate_sampling_time_ms>("Stats.aggregate_sampling_time_ms"),
    stats_field<&Stats::num_prompt_tokens>("Stats.num_prompt_tokens"),
    stats_field<&Stats::num_generated_tokens>("Stats.num_generated_tokens"),
};
auto stats_attributes = attributes_of(kStatsFields);

void init_stats(Stats& self, const Call& call) {
  constexpr Parameters<0> kParameters = {"Stats", 0, {}};
  const Arguments<0> arguments(call, kParameters);
  self = Stats();
}

Object on_sampling_begin(Stats& self) {
  self.on_sampling_begin();
  return none();
}

Object on_sampling_end(Stats& self) {
  self.on_sampling_end();
  return none();
}

Object reset_stats(Stats& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"reset", 0, {"all_stats"}};
  self.reset(Arguments<1>(call, kParameters).boolean(0, false));
  return none();
}

Object to_json_string(Stats& self) { return decode(extension::llm::stats_to_json_string(self)); }

PyObject* stats_repr(PyObject* self) {
  return guarded([&] {
    return decode("Stats(" + extension::llm::stats_to_json_string(Class<Stats>::of(self)) + ")");
  });
}

PyMethodDef kStatsMethods[] = {
    getter<Stats, on_sampling_begin>("on_sampling_begin"),
    getter<Stats, on_sampling_end>("on_sampling_end"),
    method<Stats, reset_stats>("reset"),
    getter<Stats, to_json_string>("to_json_string"),
    {nullptr, nullptr, 0, nullptr},
};

// --- TextLLMRunner ---

PyRunner runner_of(const PyRunner& self) {
  if (self == nullptr) {
    PyErr_SetString(PyExc_TypeError,
                    "TextLLMRunner: __init__() has not run; a class that has its own calls "
                    "super().__init__(model_path, tokenizer_path)");
    throw PythonError();
  }
  return self;
}

void init_runner(PyRunner& self, const Call& call) {
  constexpr Parameters<3> kParameters = {
      "TextLLMRunner", 2, {"model_path", "tokenizer_path", "data_path"}};
  const Arguments<3> arguments(call, kParameters);
  std::optional<std::string> data;
  if (arguments.object(2) != nullptr && arguments.object(2) != Py_None) {
    data = arguments.text(2);
  }
  self = std::make_shared<TextRunner>(arguments.text(0), arguments.text(1), data);
}

template <size_t kCount>
GenerationConfig config_argument(const Arguments<kCount>& arguments, size_t index) {
  if (arguments.object(index) == nullptr) {
    return GenerationConfig();
  }
  return Class<GenerationConfig>::of(
      arguments.instance(index, Class<GenerationConfig>::type(), "GenerationConfig"));
}

/// Nothing for None and for what was left out.
Object callback_argument(PyObject* object) {
  return Object::borrow(object == Py_None ? nullptr : object);
}

Object generate(PyRunner& self, const Call& call) {
  constexpr Parameters<4> kParameters = {
      "generate", 1, {"prompt", "config", "token_callback", "stats_callback"}};
  const Arguments<4> arguments(call, kParameters);
  runner_of(self)->generate(arguments.text(0), config_argument(arguments, 1),
                            callback_argument(arguments.object(2)),
                            callback_argument(arguments.object(3)));
  return none();
}

Object prefill(PyRunner& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"prefill", 1, {"prompt", "config"}};
  const Arguments<2> arguments(call, kParameters);
  runner_of(self)->prefill(arguments.text(0), config_argument(arguments, 1));
  return none();
}

template <void (TextRunner::*kFunction)()>
Object without_result(PyRunner& self) {
  ((*runner_of(self)).*kFunction)();
  return none();
}

Object is_loaded(PyRunner& self) { return to_python(runner_of(self)->is_loaded()); }
Object vocab_size(PyRunner& self) { return to_python(runner_of(self)->vocab_size()); }

PyMethodDef kRunnerMethods[] = {
    method<PyRunner, generate>("generate"),
    method<PyRunner, prefill>("prefill"),
    getter<PyRunner, without_result<&TextRunner::load>>("load"),
    getter<PyRunner, is_loaded>("is_loaded"),
    getter<PyRunner, without_result<&TextRunner::reset>>("reset"),
    getter<PyRunner, without_result<&TextRunner::stop>>("stop"),
    getter<PyRunner, vocab_size>("get_vocab_size"),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void define_llm_runner(const Object& module) {
  constexpr char kName[] = "executorch.runtime.python._C.llm_runner";
  // A borrowed reference; from now on, `import` knows the name.
  const Object made = checked(Object::borrow(PyImport_AddModule(kName)).release());
  Class<GenerationConfig>::define(
      made, "executorch.runtime.python._C.llm_runner.GenerationConfig", kConfigMethods,
      {nullptr, config_attributes.data(), &initialized<GenerationConfig, init_config>});
  Class<Stats>::define(made, "executorch.runtime.python._C.llm_runner.Stats", kStatsMethods,
                       {&stats_repr, stats_attributes.data(), &initialized<Stats, init_stats>});
  check(PyObject_SetAttrString(reinterpret_cast<PyObject*>(Class<Stats>::type()),
                               "SCALING_FACTOR_UNITS_PER_SECOND",
                               to_python(int64_t{Stats::SCALING_FACTOR_UNITS_PER_SECOND}).get()));
  Class<PyRunner>::define(made, "executorch.runtime.python._C.llm_runner.TextLLMRunner",
                          kRunnerMethods, {nullptr, nullptr, &initialized<PyRunner, init_runner>});
  check(PyObject_SetAttrString(module.get(), "llm_runner", made.get()));
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
